"""Joins of windows: what they send at the end of each window, and any cutting sends the same."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from firesteel.functions.duckdb.calc_spec import CalcSpec
from firesteel.runtime.dataflow.operator import (
    MAX_WATERMARK,
    MIN_WATERMARK,
    PortBatch,
    Watermark,
    WatermarkedBatch,
)
from firesteel.runtime.operators.attached_window import window_join, window_pairs
from firesteel.runtime.operators.attached_window.window_join import WindowJoin
from firesteel.runtime.spec.attached_window import (
    AttachedWindow,
    WindowJoinInput,
    WindowJoinKind,
    WindowJoinSpec,
)
from firesteel.runtime.state.backend import SortedRunBackend
from firesteel.runtime.state.memory import MemoryStore
from firesteel.types.sql import INT, STRING, timestamp
from tests.runtime.changes import Row, to_table
from tests.runtime.messages import Driver, all_rows
from tests.scale import examples

TYPES = (STRING, INT, timestamp(3), timestamp(3))
"""key, id, window start, window end."""
SIDE = WindowJoinInput(TYPES, (0,), AttachedWindow(2, 3))
LESS = CalcSpec((), (), "f1 % 4 < f5 % 4")
EPOCH = datetime(1970, 1, 1)


def spec(kind: WindowJoinKind, condition: CalcSpec | None = None, null_safe: bool = False) -> WindowJoinSpec:
    return WindowJoinSpec(kind, (SIDE, SIDE), (null_safe,), condition)


def driver(of: WindowJoinSpec) -> Driver:
    return Driver(WindowJoin(of, None), TYPES, TYPES)


def sent(of: WindowJoinSpec) -> list[str]:
    """The rows that a window sends of [a 1, a 2, b 3, null 4] and [a 5, a 6, c 7, null 8]."""
    drive = driver(of)
    drive.changes("+I a 1 0 10, +I a 2 0 10, +I b 3 0 10, +I null 4 0 10")
    drive.changes("+I a 5 0 10, +I a 6 0 10, +I c 7 0 10, +I null 8 0 10", port=1)
    assert drive.watermark(9) == ""
    out = drive.watermark(9, port=1).split()
    assert out[-1] == "W9"
    return [_short(row) for row in out[:-1]]


def _short(row: str) -> str:
    """The keys and ids of a row: `a 1 a 5`, `- c 7`."""
    cells = row[3:-1].split(",")
    sides = [cells[i : i + 4] for i in range(0, len(cells), 4)]
    return " ".join("-" if side == ["null"] * 4 else f"{side[0]} {side[1]}" for side in sides)


PAIRS = ["a 1 a 5", "a 1 a 6", "a 2 a 5", "a 2 a 6"]


def test_each_kind_sends_its_rows_at_the_end_of_the_window() -> None:
    """As WindowJoinOperatorTest, for all kinds."""
    left, right = ["b 3 -", "null 4 -"], ["- c 7", "- null 8"]
    assert sent(spec(WindowJoinKind.INNER)) == PAIRS
    assert sorted(sent(spec(WindowJoinKind.LEFT))) == sorted([*PAIRS, *left])
    assert sorted(sent(spec(WindowJoinKind.RIGHT))) == sorted([*PAIRS, *right])
    assert sorted(sent(spec(WindowJoinKind.FULL))) == sorted([*PAIRS, *left, *right])
    assert sent(spec(WindowJoinKind.SEMI)) == ["a 1", "a 2"]
    assert sorted(sent(spec(WindowJoinKind.ANTI))) == ["b 3", "null 4"]


def test_null_equals_null_where_the_join_says_so() -> None:
    assert sorted(sent(spec(WindowJoinKind.INNER, null_safe=True))) == [*PAIRS, "null 4 null 8"]


def test_a_condition_counts_as_part_of_the_match() -> None:
    assert sent(spec(WindowJoinKind.INNER, LESS)) == ["a 1 a 6"]
    found = sent(spec(WindowJoinKind.FULL, LESS))
    mine = [row for row in found if "a " in row]
    assert mine == ["a 1 a 6", "a 2 -", "- a 5"], "rows of the right input follow those of the left one"
    assert sorted(set(found) - set(mine)) == ["- c 7", "- null 8", "b 3 -", "null 4 -"]
    assert sorted(sent(spec(WindowJoinKind.ANTI, LESS))) == ["a 2", "b 3", "null 4"]


def test_the_right_input_leads_where_it_is_padded() -> None:
    assert [row for row in sent(spec(WindowJoinKind.RIGHT)) if "a " in row] == [
        "a 1 a 5", "a 2 a 5", "a 1 a 6", "a 2 a 6",
    ]  # fmt: skip


def test_windows_wait_for_both_inputs_and_fire_in_order() -> None:
    drive = driver(spec(WindowJoinKind.INNER))
    drive.changes("+I a 1 10 20, +I a 2 0 10")
    drive.changes("+I a 3 10 20, +I a 4 0 10", port=1)
    assert drive.watermark(100) == ""
    assert drive.watermark(5, port=1) == "W5"
    assert drive.watermark(30, port=1) == "+I[a,2,0,10,a,4,0,10] +I[a,1,10,20,a,3,10,20] W30"


def test_a_row_is_late_by_the_watermark_of_its_own_input() -> None:
    operator = WindowJoin(spec(WindowJoinKind.FULL), None)
    drive = Driver(operator, TYPES, TYPES)
    drive.watermark(9)
    drive.changes("+I a 1 0 10, +I a 2 10 20")
    drive.changes("+I a 3 0 10", port=1)
    assert operator.late == 1
    assert drive.watermark(9, port=1) == "+I[null,null,null,null,a,3,0,10] W9"


def test_windows_of_one_end_are_distinguished_by_their_start() -> None:
    """As those of sessions; Flink joins them although the query holds their starts equal."""
    drive = driver(spec(WindowJoinKind.INNER))
    drive.changes("+I a 1 0 10, +I a 2 4 10")
    drive.changes("+I a 3 4 10", port=1)
    drive.watermark(9)
    assert drive.watermark(9, port=1) == "+I[a,2,4,10,a,3,4,10] W9"


@pytest.mark.parametrize(("zone", "hours"), [("UTC", 0), ("Asia/Shanghai", 8), ("America/New_York", -5)])
def test_windows_of_local_time_end_by_the_clock_of_their_zone(zone: str, hours: int) -> None:
    side = replace(SIDE, window=AttachedWindow(2, 3, zone))
    drive = Driver(
        WindowJoin(WindowJoinSpec(WindowJoinKind.LEFT, (side, side), (False,)), None), TYPES, TYPES
    )
    day = 86_400_000
    drive.changes(f"+I a 1 0 {day}, +I b 2 0 {day}, +I a 3 {day} {2 * day}")
    drive.changes(f"+I a 4 0 {day}", port=1)
    end = day - hours * 3_600_000 - 1
    drive.watermark(end)
    assert drive.watermark(end - 1, port=1) == f"W{end - 1}"
    out = drive.watermark(end, port=1).split()
    assert out[-1] == f"W{end}"
    assert sorted(map(_short, out[:-1])) == ["a 1 a 4", "b 2 -"]
    assert drive.changes(f"+I a 5 0 {day}", port=1) == "", "it is late"
    drive.watermark(MAX_WATERMARK)
    assert [_short(row) for row in drive.watermark(MAX_WATERMARK, port=1).split()[:-1]] == ["a 3 -"]


def test_without_keys_all_rows_of_a_window_meet() -> None:
    side = replace(SIDE, keys=())
    drive = Driver(WindowJoin(WindowJoinSpec(WindowJoinKind.INNER, (side, side), ()), None), TYPES, TYPES)
    drive.changes("+I a 1 0 10, +I null 2 0 10, +I a 9 10 20")
    drive.changes("+I b 3 0 10", port=1)
    drive.watermark(9)
    assert drive.watermark(9, port=1) == "+I[a,1,0,10,b,3,0,10] +I[null,2,0,10,b,3,0,10] W9"


@pytest.mark.parametrize(
    ("kind", "wanted"),
    [
        (WindowJoinKind.INNER, "a 9 a 8"),
        (WindowJoinKind.LEFT, "a 1 -, a 9 a 8"),
        (WindowJoinKind.RIGHT, "- a 2, a 9 a 8"),
        (WindowJoinKind.FULL, "a 1 -, - a 2, a 9 a 8"),
        (WindowJoinKind.SEMI, "a 9"),
        (WindowJoinKind.ANTI, "a 1"),
    ],
)
def test_rows_that_a_join_below_has_padded_are_in_no_window(kind: WindowJoinKind, wanted: str) -> None:
    """Flink takes their NULL for a window that is over, and loses them."""
    drive = driver(spec(kind))
    assert drive.watermark(1) + drive.watermark(1, port=1) == "W1"
    drive.changes("+I a 9 10 20, +I a 1 null null")
    drive.changes("+I a 2 null null, +I a 8 10 20", port=1)
    drive.watermark(1)
    drive.watermark(19)
    out = drive.watermark(19, port=1).split()
    assert sorted(map(_short, out[:-1])) == sorted(wanted.split(", "))


def moment(time: int) -> datetime:
    return EPOCH + timedelta(milliseconds=time)


Step = tuple[str | None, int | None, int]
"""key, time (None: in no window), how far a watermark is behind it; above 4 there is none."""


def mark_of(step: Step) -> int | None:
    """The watermark that follows a row."""
    _, time, behind = step
    return None if time is None or behind > 4 else time - behind


def rows_of(steps: Sequence[Step], first: int) -> list[Row]:
    found = []
    for i, (key, time, _) in enumerate(steps):
        window = (None, None) if time is None else (moment(time // 10 * 10), moment(time // 10 * 10 + 10))
        found.append(("+I", key, first + i, *window))
    return found


def in_time(rows: list[Row], steps: Sequence[Step]) -> list[Row]:
    mark, found = MIN_WATERMARK, []
    for row, step in zip(rows, steps, strict=True):
        if row[4] is None or (row[4] - EPOCH) // timedelta(milliseconds=1) - 1 > mark:
            found.append(row[1:])
        moved = mark_of(step)
        mark = mark if moved is None else max(mark, moved)
    return found


def expected(of: WindowJoinSpec, left: list[Row], right: list[Row]) -> Counter[Any]:
    def meets(one: Row, two: Row) -> bool:
        same = (
            one[0] == two[0]
            and None not in one[2:]
            and one[2:] == two[2:]
            and (one[0] is not None or of.null_safe[0])
        )
        return same and (of.condition is None or one[1] % 4 < two[1] % 4)

    none = (None,) * len(TYPES)
    if of.kind is WindowJoinKind.SEMI:
        return Counter(one for one in left if any(meets(one, two) for two in right))
    if of.kind is WindowJoinKind.ANTI:
        return Counter(one for one in left if not any(meets(one, two) for two in right))
    found = Counter((*one, *two) for one in left for two in right if meets(one, two))
    if of.kind.pads(0):
        found.update((*one, *none) for one in left if not any(meets(one, two) for two in right))
    if of.kind.pads(1):
        found.update((*none, *two) for two in right if not any(meets(one, two) for one in left))
    return found


def cut(steps: Sequence[Step], rows: list[Row], low: int, high: int) -> WatermarkedBatch | None:
    moved = [(mark_of(step), at) for at, step in enumerate(steps) if low <= at < high]
    mine = [mark for mark in moved if mark[0] is not None]
    if high == low:
        return None
    times, at = (np.array([mark[i] for mark in mine], np.int64) for i in range(2))
    return WatermarkedBatch(to_table(rows[low:high], TYPES, low), np.maximum.accumulate(times), at)


histories = st.lists(
    st.tuples(st.sampled_from(["a", "b", None]), st.integers(0, 35) | st.none(), st.integers(0, 7)),
    max_size=14,
)


@example(WindowJoinKind.SEMI, False, False, [("a", 1, 0)] * 3, [("a", 1, 0)], 0, 1)
@settings(max_examples=examples(400), deadline=None)
@given(
    st.sampled_from(list(WindowJoinKind)), st.booleans(), st.booleans(), histories, histories,
    st.integers(0, 1 << 30), st.integers(1, 7),
)  # fmt: skip
def test_any_cutting_sends_the_rows(
    kind: WindowJoinKind, residual: bool, null_safe: bool, left: list[Step], right: list[Step], seed: int,
    piece: int,
) -> None:  # fmt: skip
    of = spec(kind, LESS if residual else None, null_safe)
    chance, store, out, late = random.Random(seed), MemoryStore(), list[Row](), 0
    steps, rows = (left, right), (rows_of(left, 0), rows_of(right, 100))
    at = [0, 0]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(window_pairs, "PIECE", piece)
        patch.setattr(window_join, "PIECE", piece)
        while at != [len(left), len(right)]:
            state = SortedRunBackend(store)
            operator = WindowJoin(of, state)
            ends = [min(len(rows[port]), at[port] + chance.randrange(6)) for port in (0, 1)]
            parts = tuple(cut(steps[port], rows[port], at[port], ends[port]) for port in (0, 1))
            out += all_rows([*operator.ports(PortBatch(parts)), *operator.barrier()])
            late += operator.late
            at = ends
            state.commit()
        operator = WindowJoin(of, SortedRunBackend(store))
        for port in (0, 1):
            out += all_rows(operator.watermark(Watermark(MAX_WATERMARK), port))
    kept = [in_time(rows[port], steps[port]) for port in (0, 1)]
    assert late == len(left) + len(right) - len(kept[0]) - len(kept[1])
    assert Counter(row[1:] for row in out) == expected(of, *kept)
    ends = [row[4] or row[8] if of.kind.has_right_columns else row[4] for row in out]
    ends = [end for end in ends if end is not None]
    assert ends == sorted(ends), "windows are not sent in the order of their end"
