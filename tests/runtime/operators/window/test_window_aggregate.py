"""Aggregates of windows that the clock cuts, record by record as Flink's SlicingWindowAggOperatorTest has it.

Each trace runs in one phase and in two, and with the row handler alone; Flink's own by UTC's clock and by
Shanghai's.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from firesteel.runtime.operators.window.window_aggregate import WindowAggregate
from firesteel.runtime.spec.operators import AggregateSpec
from firesteel.runtime.spec.window import WindowAggregateSpec, WindowTime
from firesteel.runtime.state.backend import SortedRunBackend
from firesteel.runtime.state.memory import MemoryStore
from firesteel.types.sql import INT, timestamp_ltz
from tests.runtime.operators.window.windows import (
    COUNT,
    ZONES,
    InTwoPhases,
    cumulate,
    hop,
    marked_of,
    one_phase,
    table_of,
    told,
    tumble,
)

Make = Callable[[WindowAggregateSpec, SortedRunBackend], "WindowAggregate | InTwoPhases"]


@pytest.fixture(params=["one phase", "one phase by row", "two phases", "two phases by row"])
def make(request: pytest.FixtureRequest) -> Make:
    columnar = not request.param.endswith("by row")

    def made(spec: WindowAggregateSpec, state: SortedRunBackend) -> WindowAggregate | InTwoPhases:
        if request.param.startswith("one"):
            return WindowAggregate(spec, state, lambda: 0, columnar)
        return InTwoPhases(spec, state, columnar)

    return made


class Trace:
    """Rows and watermarks one by one, restored from its state on demand. zone: of the windows' clock, None
    for a time without one; what is told of windows is as if by UTC."""

    def __init__(self, make: Make, spec: WindowAggregateSpec, zone: str | None = None) -> None:
        if zone is not None:
            spec = replace(spec, time=replace(spec.time, type=timestamp_ltz(3), zone=zone))
        self._make, self._spec, self._store = make, spec, MemoryStore()
        self._ahead = ZONES[zone] if zone is not None else 0
        self._order = 0
        self._open()

    def rows(self, text: str) -> str:
        """`a 1 20` is key, value, time."""
        rows = []
        for part in text.split(","):
            *kind, key, value, time = part.split()
            rows.append((kind[0] if kind else "+I", key, int(value), int(time)))
        self._order += len(rows)
        return told(self._operator.changes(table_of(rows, self._order - len(rows))), self._ahead)

    def watermark(self, time: int) -> str:
        return told(self._operator.watermarked(marked_of([], [(0, time)], self._order)), self._ahead)

    def restart(self) -> None:
        """The state is written, and another process goes on with it."""
        list(self._operator.barrier())
        self._state.commit()
        self._open()

    @property
    def dropped(self) -> int:
        operator = self._operator
        return (operator.whole if isinstance(operator, InTwoPhases) else operator).late

    def _open(self) -> None:
        self._state = SortedRunBackend(self._store)
        self._operator = self._make(self._spec, self._state)


ROWS = "k2 1 3999, k2 1 3000, k1 1 20, k1 1 0, k1 1 999, k2 1 1998, k2 1 1999, k2 1 1000"

by_clocks = pytest.mark.parametrize("zone", ZONES)


@by_clocks
def test_tumble(make: Make, zone: str) -> None:
    """testEventTimeTumblingWindows."""
    trace = Trace(make, one_phase(tumble(3000)), zone)
    assert trace.rows(ROWS) == ""
    assert trace.watermark(999) == "W999"
    assert trace.watermark(1999) == "W1999"
    trace.restart()
    assert trace.watermark(2999) == "k1 3 3 [0,3000) | k2 3 3 [0,3000) | W2999"
    assert trace.watermark(3999) == "W3999"
    assert trace.rows("k1 1 2500") == ""
    assert trace.watermark(4999) == "W4999"
    assert trace.rows("k2 1 2999") == ""
    assert trace.watermark(5999) == "k2 2 2 [3000,6000) | W5999"
    assert [trace.watermark(6999), trace.watermark(7999)] == ["W6999", "W7999"]
    assert trace.dropped == 2
    trace.restart()
    assert trace.rows("k1 1 5999") == ""
    assert trace.dropped == 1


@by_clocks
def test_hop(make: Make, zone: str) -> None:
    """testEventTimeHoppingWindows."""
    trace = Trace(make, one_phase(hop(3000, 1000)), zone)
    trace.rows(ROWS)
    assert trace.watermark(999) == "k1 3 3 [-2000,1000) | W999"
    assert trace.watermark(1999) == "k1 3 3 [-1000,2000) | k2 3 3 [-1000,2000) | W1999"
    assert trace.watermark(2999) == "k1 3 3 [0,3000) | k2 3 3 [0,3000) | W2999"
    trace.restart()
    assert trace.watermark(3999) == "k2 5 5 [1000,4000) | W3999"
    trace.rows("k2 1 3500")  # late for [1000,4000), in time for two more
    assert trace.watermark(4999) == "k2 3 3 [2000,5000) | W4999"
    trace.rows("k1 1 2999")  # late for all of its windows
    assert trace.watermark(5999) == "k2 3 3 [3000,6000) | W5999"
    assert [trace.watermark(6999), trace.watermark(7999)] == ["W6999", "W7999"]
    assert trace.dropped == 1


@by_clocks
def test_cumulate(make: Make, zone: str) -> None:
    """testEventTimeCumulativeWindows."""
    trace = Trace(make, one_phase(cumulate(3000, 1000)), zone)
    trace.rows(ROWS.replace("3999", "2999"))
    assert trace.watermark(999) == "k1 3 3 [0,1000) | W999"
    assert trace.watermark(1999) == "k1 3 3 [0,2000) | k2 3 3 [0,2000) | W1999"
    trace.restart()
    trace.rows("k2 1 1000")  # does not fire [0,2000) again
    assert trace.watermark(1999) == "W1999"
    assert trace.watermark(2999) == "k1 3 3 [0,3000) | k2 5 5 [0,3000) | W2999"
    assert trace.watermark(3999) == "k2 1 1 [3000,4000) | W3999"
    trace.rows("k1 2 3500")  # late for [3000,4000)
    assert trace.watermark(4999) == "k1 2 1 [3000,5000) | k2 1 1 [3000,5000) | W4999"
    trace.rows("k1 1 2999")
    trace.restart()
    assert trace.watermark(5999) == "k1 2 1 [3000,6000) | k2 1 1 [3000,6000) | W5999"
    assert [trace.watermark(6999), trace.watermark(7999)] == ["W6999", "W7999"]
    trace.rows("k1 1 2999")
    assert trace.dropped == 1


def test_a_watermark_that_passes_several_windows_fires_them_by_their_ends(make: Make) -> None:
    trace = Trace(make, one_phase(tumble(3000, offset=-1000)))
    trace.rows("k 1 -1001, k 2 -1000, k 3 1999, k 4 2000")
    fired = "k 1 1 [-4000,-1000) | k 5 2 [-1000,2000) | k 4 1 [2000,5000)"
    assert trace.watermark(100_000) == f"{fired} | W100000"


def test_a_window_whose_rows_were_taken_back_is_empty(make: Make) -> None:
    trace = Trace(make, one_phase(tumble(1000), retracts=True))
    trace.rows("+I a 1 10, -D a 1 10, +I b 1 10, -U b 1 10, +U b 5 20, -D c 7 30")
    assert trace.watermark(999) == "b 5 1 [0,1000) | c -7 -1 [0,1000) | W999"


def test_what_comes_late_to_a_slice_is_merged_there_first(make: Make) -> None:
    """Of two values one is taken back late: the deviation of the other is none. A merge of a count below
    zero leaves the squares as they are, so it must meet the value that it takes back."""
    deviation = AggregateSpec("STDDEV_POP", (1,), (INT,), INT, retract=True)
    trace = Trace(make, one_phase(hop(2000, 1000), (COUNT, deviation), retracts=True))
    trace.rows("k -1 100, k -9 1100")
    assert trace.watermark(999) == "k 1 0 [-1000,1000) | W999"
    trace.rows("-U k -1 100")
    assert trace.watermark(1999) == "k 1 0 [0,2000) | W1999"


def test_an_hour_that_the_clock_shows_twice_is_one_window(make: Make) -> None:
    """New York, 2026-11-01: 05:30Z and 06:30Z are both 01:30, and its 02:00 is 07:00Z."""
    hour, start = 3_600_000, 1_793_509_200_000  # 05:00Z
    time = WindowTime(2, timestamp_ltz(3), "America/New_York")
    trace = Trace(make, one_phase(tumble(hour), time=time))
    trace.rows(f"k 1 {start + hour // 2}, k 1 {start + hour}")
    assert trace.watermark(start + hour + hour // 3) == f"W{start + hour + hour // 3}"
    trace.rows(f"k 1 {start + hour - 1}, k 1 {start + 2 * hour}")
    assert trace.dropped == 0
    border = start - 4 * hour  # 01:00 as if in UTC
    assert trace.watermark(start + 2 * hour - 2) == f"W{start + 2 * hour - 2}"
    fired = f"k 3 3 [{border},{border + hour})"
    assert trace.watermark(start + 2 * hour - 1) == f"{fired} | W{start + 2 * hour - 1}"


def test_windows_by_processing_time_end_with_the_clock() -> None:
    now = 0
    spec = one_phase(tumble(1000), time=WindowTime(None, timestamp_ltz(3)))
    operator = WindowAggregate(spec, None, lambda: now)
    said = []
    for now, rows in ((100, "a"), (999, "ab"), (1500, "b"), (2500, "")):
        table = table_of([("+I", key, 1, 0) for key in rows], now)
        said.append(told([*operator.watermarked(marked_of([], [(0, 5000)])), *operator.changes(table)]))
        said.append(told(operator.barrier()))
    assert said == ["W5000", "", "W5000", "a 2 2 [0,1000) | b 1 1 [0,1000)", "W5000", "", "W5000",
                    "b 1 1 [1000,2000)"]  # fmt: skip
