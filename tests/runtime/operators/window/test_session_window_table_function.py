"""SESSION without an aggregate: rows come out when their session fires, as one loop would send them."""

from __future__ import annotations

from datetime import datetime, timedelta
from itertools import pairwise
from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from firesteel.runtime.dataflow.operator import MAX_WATERMARK, MIN_WATERMARK, Watermark, WatermarkedBatch
from firesteel.runtime.operators.window.session_window_table_function import SessionWindowTableFunction
from firesteel.runtime.spec.window import SessionWindows, SessionWindowTableFunctionSpec, WindowTime
from firesteel.runtime.state.backend import SortedRunBackend
from firesteel.runtime.state.memory import MemoryStore
from firesteel.types.sql import INT, STRING, timestamp
from tests.runtime.changes import Row, to_table
from tests.runtime.messages import Driver, all_rows

TYPES = (STRING, INT, timestamp(3))
SPEC = SessionWindowTableFunctionSpec((0,), TYPES, SessionWindows(WindowTime(2, TYPES[2]), 5))
EPOCH = datetime(1970, 1, 1)


def driver() -> Driver:
    return Driver(SessionWindowTableFunction(SPEC, None, lambda: 0), TYPES)


def test_rows_wait_for_their_session_and_late_ones_are_lost() -> None:
    whole = driver()
    assert whole.changes("+I a 1 1, +I a 2 12, +I b 3 9") == ""
    assert whole.watermark(12).split() == ["+I[a,1,1,1,6,5]", "W12"]
    assert whole.changes("+I a 3 7, -U a 4 14, +U a 5 13, +I a 6 1") == ""
    assert whole.watermark(MAX_WATERMARK).split() == [
        "+I[b,3,9,9,14,13]", "+I[a,2,12,7,19,18]", "+I[a,3,7,7,19,18]", "-U[a,4,14,7,19,18]",
        "+U[a,5,13,7,19,18]", "WMAX",
    ]  # fmt: skip


def test_without_a_partition_all_rows_share_sessions() -> None:
    spec = SessionWindowTableFunctionSpec((), TYPES, SPEC.windows)
    whole = Driver(SessionWindowTableFunction(spec, None, lambda: 0), TYPES)
    out = whole.watermarked("+I a 1 1, +I b 2 5, +I a 3 11, +I a 4 40", (4, 15))
    assert out.split() == ["+I[a,1,1,1,10,9]", "+I[b,2,5,1,10,9]", "+I[a,3,11,11,16,15]", "W15"]


steps = st.lists(st.tuples(st.sampled_from("ab"), st.integers(0, 30), st.integers(0, 9)), max_size=14)


def moment(time: int) -> datetime:
    return EPOCH + timedelta(milliseconds=time)


def rows_of(steps: list[tuple[str, int, int]]) -> list[Row]:
    kinds = ("+I", "-U", "+U", "-D")
    return [(kinds[i % 4], key, i, moment(time)) for i, (key, time, _) in enumerate(steps)]


def run(steps: list[tuple[str, int, int]], cuts: set[int]) -> list[Row]:
    """The output of an input that is cut into micro-batches."""
    store, out, rows = MemoryStore(), list[Row](), rows_of(steps)
    marks = [(time - move, at) for at, (_, time, move) in enumerate(steps) if move > 4]
    for low, high in pairwise(sorted({0, len(rows), *(cut for cut in cuts if cut < len(rows))})):
        state = SortedRunBackend(store)
        operator = SessionWindowTableFunction(SPEC, state, lambda: 0)
        mine = [mark for mark in marks if low <= mark[1] < high]
        times, at = (np.array([mark[i] for mark in mine], np.int64) for i in range(2))
        message = WatermarkedBatch(to_table(rows[low:high], TYPES, low), np.maximum.accumulate(times), at)
        out += all_rows([*operator.watermarked(message), *operator.barrier()])
        state.commit()
    last = SessionWindowTableFunction(SPEC, SortedRunBackend(store), lambda: 0)
    return out + all_rows(last.watermark(Watermark(MAX_WATERMARK)))


def reference(steps: list[tuple[str, int, int]]) -> list[Row]:
    mark, live, out = MIN_WATERMARK, list[dict[str, Any]](), list[Row]()

    def fire(until: int) -> None:
        for each in sorted((e for e in live if e["end"] - 1 <= until), key=lambda e: e["end"]):
            live.remove(each)
            borders = (moment(each["start"]), moment(each["end"]), moment(each["end"] - 1))
            out.extend((*row, *borders) for row in sorted(each["rows"], key=lambda row: row[2]))

    for row, (key, time, move) in zip(rows_of(steps), steps, strict=True):
        mine = {"key": key, "start": time, "end": time + 5, "rows": [row]}
        for each in [e for e in live if e["key"] == key and e["start"] <= time + 5 and e["end"] >= time]:
            live.remove(each)
            mine["start"], mine["end"] = min(each["start"], mine["start"]), max(each["end"], mine["end"])
            mine["rows"] += each["rows"]
        if mine["end"] - 1 > mark:
            live.append(mine)
        if move > 4:
            mark = max(mark, time - move)
            fire(mark)
    fire(MAX_WATERMARK)
    return out


@settings(max_examples=80, deadline=None)
@given(steps, st.sets(st.integers(1, 14), max_size=3))
def test_any_cutting_gives_what_one_loop_gives(steps: list[tuple[str, int, int]], cuts: set[int]) -> None:
    found, wanted = run(steps, cuts), reference(steps)
    for key in "ab":
        assert [row for row in found if row[1] == key] == [row for row in wanted if row[1] == key]
