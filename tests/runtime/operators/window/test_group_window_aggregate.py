"""Windows of GROUP BY, a row at a time: Flink's WindowOperatorTest, and any cutting."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firesteel.runtime.dataflow.operator import MAX_WATERMARK, WatermarkedBatch
from firesteel.runtime.operators.window.group_window_aggregate import GroupWindowAggregate
from firesteel.runtime.spec.operators import AggregateSpec, GroupAggregateSpec
from firesteel.runtime.spec.window import Emit, GroupWindowAggregateSpec, WindowColumn, WindowTime
from firesteel.runtime.state.backend import SortedRunBackend
from firesteel.runtime.state.memory import MemoryStore
from firesteel.types.sql import BIGINT, INT, STRING, timestamp, timestamp_ltz
from tests.runtime.changes import Row, to_table
from tests.runtime.messages import Driver, all_rows
from tests.runtime.operators.window.windows import ZONES

TYPES = (STRING, INT, timestamp(3))
SUM = AggregateSpec("SUM", (1,), (INT,), INT)
COUNT = AggregateSpec("COUNT", (), (), BIGINT)
LIST = AggregateSpec("LISTAGG", (0,), (STRING,), STRING)
BORDERS = (WindowColumn.START, WindowColumn.END, WindowColumn.TIME)


def spec(
    size: int, slide: int | None = None, emit: Emit | None = None, *, calls: tuple[AggregateSpec, ...] = (SUM,
    COUNT), is_rowtime: bool = True, retracts: bool = False, update_before: bool = True, zone: str = "UTC",
) -> GroupWindowAggregateSpec:  # fmt: skip
    star = calls.index(COUNT) if retracts and COUNT in calls else None
    calls = tuple(replace(each, retract=retracts) for each in calls)
    aggregate = GroupAggregateSpec((0,), calls, TYPES, retracts, update_before, star, state_id="w")
    time = WindowTime(2, TYPES[2], zone) if is_rowtime else WindowTime(None, timestamp_ltz(3), zone)
    return GroupWindowAggregateSpec(
        aggregate, time, size, slide or size, BORDERS, emit or Emit(), emit is not None
    )


class Steps:
    """An operator driven over restarts: its clock is set by hand, and its output is sorted between marks."""

    def __init__(self, of: GroupWindowAggregateSpec) -> None:
        self._spec, self._store, self.now = of, MemoryStore(), 0
        self.restart()

    def restart(self) -> None:
        self._state = SortedRunBackend.open(self._store)
        self.operator = GroupWindowAggregate(self._spec, self._state, lambda: self.now)
        self._driver = Driver(self.operator, TYPES)

    @property
    def entries(self) -> int:
        """What is in state."""
        return self._state.entries

    def rows(self, text: str) -> list[str]:
        return self._driver.changes(text).split()

    def watermark(self, time: int) -> list[str]:
        return sorted(self._driver.watermark(time).split())

    def clock(self, now: int) -> list[str]:
        """The time of day goes on, in a micro-batch of its own."""
        self.now = now
        out = self._driver.barrier().split()
        self._state.commit()
        return sorted(out)


OUT_OF_ORDER = "+I key1 1 20, +I key1 1 0, +I key1 1 999, +I key2 1 1998, +I key2 1 1999, +I key2 1 1000"


def fired(*windows: str, zone: str) -> list[str]:
    """`key1 3 0 3000`: key, how many rows of value 1, and the window by UTC's clock."""
    cells = (each.split() for each in windows)
    spans = [(key, n, int(start), int(end)) for key, n, start, end in cells]
    ahead = ZONES[zone]
    return sorted(f"+I[{k},{n},{n},{s + ahead},{e + ahead},{e - 1}]" for k, n, s, e in spans)


by_clocks = pytest.mark.parametrize("zone", ZONES)


