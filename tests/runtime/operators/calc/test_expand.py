"""Expand: the copies of a row stand together, and get places of their own at the exchange."""

from __future__ import annotations

from firesteel.changelog import SEQUENCE, SUB_SEQUENCE
from firesteel.runtime.dataflow.sequence import SubSequences
from firesteel.runtime.operators.calc.expand import Expand
from firesteel.runtime.spec.operators import ExpandSpec
from firesteel.types.sql import BIGINT, INT, STRING
from tests.runtime.changes import parse, show, to_rows, to_table

TYPES = (STRING, INT, INT)
SETS = ExpandSpec((0, 1, 2, None, 1), (*TYPES, BIGINT, INT), ((0, 1, 2, 4), (0, 2, 4), (2, 4)), 3, (0, 1, 3))
"""GROUPING SETS ((f0, f1), (f0), ()), with f1 also an argument."""


def test_each_copy_hides_other_columns() -> None:
    out = Expand(SETS).process(to_table(parse("+I a 1 7, -U null 2 8", TYPES), TYPES))
    assert show(to_rows(out)) == (
        "+I[a,1,7,0,1] +I[a,null,7,1,1] +I[null,null,7,3,1] "
        "-U[null,2,8,0,2] -U[null,null,8,1,2] -U[null,null,8,3,2]"
    )
    assert out.schema.types[2:] == [*to_table([], TYPES).schema.types[2:], out.schema.types[5], "int32"]
    assert out.column(SEQUENCE).to_pylist() == [0, 0, 0, 1, 1, 1]


def test_no_rows_give_no_copies() -> None:
    assert Expand(SETS).process(to_table([], TYPES)).num_rows == 0


def test_copies_of_both_changes_of_a_row_are_distinguished() -> None:
    rows = to_table(parse("-U a 1 7, +U a 1 8", TYPES), TYPES)
    both = Expand(SETS).process(rows.set_column(1, SEQUENCE, [[5, 5]]))
    placed = SubSequences(8)(both)
    assert placed.column(SEQUENCE).to_pylist() == [5] * 6
    assert placed.column(SUB_SEQUENCE).to_pylist() == [0, 1, 2, 3, 4, 5]


def test_copies_keep_the_place_of_their_row() -> None:
    rows = to_table(parse("-U a 1 7, +U a 1 8", TYPES), TYPES).set_column(1, SEQUENCE, [[5, 5]])
    out = Expand(SETS).process(rows.append_column(SUB_SEQUENCE, [[0, 3]]))
    assert out.column(SUB_SEQUENCE).to_pylist() == [0, 0, 0, 3, 3, 3]
