"""Table functions over changes: each result has its row's kind, and any cutting gives the same results."""

from __future__ import annotations

import random
from itertools import pairwise
from typing import Any

import pytest

from firesteel.functions.duckdb.calc_spec import CalcSpec
from firesteel.runtime.dataflow.chain import standing_clock
from firesteel.runtime.operators.correlate.correlate import Correlate, build, code
from firesteel.runtime.spec.correlate import CorrelateSpec
from firesteel.types.sql import BIGINT, INT, STRING, SqlType, TypeRoot, array, map_of, row
from tests.runtime.changes import Row, show, to_rows, to_table

PAIR = row(("a", "b"), (INT, STRING))


def spec(kind: SqlType, **more: Any) -> CorrelateSpec:
    types = more.pop("types")
    return CorrelateSpec("UNNEST", CalcSpec(("f1",), (kind,)), types, **more)


def sent(of: CorrelateSpec, kinds: tuple[SqlType, ...], *rows: Row, cuts: tuple[int, ...] = ()) -> list[Row]:
    operator: Correlate = build(of, None, standing_clock(1))
    found: list[Row] = []
    borders = [0, *cuts, len(rows)]
    for start, end in pairwise(borders):
        table = to_table(rows, kinds).slice(start, end - start)
        for message in operator.changes(table):
            found += to_rows(message)
    return found


def own(rows: list[Row], width: int = 1) -> str:
    """The kind, the first column and the function's columns."""
    return show((kind, values[0], *values[-width:]) for kind, *values in rows)


# --- UNNEST ---------------------------------------------------------------------------------------
def test_kinds_pass_and_null_elements_stay() -> None:
    ints = array(INT)
    rows = [("+I", 1, [5, None]), ("-U", 2, [7]), ("+U", 2, []), ("-D", 3, None)]
    found = sent(spec(ints, types=(INT,)), (INT, ints), *rows)
    assert own(found) == "+I[1,5] +I[1,null] -U[2,7]"


def test_left_pads_what_has_no_elements() -> None:
    ints = array(INT)
    rows = [("+I", 1, None), ("+U", 2, []), ("+I", 3, [4, 5]), ("-D", 4, [])]
    found = sent(spec(ints, types=(INT,), pads=True), (INT, ints), *rows)
    assert own(found) == "+I[1,null] +U[2,null] +I[3,4] +I[3,5] -D[4,null]"


def test_rows_are_fields_and_null_rows_are_left_out() -> None:
    rows_type = array(PAIR)
    rows = [("+I", 1, [{"a": 1, "b": "x"}, None, {"a": None, "b": None}]), ("+I", 2, [None])]
    of = spec(rows_type, types=(INT, STRING, INT), ordinality=True)
    assert own(sent(of, (INT, rows_type), *rows), 3) == "+I[1,1,x,1] +I[1,null,null,3]"
    padded = spec(rows_type, types=(INT, STRING), pads=True)
    assert own(sent(padded, (INT, rows_type), *rows), 2).endswith("+I[2,null,null]")


def test_maps_give_keys_and_values_multisets_each_copy() -> None:
    kind = map_of(STRING, INT)
    entries = [{"$key": "x", "$value": 1}, {"$key": None, "$value": None}]
    of = spec(kind, types=(STRING, INT, INT), ordinality=True)
    assert own(sent(of, (INT, kind), ("+I", 1, entries)), 3) == "+I[1,x,1,1] +I[1,null,null,2]"
    bag = SqlType(TypeRoot.MULTISET, children=(STRING,))
    copies = [{"$key": "x", "$value": 2}, {"$key": "y", "$value": 1}]
    found = sent(spec(bag, types=(STRING,)), (INT, bag), ("+I", 1, copies), ("-D", 2, copies[1:]))
    assert own(found) == "+I[1,x] +I[1,x] +I[1,y] -D[2,y]"


def test_a_condition_sees_the_functions_columns() -> None:
    ints = array(INT)
    rows = [("+I", 1, [5, 1, None]), ("+I", 2, [1])]
    condition = CalcSpec((), (), "f0 > 3")
    of = spec(ints, types=(INT,), condition=condition)
    assert own(sent(of, (INT, ints), *rows)) == "+I[1,5]"
    padded = spec(ints, types=(INT,), condition=condition, pads=True)
    assert own(sent(padded, (INT, ints), *rows)) == "+I[1,5] +I[2,null]"


def test_any_cutting_gives_the_same_results() -> None:
    chance = random.Random(5)
    nested = array(array(INT))

    def value() -> Any:
        return chance.choice([None, [], [[1], None, []], [[chance.randrange(9), None]]])

    rows = [(chance.choice(["+I", "-U", "+U", "-D"]), i, value()) for i in range(60)]
    for pads in (False, True):
        of = spec(nested, types=(array(INT), INT), pads=pads, ordinality=True)
        whole = sent(of, (INT, nested), *rows)
        for _ in range(5):
            cuts = tuple(sorted(chance.sample(range(len(rows)), 4)))
            assert sent(of, (INT, nested), *rows, cuts=cuts) == whole


# --- REPLICATE ------------------------------------------------------------------------------------
@pytest.mark.parametrize(("count", "copies"), [(0, 0), (1, 1), (3, 3), (None, 0), (-2, 0)])
def test_rows_come_as_often_as_they_are_counted(count: int | None, copies: int) -> None:
    of = CorrelateSpec("REPLICATE", CalcSpec(("f0", "f1"), (BIGINT, STRING)), (STRING,))
    found = sent(of, (BIGINT, STRING), ("-U", count, "x"), ("+U", 1, "y"))
    assert [kind for kind, *_ in found] == ["-U"] * copies + ["+U"]
    assert [values[-1] for _, *values in found] == ["x"] * copies + ["y"]


def test_explained_code_names_function_and_arguments() -> None:
    of = spec(array(INT), types=(INT,), condition=CalcSpec((), (), "f0 > 3"), pads=True)
    assert list(code(of)) == ["-- Correlate (LEFT), UNNEST", "-- of f1", "WHERE f0 > 3"]


def test_columns_that_nothing_reads_are_not_copied() -> None:
    ints = array(INT)
    of = spec(ints, types=(INT,), unread=(1,))
    assert show(sent(of, (INT, ints), ("+I", 1, [5, 6]))) == "+I[1,null,5] +I[1,null,6]"
