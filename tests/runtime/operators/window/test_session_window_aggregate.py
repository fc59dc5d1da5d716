"""Aggregation by session: Flink's WindowOperatorTest line by line, and any cutting of the input."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firesteel.runtime.dataflow.operator import MAX_WATERMARK, MIN_WATERMARK, Watermark, WatermarkedBatch
from firesteel.runtime.operators.window.session_window_aggregate import SessionWindowAggregate
from firesteel.runtime.spec.operators import AggregateSpec, GroupAggregateSpec
from firesteel.runtime.spec.window import SessionWindowAggregateSpec, SessionWindows, WindowColumn, WindowTime
from firesteel.runtime.state.backend import SortedRunBackend
from firesteel.runtime.state.base import StateBackend
from firesteel.runtime.state.memory import MemoryStore
from firesteel.types.sql import BIGINT, DOUBLE, INT, STRING, SqlType, timestamp, timestamp_ltz
from tests.runtime.changes import Row, to_table
from tests.runtime.messages import Driver, all_rows

TYPES = (STRING, INT, timestamp(3))
SUM = AggregateSpec("SUM", (1,), (INT,), INT)
COUNT = AggregateSpec("COUNT", (), (), BIGINT)
MAX = AggregateSpec("MAX", (1,), (INT,), INT)
DISTINCT = AggregateSpec("COUNT", (1,), (INT,), BIGINT, distinct=True)
BORDERS = (WindowColumn.START, WindowColumn.END, WindowColumn.TIME)


def spec(
    *calls: AggregateSpec, retracts: bool = False, types: tuple[SqlType, ...] = TYPES, gap: int = 3000,
    zone: str = "UTC",
) -> SessionWindowAggregateSpec:  # fmt: skip
    calls = tuple(replace(each, retract=retracts) for each in calls)
    star = next((i for i, each in enumerate(calls) if not each.args), None) if retracts else None
    aggregate = GroupAggregateSpec((0,), calls, types, retracts, False, star, state_id="w")
    return SessionWindowAggregateSpec(aggregate, SessionWindows(WindowTime(2, types[2], zone), gap), BORDERS)


class Now:
    """A clock that is set by hand."""

    time = 0

    def __call__(self) -> int:
        return self.time


def driver(
    of: SessionWindowAggregateSpec, state: StateBackend | None = None, clock: Now | None = None
) -> Driver:
    return Driver(SessionWindowAggregate(of, state, clock or Now()), of.aggregate.input_types)


def lines(text: str) -> list[str]:
    return text.split()


def test_event_time_sessions_over_a_restart() -> None:
    """WindowOperatorTest.testEventTimeSessionWindows."""
    store = MemoryStore()
    state = SortedRunBackend(store)
    before = driver(spec(SUM, COUNT), state)
    assert before.changes("+I key2 1 0, +I key2 2 1000, +I key2 3 2500, +I key1 1 10, +I key1 2 1000") == ""
    assert before.barrier() == ""
    state.commit()
    operator = SessionWindowAggregate(spec(SUM, COUNT), SortedRunBackend.open(store), Now())
    after = Driver(operator, TYPES)
    assert (
        after.changes("+I key1 3 2500, +I key2 4 5501, +I key2 5 6000, +I key2 5 6000, +I key2 6 6050") == ""
    )
    assert lines(after.watermark(12000)) == [
        "+I[key2,6,3,0,5500,5499]", "+I[key1,6,3,10,5500,5499]", "+I[key2,20,4,5501,9050,9049]", "W12000",
    ]  # fmt: skip
    assert after.changes("+I key1 3 4000, +I key2 10 15000, +I key2 20 15000") == ""
    assert operator.late == 1
    assert lines(after.watermark(17999)) == ["+I[key2,30,2,15000,18000,17999]", "W17999"]
    assert after.watermark(MAX_WATERMARK) == "WMAX"


def test_processing_time_sessions() -> None:
    """WindowOperatorTest.testProcessingTimeSessionWindows: timers fire before rows of the same moment."""
    clock = Now()
    of = replace(spec(SUM, COUNT), windows=SessionWindows(WindowTime(None, timestamp_ltz(3)), 3000))
    whole = driver(of, None, clock)
    clock.time = 3
    assert whole.changes("+I key2 1 0") == ""
    clock.time = 1000
    assert whole.changes("+I key2 1 0") == ""
    clock.time = 5000
    assert lines(whole.changes("+I key2 1 0, +I key2 1 0, +I key1 1 0, +I key1 1 0, +I key1 1 0")) == [
        "+I[key2,2,2,3,4000,3999]"
    ]
    clock.time = 10000
    assert sorted(lines(whole.barrier())) == ["+I[key1,3,3,5000,8000,7999]", "+I[key2,2,2,5000,8000,7999]"]
    assert whole.watermark(MAX_WATERMARK) == "WMAX"


@pytest.mark.parametrize("mark", [5999, 3999])
def test_a_late_row_is_lost_but_where_its_session_lives(mark: int) -> None:
    """[1000, 4000) has fired at 3999; 2000 touches [4500, 7500), which has not."""
    whole = driver(spec(SUM), None)
    rows = "+I a 1 1000, +I a 2 4500, +I a 4 2000"
    out = whole.watermarked(rows, (1, 3999), (2, mark))
    assert lines(out) == ["+I[a,1,1000,4000,3999]", "W3999", f"W{mark}"]
    assert lines(whole.watermark(MAX_WATERMARK)) == ["+I[a,6,2000,7500,7499]", "WMAX"]
    assert whole.changes("+I a 9 4500") == ""
    assert whole.watermark(MAX_WATERMARK) == "WMAX"


def test_a_row_joins_two_sessions() -> None:
    whole = driver(spec(SUM, MAX, DISTINCT), None)
    assert whole.changes("+I a 1 0, +I a 1 6000") == ""
    assert whole.changes("+I a 7 3000") == ""
    assert lines(whole.watermark(8999)) == ["+I[a,9,7,2,0,9000,8999]", "W8999"]


def test_retractions_do_not_shrink_a_session() -> None:
    whole = driver(spec(SUM, MAX, retracts=True), None)
    assert whole.changes("+I a 1 0, +I a 5 2000, +I b 3 1000, -U a 1 0, -D b 3 1000") == ""
    assert whole.changes("-U a 5 2000, +U a 6 4000") == ""
    assert lines(whole.watermark(20000)) == ["+I[a,6,6,0,7000,6999]", "W20000"]


def test_sessions_of_local_time() -> None:
    """06:30Z and 07:10Z on 2026-03-08 in New York are 40 minutes apart, and 100 on the clock."""
    first, second = 1_772_951_400_000, 1_772_953_800_000
    types = (STRING, INT, timestamp_ltz(3))
    whole = driver(spec(COUNT, types=types, gap=2_400_000, zone="America/New_York"))
    assert whole.changes(f"+I a 1 {first}, +I a 1 {second}") == ""
    hours = 3_600_000
    start, other = first - 5 * hours, second - 4 * hours
    assert lines(whole.watermark(MAX_WATERMARK)) == [
        f"+I[a,1,{start},{start + 2_400_000},{first + 2_400_000 - 1}]",
        f"+I[a,1,{other},{other + 2_400_000},{second + 2_400_000 - 1}]",
        "WMAX",
    ]


def test_borders_that_a_function_below_has_found() -> None:
    types = (STRING, INT, timestamp(3), timestamp(3))
    of = spec(SUM, COUNT, types=types)
    of = replace(of, windows=replace(of.windows, borders=(2, 3)))
    whole = driver(of)
    assert whole.changes("+I a 1 0 5000, +I a 2 0 5000, +I a 4 9000 12000") == ""
    assert lines(whole.watermarked("+I a 8 0 5000, +I a 9 0 5000, +I a 1 9000 12000", (1, 4999))) == [
        "+I[a,11,3,0,5000,4999]", "W4999",
    ]  # fmt: skip
    assert lines(whole.watermark(MAX_WATERMARK)) == ["+I[a,5,2,9000,12000,11999]", "WMAX"]


# --- any cutting ---------------------------------------------------------------------------------
Step = tuple[str, int, int, int]
"""A row's key, value and time, and how far the watermark comes behind it, less than 5 for none."""

