"""Expand: the copies of a row stand together, and get orders of their own at the exchange."""

from __future__ import annotations

from firesteel.runtime.chain import changes_a_row
from firesteel.runtime.operators.expand import Expand
from firesteel.runtime.packets import renumber
from firesteel.runtime.spec import ORDER, ChainSpec, ExpandSpec, GroupAggregateSpec
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
    assert out.column(ORDER).to_pylist() == [0, 0, 0, 1, 1, 1]


def test_no_rows_give_no_copies() -> None:
    assert Expand(SETS).process(to_table([], TYPES)).num_rows == 0


def test_copies_of_both_changes_of_a_row_are_told_apart() -> None:
    grouped = GroupAggregateSpec((0,), (), TYPES, True, True)
    chain = ChainSpec(1, (0,), (grouped, SETS), (0,))
    assert changes_a_row(chain) == 6
    assert changes_a_row(ChainSpec(0, (), (), (0,))) == 1
    both = Expand(SETS).process(to_table(parse("-U a 1 7, +U a 1 8", TYPES), TYPES))
    same = both.set_column(1, ORDER, [[5] * 6])
    assert renumber(same, 6).column(ORDER).to_pylist() == [30, 31, 32, 33, 34, 35]