@by_clocks
def test_event_time_tumbling_windows(zone: str) -> None:
    """testEventTimeTumblingWindows."""
    step = Steps(spec(3000, zone=zone))
    assert step.rows("+I key2 1 3999, +I key2 1 3000") == []
    assert step.rows(OUT_OF_ORDER) == []
    assert [step.watermark(999), step.watermark(1999)] == [["W999"], ["W1999"]]
    assert step.clock(0) == []
    step.restart()
    assert step.watermark(2999) == [*fired("key1 3 0 3000", "key2 3 0 3000", zone=zone), "W2999"]
    assert [step.watermark(3999), step.watermark(4999)] == [["W3999"], ["W4999"]]
    assert step.watermark(5999) == [*fired("key2 2 3000 6000", zone=zone), "W5999"]
    assert [step.watermark(6999), step.watermark(7999)] == [["W6999"], ["W7999"]]


@by_clocks
def test_processing_time_tumbling_windows(zone: str) -> None:
    """testProcessingTimeTumblingWindows."""
    step = Steps(spec(3000, is_rowtime=False, zone=zone))
    step.now = 3
    assert step.rows("+I key2 1 0, +I key2 1 7000, +I key2 1 7000, +I key1 1 7000, +I key1 1 7000") == []
    assert step.clock(5000) == fired("key1 2 0 3000", "key2 3 0 3000", zone=zone)
    assert step.rows("+I key1 1 7000, +I key1 1 7000, +I key1 1 7000") == []
    assert step.clock(7000) == fired("key1 3 3000 6000", zone=zone)


@by_clocks
def test_lateness_without_a_trigger_of_its_own(zone: str) -> None:
    """testLateness: each late row sends the window anew."""
    step = Steps(spec(2000, None, Emit(lateness=500), zone=zone))
    step.rows("+I key2 1 500")
    assert step.watermark(1500) == ["W1500"]
    step.rows("+I key2 1 1300")
    (first,) = fired("key2 2 0 2000", zone=zone)
    assert step.watermark(2300) == [first, "W2300"]
    assert step.rows("+I key2 1 1997") == [
        first.replace("+I", "-U"),
        first.replace("+I[key2,2,2", "+U[key2,3,3"),
    ]
    assert step.watermark(6000) == ["W6000"]
    assert step.rows("+I key2 1 1998") == []
    assert step.watermark(7000) == ["W7000"]
    assert step.operator.late == 1


def test_a_window_is_cleared_behind_its_lateness() -> None:
    """testCleanupTimerWithEmptyReduceStateForTumblingWindows."""
    step = Steps(spec(2000, None, Emit(lateness=1)))
    assert step.rows("+I key2 1 1000") == []
    assert step.watermark(1599) == ["W1599"]
    assert step.watermark(1999) == ["+I[key2,1,1,0,2000,1999]", "W1999"]
    assert [step.watermark(2000), step.watermark(5000)] == [["W2000"], ["W5000"]]
    assert step.clock(0) == []
    assert step.entries == 1  # the watermark


def test_event_time_sliding_windows() -> None:
    """testEventTimeSlidingWindows."""
    step = Steps(spec(3000, 1000))
    assert step.rows("+I key2 1 3999, +I key2 1 3000") == []
    assert step.rows(OUT_OF_ORDER) == []
    assert step.watermark(999) == ["+I[key1,3,3,-2000,1000,999]", "W999"]
    assert step.watermark(1999) == ["+I[key1,3,3,-1000,2000,1999]", "+I[key2,3,3,-1000,2000,1999]", "W1999"]
    assert step.watermark(2999) == ["+I[key1,3,3,0,3000,2999]", "+I[key2,3,3,0,3000,2999]", "W2999"]
    assert step.clock(0) == []
    step.restart()
    assert step.watermark(3999) == ["+I[key2,5,5,1000,4000,3999]", "W3999"]
    assert step.watermark(4999) == ["+I[key2,2,2,2000,5000,4999]", "W4999"]
    assert step.watermark(5999) == ["+I[key2,2,2,3000,6000,5999]", "W5999"]
    assert step.watermark(6999) == ["W6999"]


