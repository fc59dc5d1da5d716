"""Folding changes into the rows that are left."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

import pyarrow as pa
import pytest

from firesteel.session import rows_left
from firesteel.session.rows_left import RowsLeft
from firesteel.types.arrow import to_arrow
from firesteel.types.sql import BIGINT, DOUBLE, STRING, SqlType, array

KINDS = {"+I": 0, "-U": 1, "+U": 2, "-D": 3}
Change = tuple[Any, ...]


def changes(rows: Sequence[Change], types: Sequence[SqlType]) -> pa.Table:
    kinds = pa.array([KINDS[row[0]] for row in rows], pa.int8())
    columns = {f"f{i}": pa.array([r[i + 1] for r in rows], to_arrow(t)) for i, t in enumerate(types)}
    return pa.table({"$kind": kinds, **columns})


def tuples(table: pa.Table) -> list[tuple[Any, ...]]:
    return list(zip(*(column.to_pylist() for column in table.columns), strict=True))


def folded(rows: Sequence[Change], types: Sequence[SqlType] = (STRING, BIGINT)) -> RowsLeft:
    left = RowsLeft(types)
    left.apply(changes(rows, types))
    return left


def test_rows_left_are_those_that_no_change_takes_away() -> None:
    left = folded(
        [
            ("+I", "a", 1),
            ("+I", "b", 1),
            ("+I", "b", 1),
            ("-U", "a", 1),
            ("+U", "a", 2),
            ("-D", "b", 1),
        ]
    )
    assert tuples(left.by_row()) == tuples(left.by_place()) == [("b", 1), ("a", 2)]


def test_copies_stand_together_in_print_and_where_they_came_in_a_frame() -> None:
    left = folded([("+I", "a", 1), ("+I", "b", 1), ("+I", "a", 1), ("+I", None, None)])
    assert tuples(left.by_place()) == [("a", 1), ("b", 1), ("a", 1), (None, None)]
    assert tuples(left.by_row()) == [("a", 1), ("a", 1), ("b", 1), (None, None)]


def test_what_is_not_there_is_not_taken_away() -> None:
    left = folded([("-D", "a", 1), ("+I", "a", 1), ("-D", "b", 2), ("-D", "b", 2), ("+I", "b", 2)])
    assert tuples(left.by_row()) == [("a", 1), ("b", 2)]


def test_no_changes_leave_no_rows() -> None:
    left = RowsLeft((STRING,))
    assert tuples(left.by_row()) == tuples(left.by_place()) == []


@pytest.mark.parametrize(
    ("kind", "one", "other"), [(DOUBLE, 0.0, -0.0), (array(BIGINT), [1, None], [1]), (STRING, None, "<NULL>")]
)
def test_values_of_any_type_are_compared(kind: SqlType, one: Any, other: Any) -> None:
    left = folded([("+I", one), ("+I", other), ("-D", one)], (kind,))
    assert repr(tuples(left.by_row())) == repr([(other,)])


def by_hand(rows: Sequence[Change]) -> tuple[list[Change], list[Change]]:
    """The rows by row and by place, folded one by one."""
    places: dict[Change, list[int]] = {}
    for at, (kind, *values) in enumerate(rows):
        row = tuple(values)
        if kind in ("+I", "+U"):
            places.setdefault(row, []).append(at)
        elif row in places:
            places[row].pop()
            if not places[row]:
                del places[row]
    by_place = sorted((at, row) for row, found in places.items() for at in found)
    return [row for row, found in places.items() for _ in found], [row for _, row in by_place]


@pytest.mark.parametrize("most", [1, 7, 1 << 18])
@pytest.mark.parametrize("seed", range(8))
def test_folds_of_any_size_leave_what_a_fold_one_by_one_leaves(
    seed: int, most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rows_left, "_ROWS", most)
    draw = random.Random(seed)
    rows = [(draw.choice(list(KINDS)), draw.choice("abc"), draw.randrange(3)) for _ in range(400)]
    left = RowsLeft((STRING, BIGINT))
    for at in range(0, len(rows), 5):
        left.apply(changes(rows[at : at + 5], (STRING, BIGINT)))
    assert (tuples(left.by_row()), tuples(left.by_place())) == by_hand(rows)