steps = st.lists(
    st.tuples(st.sampled_from("ab"), st.integers(-3, 9), st.integers(0, 30), st.integers(0, 9)), max_size=14
)
EPOCH = datetime(1970, 1, 1)


def changes_of(rows: list[Step], retracts: bool, unit: float = 1) -> list[Row]:
    """The rows; a negative value takes back one that came before, where there may be retractions."""
    live: list[tuple[str, int, int]] = []
    changes: list[Row] = []
    for key, value, time, _ in rows:
        kind, row = "+I", (key, value, time)
        if value < 0 and retracts and live:
            kind, row = "-D", live.pop(value % len(live))
        else:
            live.append(row)
        changes.append((kind, row[0], row[1] * unit, EPOCH + timedelta(milliseconds=row[2])))
    return changes


def run(of: SessionWindowAggregateSpec, rows: list[Step], cuts: set[int], columnar: bool) -> list[Row]:
    """The output of an input that is cut into micro-batches, each a table with its watermarks."""
    store, types = MemoryStore(), of.aggregate.input_types
    unit = 0.1 if types[1] == DOUBLE else 1
    changes = changes_of(rows, of.aggregate.input_retracts, unit)
    marks = [(time - move, at) for at, (_, _, time, move) in enumerate(rows) if move > 4]
    out: list[Row] = []
    for low, high in pairwise(sorted({0, len(rows), *(cut for cut in cuts if cut < len(rows))})):
        state = SortedRunBackend(store)
        operator = SessionWindowAggregate(of, state, Now(), columnar)
        mine = [(time, at) for time, at in marks if low <= at < high]
        times, at = (np.array([mark[i] for mark in mine], np.int64) for i in range(2))
        message = WatermarkedBatch(to_table(changes[low:high], types, low), np.maximum.accumulate(times), at)
        out += all_rows([*operator.watermarked(message), *operator.barrier()])
        state.commit()
    last = SessionWindowAggregate(of, SortedRunBackend(store), Now(), columnar)
    return out + all_rows(last.watermark(Watermark(MAX_WATERMARK)))