def test_processing_time_sliding_windows() -> None:
    """testProcessingTimeSlidingWindows."""
    step = Steps(spec(3000, 1000, is_rowtime=False))
    step.now = 3
    assert step.rows("+I key2 1 0") == []
    assert step.clock(1000) == ["+I[key2,1,1,-2000,1000,999]"]
    assert step.rows("+I key2 1 0, +I key2 1 0") == []
    assert step.clock(2000) == ["+I[key2,3,3,-1000,2000,1999]"]
    assert step.rows("+I key1 1 0, +I key1 1 0") == []
    assert step.clock(3000) == ["+I[key1,2,2,0,3000,2999]", "+I[key2,3,3,0,3000,2999]"]
    assert step.rows("+I key1 1 0, +I key1 1 0, +I key1 1 0") == []
    assert step.clock(7000) == [
        "+I[key1,3,3,3000,6000,5999]", "+I[key1,5,5,1000,4000,3999]", "+I[key1,5,5,2000,5000,4999]",
        "+I[key2,2,2,1000,4000,3999]",
    ]  # fmt: skip
    assert step.watermark(MAX_WATERMARK) == ["WMAX"]


@pytest.mark.parametrize("late", [None, 0])
def test_early_and_late_firings(late: int | None) -> None:
    """testEventTimeTumblingWindowsWithEarlyFiring, ...WithEarlyAndLateFirings."""
    step = Steps(spec(3000, None, Emit(1000, late, 0 if late is None else 3000)))
    assert step.rows("+I key2 1 3999, +I key2 1 3000") == []
    step.now = 1
    assert step.rows(OUT_OF_ORDER) == []
    assert step.clock(1000) == ["+I[key2,2,2,3000,6000,5999]"]
    assert step.watermark(999) == ["W999"]
    assert step.clock(1001) == ["+I[key1,3,3,0,3000,2999]", "+I[key2,3,3,0,3000,2999]"]
    assert step.watermark(1999) == ["W1999"]
    assert step.clock(2001) == []
    step.restart()
    assert step.clock(3001) == []
    assert step.watermark(2999) == ["W2999"]
    assert step.rows("+I key2 1 4999") == []
    assert step.watermark(3999) == ["W3999"]
    assert step.clock(4001) == ["+U[key2,3,3,3000,6000,5999]", "-U[key2,2,2,3000,6000,5999]"]
    taken = [
        "-U[key2,3,3,0,3000,2999]", "+U[key2,4,4,0,3000,2999]", "-U[key1,3,3,0,3000,2999]",
        "+U[key1,4,4,0,3000,2999]",
    ]  # fmt: skip
    assert step.rows("+I key2 1 2001, +I key1 1 2030") == ([] if late is None else taken)
    assert step.clock(5100) == []
    assert step.rows("+I key2 1 5122") == []
    assert step.watermark(4999) == ["W4999"]
    assert step.watermark(5999) == ["+U[key2,4,4,3000,6000,5999]", "-U[key2,3,3,3000,6000,5999]", "W5999"]
    assert step.clock(6001) == []
    assert step.watermark(7999) == ["W7999"]
    assert step.rows("+I key2 1 2877, +I key1 1 2899") == []


def test_late_firings_by_the_clock_come_after_the_end() -> None:
    step = Steps(spec(3000, None, Emit(None, 500, 3000)))
    assert step.rows("+I a 1 0") == []
    assert step.watermark(3500) == ["+I[a,1,1,0,3000,2999]", "W3500"]
    assert step.rows("+I a 2 1, +I a 3 2") == []
    assert step.clock(499) == []
    assert step.clock(500) == ["+U[a,6,3,0,3000,2999]", "-U[a,1,1,0,3000,2999]"]
    assert step.watermark(5999) == ["W5999"]
    assert step.rows("+I a 9 1") == []
    assert step.clock(9999) == []


def test_with_every_row_newest_window_first_and_nothing_twice() -> None:
    step = Steps(spec(4000, 2000, Emit(0), retracts=True))
    assert step.rows("+I a 1 2500, -D a 1 2500") == [
        "+I[a,1,1,2000,6000,5999]", "+I[a,1,1,0,4000,3999]", "-D[a,1,1,2000,6000,5999]",
        "-D[a,1,1,0,4000,3999]",
    ]  # fmt: skip
    assert step.rows("+I a 0 500, +I a 0 2500")[-2:] == ["-U[a,0,1,0,4000,3999]", "+U[a,0,2,0,4000,3999]"]
    assert step.watermark(MAX_WATERMARK) == ["WMAX"]


