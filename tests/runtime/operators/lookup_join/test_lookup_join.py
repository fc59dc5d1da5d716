"""Lookup joins over changes: each result has its row's kind, and a batch asks each key once."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest

from firesteel.functions.duckdb.calc_spec import CalcSpec
from firesteel.runtime.operators.lookup_join.lookup_join import LookupJoin, code
from firesteel.runtime.spec.lookup_join import LookupJoinSpec, Retry
from firesteel.types.sql import BIGINT, INT, STRING
from tests.runtime.changes import Row, show, to_rows, to_table
from tests.runtime.operators.lookup_join.tables import MemoryTable, table_spec

OWN = (BIGINT, INT)
TABLE = (INT, STRING)
ROWS = [(1, "Ann"), (2, "Bob"), (2, "Bo"), (3, None)]


def spec(keys: tuple[str, ...] = ("f1",), **more: Any) -> LookupJoinSpec:
    table = table_spec(TABLE, tuple(range(len(keys))))
    args = CalcSpec(keys, TABLE[: len(keys)])
    return LookupJoinSpec(table, args, more.pop("pads", False), more.pop("types", TABLE), **more)


def sent(of: LookupJoinSpec, table: MemoryTable, *rows: Row, cuts: tuple[int, ...] = ()) -> list[Row]:
    operator = LookupJoin(of, table, table.rows.extend)  # type: ignore[arg-type]
    found: list[Row] = []
    for start, end in pairwise([0, *cuts, len(rows)]):
        found += to_rows(operator.process(to_table(rows, OWN).slice(start, end - start)))
    return found


def memory(*rows: tuple[Any, ...], keys: tuple[int, ...] = (0,)) -> MemoryTable:
    return MemoryTable(rows or ROWS, TABLE, keys)


# --- rows and their partners -----------------------------------------------------------------------
@pytest.mark.parametrize("cuts", [(), (1, 2, 3), (2,)])
def test_changes_keep_their_kind_and_meet_all_rows_of_their_key(cuts: tuple[int, ...]) -> None:
    rows = [("+I", 1, 1), ("-U", 1, 2), ("+U", 1, 3), ("-D", 1, 9)]
    assert show(sent(spec(), memory(), *rows, cuts=cuts)) == (
        "+I[1,1,1,Ann] -U[1,2,2,Bob] -U[1,2,2,Bo] +U[1,3,3,null]"
    )


@pytest.mark.parametrize("cuts", [(), (1, 2, 3), (2,)])
def test_left_pads_rows_without_a_partner(cuts: tuple[int, ...]) -> None:
    rows = [("+I", 1, 9), ("+I", 2, 1), ("-D", 3, None), ("+I", 4, 2)]
    assert show(sent(spec(pads=True), memory(), *rows, cuts=cuts)) == (
        "+I[1,9,null,null] +I[2,1,1,Ann] -D[3,null,null,null] +I[4,2,2,Bob] +I[4,2,2,Bo]"
    )


def test_a_batch_asks_each_key_once_and_null_never() -> None:
    table = memory()
    rows = [("+I", n, key) for n, key in enumerate([2, 1, None, 2, 2, 1])]
    sent(spec(), table, *rows)
    assert [sorted(keys) for keys in table.asked] == [[(1,), (2,)]]


def test_a_batch_without_keys_asks_nothing() -> None:
    table = memory()
    assert show(sent(spec(pads=True), table, ("+I", 1, None))) == "+I[1,null,null,null]"
    assert sent(spec(), table, ("+I", 1, None)) == []
    assert sent(spec(), table) == []
    assert table.asked == []


def test_keys_may_be_computed_and_constant() -> None:
    table = memory((2, "x"), (2, "y"), (3, "x"), keys=(0, 1))
    assert show(sent(spec(("f1 + 1", "'x'")), table, ("+I", 1, 1), ("+I", 2, 2))) == (
        "+I[1,1,2,x] +I[2,2,3,x]"
    )
    assert sorted(table.asked[0]) == [(2, "x"), (3, "x")]


# --- projections, filters and conditions -----------------------------------------------------------
def test_a_calc_filters_and_projects_what_was_found() -> None:
    calc = CalcSpec(("upper(f1)",), (STRING,), "f1 <> 'Bob'")
    of = spec(types=(STRING,), calc=calc, pads=True)
    rows = [("+I", 1, 1), ("+I", 2, 2), ("+I", 3, 3)]
    assert show(sent(of, memory(), *rows)) == "+I[1,1,ANN] +I[2,2,BO] +I[3,3,null]"


@pytest.mark.parametrize("pads", [False, True])
def test_rows_that_the_condition_of_the_input_drops_are_not_looked_up(pads: bool) -> None:
    table = memory()
    of = spec(before=CalcSpec((), (), "f0 > 1"), pads=pads)
    found = show(sent(of, table, ("+I", 1, 1), ("+I", 2, 2)))
    assert found == ("+I[1,1,null,null] " if pads else "") + "+I[2,2,2,Bob] +I[2,2,2,Bo]"
    assert table.asked == [[(2,)]]


def test_a_condition_over_both_sides_decides_each_pair() -> None:
    of = spec(condition=CalcSpec((), (), "f0 = length(f3)"), pads=True)
    rows = [("+I", 3, 2), ("+I", 2, 2), ("+I", 1, 2), ("+I", 1, 3)]
    assert show(sent(of, memory(), *rows)) == (
        "+I[3,2,2,Bob] +I[2,2,2,Bo] +I[1,2,null,null] +I[1,3,null,null]"
    )


# --- keys that are looked up again -----------------------------------------------------------------
def test_missed_keys_are_looked_up_again_until_they_are_found() -> None:
    table, waited = memory((1, "Ann")), []

    def sleep(seconds: float) -> None:
        waited.append(seconds)
        if len(waited) == 2:
            table.rows.append((2, "Bob"))

    of = spec(retry=Retry(3, 1500), pads=True)
    rows = to_table([("+I", 1, 1), ("+I", 2, 2), ("+I", 3, 3)], OWN)
    found = show(to_rows(LookupJoin(of, table, sleep).process(rows)))
    assert found == "+I[1,1,1,Ann] +I[2,2,2,Bob] +I[3,3,null,null]"
    assert waited == [1.5, 1.5, 1.5]
    assert [sorted(keys) for keys in table.asked] == [[(1,), (2,), (3,)], [(2,), (3,)], [(2,), (3,)], [(3,)]]


def test_nothing_is_waited_for_if_all_keys_are_found() -> None:
    def sleep(seconds: float) -> None:
        raise AssertionError

    of = spec(retry=Retry(3, 1500))
    found = LookupJoin(of, memory(), sleep).process(to_table([("+I", 1, 1)], OWN))
    assert show(to_rows(found)) == "+I[1,1,1,Ann]"


def test_explain_says_what_runs() -> None:
    of = spec(before=CalcSpec((), (), "f0 > 1"), condition=CalcSpec((), (), "f0 = f2"), pads=True)
    assert list(code(of)) == [
        "-- LookupJoin (LEFT), t",
        "-- by c0 = f1",
        "-- for rows WHERE f0 > 1",
        "-- ON f0 = f2",
    ]
