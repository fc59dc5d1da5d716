"""Ranks of windows: what they send at the end of each window, and any cutting sends the same."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firesteel.runtime.dataflow.operator import MAX_WATERMARK, MIN_WATERMARK, Watermark, WatermarkedBatch
from firesteel.runtime.operators.attached_window import window_rank
from firesteel.runtime.operators.attached_window.window_rank import WindowRank
from firesteel.runtime.spec.attached_window import AttachedWindow, WindowRankSpec
from firesteel.runtime.state.backend import SortedRunBackend
from firesteel.runtime.state.memory import MemoryStore
from firesteel.runtime.state.order_codes import SortOrder
from firesteel.types.sql import INT, STRING, timestamp
from tests.runtime.changes import Row, to_table
from tests.runtime.messages import Driver, all_rows
from tests.scale import examples

TYPES = (STRING, INT, INT, timestamp(3), timestamp(3))
"""key, value, id, window start, window end."""
TOP = WindowRankSpec(TYPES, AttachedWindow(3, 4), (0,), (1,), (SortOrder(descending=True),), 1, 2)
FIRST = replace(TOP, sort=(1,), orders=(SortOrder(),), end=1)
LAST = replace(FIRST, orders=(SortOrder(descending=True),), last_first=True)
EPOCH = datetime(1970, 1, 1)


def driver(spec: WindowRankSpec) -> Driver:
    return Driver(WindowRank(spec, None), TYPES)


def test_a_window_sends_its_first_rows_when_it_ends() -> None:
    """As WindowRankOperatorTest: windows in their order, within a key by rank, late rows dropped."""
    drive = driver(replace(TOP, with_number=True))
    assert drive.changes("+I a 1 1 0 10, +I a 4 2 0 10, +I b 3 3 0 10, +I a 3 4 0 10, +I a 9 5 10 20") == ""
    assert drive.watermark(8) == "W8"
    assert drive.changes("+I a 2 6 0 10") == ""
    out = drive.watermark(9).split()
    assert sorted(out[:-1]) == ["+I[a,3,4,0,10,2]", "+I[a,4,2,0,10,1]", "+I[b,3,3,0,10,1]"]
    assert out[-1] == "W9"
    assert drive.changes("+I a 100 7 0 10") == ""
    assert drive.watermark(MAX_WATERMARK) == "+I[a,9,5,10,20,1] WMAX"


def test_ranks_before_the_first_are_left_out() -> None:
    drive = driver(replace(TOP, start=2, end=3, with_number=True))
    drive.changes("+I a 5 1 0 10, +I a 4 2 0 10, +I a 3 3 0 10, +I a 2 4 0 10")
    assert drive.watermark(9) == "+I[a,4,2,0,10,2] +I[a,3,3,0,10,3] W9"


def test_equal_rows_keep_their_order_of_arrival() -> None:
    for spec, kept in ((FIRST, 1), (replace(FIRST, orders=(SortOrder(descending=True),)), 1), (LAST, 3)):
        drive = driver(spec)
        drive.changes("+I a 7 1 0 10, +I a 7 2 0 10")
        drive.changes("+I a 7 3 0 10")
        assert drive.watermark(9) == f"+I[a,7,{kept},0,10] W9"


@pytest.mark.parametrize(("zone", "hours"), [("UTC", 0), ("Asia/Shanghai", 8)])
@pytest.mark.parametrize(("spec", "kept"), [(FIRST, 2), (LAST, 4)])
def test_a_deduplication_keeps_one_row_of_each_window_and_key(
    spec: WindowRankSpec, kept: int, zone: str, hours: int
) -> None:
    """As RowTimeWindowDeduplicateOperatorTest: rows out of order, of several windows, and a late one."""
    day = 86_400_000
    operator = WindowRank(replace(spec, window=AttachedWindow(3, 4, zone)), None)
    drive = Driver(operator, TYPES)
    drive.changes(f"+I a 20 1 0 {day}, +I a 10 2 0 {day}, +I a 30 3 0 {day}, +I a 30 4 0 {day}")
    drive.changes(f"+I b 7 5 0 {day}, +I a 10 6 0 {day}, +I a 99 7 {day} {2 * day}")
    end = day - hours * 3_600_000 - 1
    assert drive.watermark(end - 1) == f"W{end - 1}"
    out = drive.watermark(end).split()
    value = 10 if spec is FIRST else 30
    assert sorted(out[:-1]) == [f"+I[a,{value},{kept},0,{day}]", f"+I[b,7,5,0,{day}]"]
    drive.changes(f"+I a 1 8 0 {day}, +I a 98 9 {day} {2 * day}, +I a 99 10 {day} {2 * day}")
    assert operator.late == 1
    last = "98,9" if spec is FIRST else "99,10"
    assert drive.watermark(MAX_WATERMARK) == f"+I[a,{last},{day},{2 * day}] WMAX"


def test_null_is_the_least_value_and_a_key_of_its_own() -> None:
    drive = driver(TOP)
    drive.changes("+I a null 1 0 10, +I null 2 2 0 10, +I null 3 3 0 10, +I null 1 4 0 10")
    assert sorted(drive.watermark(9).split()) == [
        "+I[a,null,1,0,10]", "+I[null,2,2,0,10]", "+I[null,3,3,0,10]", "W9",
    ]  # fmt: skip


def test_windows_of_one_end_are_distinguished_by_their_start() -> None:
    """As those of sessions of several keys; Flink ranks them together."""
    drive = driver(replace(TOP, partition=(), end=1))
    drive.changes("+I a 5 1 0 10, +I b 4 2 3 10, +I b 7 3 3 10")
    assert set(drive.watermark(9).split()) == {"+I[a,5,1,0,10]", "+I[b,7,3,3,10]", "W9"}


def test_a_window_of_local_time_fires_at_its_second_end_where_clocks_go_back() -> None:
    hour = 3_600_000
    start = int((datetime(2026, 11, 1, 1) - EPOCH).total_seconds()) * 1000  # 01:00 in New York, twice
    spec = replace(TOP, window=AttachedWindow(3, 4, "America/New_York"))
    drive = driver(spec)
    drive.changes(f"+I a 1 1 {start} {start + hour}")
    first, second = (start + shift * hour for shift in (5, 6))  # 02:00 local, before and after the change
    assert drive.watermark(first) == f"W{first}"
    assert drive.watermark(second).startswith("+I[a,1,1,")


def test_rows_that_have_fallen_behind_are_dropped_from_state(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(window_rank, "FEW", 4)
    operator = WindowRank(TOP, None)
    drive = Driver(operator, TYPES)
    for number in range(100):
        drive.changes(f"+I a {number} {number} 0 10, +I a 0 {number} 0 10")
        assert operator.stored <= 2 * 2 + 4 + 2
    assert drive.watermark(9) == "+I[a,99,99,0,10] +I[a,98,98,0,10] W9"
    assert operator.stored == 0


steps = st.lists(
    st.tuples(st.sampled_from("ab"), st.integers(0, 3), st.integers(0, 30), st.integers(0, 9)), max_size=25
)


def moment(time: int) -> datetime:
    return EPOCH + timedelta(milliseconds=time)


def rows_of(steps: list[tuple[str, int, int, int]]) -> list[Row]:
    return [
        ("+I", key, value, i, moment(time // 10 * 10), moment(time // 10 * 10 + 10))
        for i, (key, value, time, _) in enumerate(steps)
    ]


Steps = list[tuple[str, int, int, int]]
"""key, value, time, how far a watermark is behind it; up to 4 there is none."""


def run(spec: WindowRankSpec, steps: Steps, cuts: set[int]) -> tuple[list[Row], int]:
    """The output of an input that is cut into micro-batches, and how many rows were late."""
    store, out, rows, late = MemoryStore(), list[Row](), rows_of(steps), 0
    marks = [(time - move, at) for at, (*_, time, move) in enumerate(steps) if move > 4]
    for low, high in pairwise(sorted({0, len(rows), *(cut for cut in cuts if cut < len(rows))})):
        state = SortedRunBackend(store)
        operator = WindowRank(spec, state)
        mine = [mark for mark in marks if low <= mark[1] < high]
        times, at = (np.array([mark[i] for mark in mine], np.int64) for i in range(2))
        message = WatermarkedBatch(to_table(rows[low:high], TYPES, low), np.maximum.accumulate(times), at)
        out += all_rows([*operator.watermarked(message), *operator.barrier()])
        late += operator.late
        state.commit()
    last = WindowRank(spec, SortedRunBackend(store))
    return out + all_rows(last.watermark(Watermark(MAX_WATERMARK))), late


def reference(spec: WindowRankSpec, steps: Steps) -> tuple[list[Row], int]:
    mark, live, out, late = MIN_WATERMARK, list[Row](), list[Row](), 0
    down = spec.orders[0].descending

    def fire(until: int) -> None:
        due = [row for row in live if row[5] <= moment(min(until, 100) + 1)]
        for end in sorted({row[5] for row in due}):
            for key in "ab":
                mine = [row for row in due if (row[1], row[5]) == (key, end)]
                mine.sort(
                    key=lambda row: (-row[2] if down else row[2], -row[3] if spec.last_first else row[3])
                )
                out.extend(mine[spec.start - 1 : spec.end])
        live[:] = [row for row in live if row not in due]

    for row, (*_, time, move) in zip(rows_of(steps), steps, strict=True):
        if (row[5] - EPOCH) // timedelta(milliseconds=1) - 1 > mark:
            live.append(row)
        else:
            late += 1
        if move > 4:
            mark = max(mark, time - move)
            fire(mark)
    fire(MAX_WATERMARK)
    return out, late


@settings(max_examples=examples(300), deadline=None)
@given(
    st.sampled_from([TOP, FIRST, LAST, replace(TOP, start=2, end=3)]),
    steps,
    st.sets(st.integers(1, 25), max_size=4),
    st.sampled_from([0, 2, 1 << 12]),
)
def test_any_cutting_gives_what_one_loop_gives(
    spec: WindowRankSpec, steps: Steps, cuts: set[int], few: int
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(window_rank, "FEW", few)
        found, late = run(spec, steps, cuts)
    wanted, dropped = reference(spec, steps)
    assert late == dropped
    assert [row[5] for row in found] == [row[5] for row in wanted], (
        "windows are not in the order of their end"
    )
    for key in "ab":
        assert [row for row in found if row[1] == key] == [row for row in wanted if row[1] == key]