def reference(of: SessionWindowAggregateSpec, rows: list[Step]) -> list[Row]:
    """SUM and COUNT by session, written as one loop."""
    gap, mark = of.windows.gap, MIN_WATERMARK
    live: list[list[Any]] = []
    out: list[Row] = []

    def fire(until: int) -> None:
        for each in sorted((e for e in live if e[2] - 1 <= until), key=lambda e: e[2]):
            live.remove(each)
            if each[4]:
                borders = [EPOCH + timedelta(milliseconds=t) for t in (*each[1:3], each[2] - 1)]
                out.append(("+I", each[0], each[3], each[4], *borders))

    for (kind, key, value, moment), (_, _, time, move) in zip(changes_of(rows, True), rows, strict=True):
        at, sign = (moment - EPOCH) // timedelta(milliseconds=1), -1 if kind == "-D" else 1
        mine = [key, at, at + gap, sign * value, sign]
        for each in [e for e in live if e[0] == key and e[1] <= at + gap and e[2] >= at]:
            live.remove(each)
            mine = [key, min(mine[1], each[1]), max(mine[2], each[2]), mine[3] + each[3], mine[4] + each[4]]
        if mine[2] - 1 > mark:
            live.append(mine)
        if move > 4:
            mark = max(mark, time - move)
            fire(mark)
    fire(MAX_WATERMARK)
    return out


def by_key(rows: list[Row]) -> dict[str, list[Row]]:
    return {key: [row for row in rows if row[1] == key] for key in "ab"}


@settings(max_examples=60, deadline=None)
@given(steps, st.sets(st.integers(1, 14), max_size=3), st.booleans())
def test_any_cutting_gives_what_one_loop_gives(rows: list[Step], cuts: set[int], columnar: bool) -> None:
    of = spec(replace(SUM, function="$SUM0"), COUNT, retracts=True, gap=5)
    assert by_key(run(of, rows, cuts, columnar)) == by_key(reference(of, rows))


@settings(max_examples=60, deadline=None)
@given(steps, st.sets(st.integers(1, 14), max_size=3), st.booleans())
def test_any_cutting_gives_the_same(rows: list[Step], cuts: set[int], retracts: bool) -> None:
    of = spec(MAX, DISTINCT, replace(SUM, distinct=True), retracts=retracts, gap=5)
    whole = by_key(run(of, rows, set(), True))
    assert by_key(run(of, rows, cuts, True)) == whole
    assert by_key(run(of, rows, cuts, False)) == whole


@settings(max_examples=40, deadline=None)
@given(steps, st.sets(st.integers(1, 14), max_size=3), st.booleans())
def test_floating_point_sums_go_on_where_they_were(rows: list[Step], cuts: set[int], retracts: bool) -> None:
    """To the last bit, where rows come in order, and no sessions are joined."""
    rows = sorted(rows, key=lambda row: row[2])
    calls = (AggregateSpec(name, (1,), (DOUBLE,), DOUBLE) for name in ("SUM", "AVG", "$WELFORD_M2$1"))
    of = spec(*calls, COUNT, retracts=retracts, types=(STRING, DOUBLE, timestamp(3)), gap=5)
    whole = repr(by_key(run(of, rows, set(), False)))
    assert repr(by_key(run(of, rows, cuts, True))) == whole
    of = replace(of, aggregate=replace(of.aggregate, calls=(*of.aggregate.calls[:2], of.aggregate.calls[3])))
    of = replace(of, aggregate=replace(of.aggregate, count_star=2 if retracts else None))
    whole = repr(by_key(run(of, rows, set(), False)))
    assert repr(by_key(run(of, rows, set(), True))) == whole
    assert repr(by_key(run(of, rows, cuts, True))) == whole