def test_panes_are_merged_oldest_first() -> None:
    step = Steps(spec(15000, 5000, calls=(LIST,)))
    of = replace(step._spec, aggregate=replace(step._spec.aggregate, keys=()))
    whole = Driver(GroupWindowAggregate(of, None, lambda: 0), TYPES)
    assert whole.changes("+I 1 0 1000, +I 2 0 12000, +I 3 0 6000, +I 4 0 8000") == ""
    assert "+I[1,3,4,2,0,15000,14999]" in whole.watermark(MAX_WATERMARK)


@pytest.mark.parametrize(("size", "slide"), [(10, 4), (5, 10)])
def test_hops_of_any_length(size: int, slide: int) -> None:
    """Where the slide is longer than the window, rows in the gaps are in none."""
    step = Steps(spec(size, slide))
    assert step.rows("+I a 1 3, +I a 1 9") == []
    out = step.watermark(MAX_WATERMARK)[:-1]
    starts = [s for s in range(-8, 12, 1) if s % slide == 0 and any(s <= t < s + size for t in (3, 9))]
    counts = [sum(s <= t < s + size for t in (3, 9)) for s in starts]
    pairs = zip(starts, counts, strict=True)
    assert out == sorted(f"+I[a,{n},{n},{s},{s + size},{s + size - 1}]" for s, n in pairs)


# --- any cutting ---------------------------------------------------------------------------------
steps = st.lists(
    st.tuples(st.sampled_from("ab"), st.integers(-3, 9), st.integers(0, 30), st.integers(0, 9)), max_size=14
)
EMITS = (None, Emit(0), Emit(None, 0, 6), Emit(0, 0, 9))


def run(of: GroupWindowAggregateSpec, rows: list[tuple[str, int, int, int]], cuts: set[int]) -> list[Row]:
    """The output of an input that is cut into micro-batches."""
    store, epoch = MemoryStore(), datetime(1970, 1, 1)
    changes = [
        ("-D" if value < 0 and of.aggregate.input_retracts else "+I", key, value, epoch + timedelta(0, 0, 1000
        * time)) for key, value, time, _ in rows
    ]  # fmt: skip
    marks = [(time - move, at) for at, (_, _, time, move) in enumerate(rows) if move > 4]
    marks.append((MAX_WATERMARK, len(rows) - 1))
    out: list[Row] = []
    for low, high in pairwise(sorted({0, len(rows), *(cut for cut in cuts if cut < len(rows))})):
        state = SortedRunBackend.open(store)
        operator = GroupWindowAggregate(of, state, lambda: 0)
        mine = [mark for mark in marks if low <= mark[1] < high]
        times, at = (np.array([mark[i] for mark in mine], np.int64) for i in range(2))
        message = WatermarkedBatch(to_table(changes[low:high], TYPES, low), np.maximum.accumulate(times), at)
        out += all_rows([*operator.watermarked(message), *operator.barrier()])
        state.commit()
        if high == len(rows) and not cuts:
            assert state.entries == 1  # the watermark: nothing of windows that are over
    return out


@settings(max_examples=100, deadline=None)
@given(
    steps, st.sets(st.integers(1, 14), max_size=3), st.sampled_from(EMITS),
    st.sampled_from([(5, 5), (9, 3), (7, 2)]), st.booleans(),
)  # fmt: skip
def test_any_cutting_gives_the_same(
    rows: list[tuple[str, int, int, int]], cuts: set[int], emit: Emit | None, lengths: tuple[int, int],
    retracts: bool,
) -> None:  # fmt: skip
    of = spec(*lengths, emit, calls=(SUM, COUNT, LIST), retracts=retracts)
    assert run(of, rows, cuts) == run(of, rows, set())
