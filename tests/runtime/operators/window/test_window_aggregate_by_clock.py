"""Aggregates of windows that end with processing time: Flink's SlicingWindowAggOperatorTest, by two clocks.

Each micro-batch goes on from state.
"""

from __future__ import annotations

import pytest

from firesteel.runtime.operators.window.window_aggregate import WindowAggregate
from firesteel.runtime.spec.window import WindowsSpec, WindowTime
from firesteel.runtime.state.backend import SortedRunBackend
from firesteel.runtime.state.memory import MemoryStore
from firesteel.types.sql import timestamp_ltz
from tests.runtime.operators.window.windows import (
    HOUR,
    ZONES,
    cumulate,
    hop,
    marked_of,
    one_phase,
    table_of,
    told,
    tumble,
)

MAX = (1 << 53) - 1
DAY = 24 * HOUR


class Clocked:
    """Times are those that the clock shows."""

    def __init__(self, windows: WindowsSpec, zone: str, columnar: bool) -> None:
        self._spec = one_phase(windows, time=WindowTime(None, timestamp_ltz(3), zone))
        self._columnar, self._ahead, self._store = columnar, ZONES[zone], MemoryStore()
        self._order = 0

    def at(self, now: int, keys: str = "") -> list[str]:
        """A micro-batch with a row of value 1 for each key: `1` is k1."""
        state = SortedRunBackend(self._store)
        operator = WindowAggregate(self._spec, state, lambda: now - self._ahead, self._columnar)
        table = table_of([("+I", f"k{key}", 1, MAX) for key in keys], self._order)
        self._order += len(keys)
        out = [*operator.changes(table), *operator.barrier()]
        state.commit()
        return told(out, 0).split(" | ") if out else []


@pytest.fixture(params=[True, False], ids=["columns", "by row"])
def columnar(request: pytest.FixtureRequest) -> bool:
    found: bool = request.param
    return found


by_clocks = pytest.mark.parametrize("zone", ZONES)


def window(start: int, end: int, *rows: str) -> list[str]:
    """`1 3` is k1 with three rows."""
    cells = (row.split() for row in rows)
    return [f"k{key} {count} {count} [{start * HOUR},{end * HOUR})" for key, count in cells]


@by_clocks
def test_tumble(zone: str, columnar: bool) -> None:
    """testProcessingTimeTumblingWindows."""
    clock = Clocked(tumble(5 * HOUR), zone, columnar)
    assert clock.at(3, "22211") == []
    assert clock.at(5 * HOUR) == window(0, 5, "1 2", "2 3")
    assert clock.at(5 * HOUR, "111") == []
    assert clock.at(10 * HOUR + 1000) == window(5, 10, "1 3")


@by_clocks
def test_hop(zone: str, columnar: bool) -> None:
    """testProcessingTimeHoppingWindows."""
    clock = Clocked(hop(3 * HOUR, HOUR), zone, columnar)
    assert clock.at(3, "2") == []
    assert clock.at(HOUR) == window(-2, 1, "2 1")
    assert clock.at(HOUR, "22") == []
    assert clock.at(2 * HOUR) == window(-1, 2, "2 3")
    assert clock.at(2 * HOUR, "11") == []
    assert clock.at(3 * HOUR) == window(0, 3, "1 2", "2 3")
    assert clock.at(3 * HOUR, "111") == []
    assert clock.at(7 * HOUR) == [
        *window(1, 4, "1 5", "2 2"), *window(2, 5, "1 5"), *window(3, 6, "1 3")
    ]  # fmt: skip


@by_clocks
def test_cumulate(zone: str, columnar: bool) -> None:
    """testProcessingTimeCumulativeWindows."""
    clock = Clocked(cumulate(DAY, 8 * HOUR), zone, columnar)
    assert clock.at(3, "2") == []
    assert clock.at(8 * HOUR) == window(0, 8, "2 1")
    assert clock.at(8 * HOUR, "22") == []
    assert clock.at(16 * HOUR) == window(0, 16, "2 3")
    assert clock.at(16 * HOUR, "11") == []
    assert clock.at(DAY) == window(0, 24, "1 2", "2 3")
    assert clock.at(DAY, "121") == []
    assert clock.at(2 * DAY + 8 * HOUR) == [
        *window(24, 32, "1 2", "2 1"), *window(24, 40, "1 2", "2 1"), *window(24, 48, "1 2", "2 1")
    ]  # fmt: skip


def test_watermarks_end_nothing(columnar: bool) -> None:
    spec = one_phase(tumble(1000), time=WindowTime(None, timestamp_ltz(3)))
    operator = WindowAggregate(spec, None, lambda: 100, columnar)
    assert told(operator.watermarked(marked_of([("+I", "a", 1, 0)], [(1, 5000)]))) == "W5000"
    assert told(operator.barrier()) == ""
