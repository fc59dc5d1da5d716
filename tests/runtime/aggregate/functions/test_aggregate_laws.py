"""The laws of runtime/aggregate/functions/declaration.py, and that no way of running a batch changes the
answer."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firesteel.runtime.aggregate.row_engine.handler import generate
from firesteel.runtime.operators.group.group_aggregate import GroupAggregate
from firesteel.runtime.spec.operators import AggregateSpec, GroupAggregateSpec
from firesteel.runtime.state.memory import memory_backend
from firesteel.types.internal_values import to_keys, to_list
from firesteel.types.sql import BOOLEAN, DOUBLE, INT, SMALLINT, STRING, TINYINT, SqlType
from tests.reference.max_with_retract import MaxWithRetract
from tests.runtime.aggregate.functions.test_aggregate_results import EXACT, ROUNDED, spec_of
from tests.runtime.changes import Row, to_rows, to_table
from tests.runtime.driven_operators import COUNT_STAR, call, run, spec
from tests.runtime.streams import VALUES, streams
from tests.scale import examples

FUNCTIONS = (*EXACT, "$WELFORD_M2$1")


class Driven:
    """The row handler, driven through its life cycle one row at a time."""

    def __init__(self, what: GroupAggregateSpec) -> None:
        self._spec = what
        self._generated = generate(what)
        self.handler = self._generated.create()
        self.handler.reset_accumulators()

    def run(self, rows: list[Row]) -> None:
        table = to_table(rows, self._spec.input_types)
        columns = []
        for each in self._generated.inputs:
            convert = to_keys if each.key else to_list
            columns.append(convert(table.column(each.position + 2), self._spec.input_types[each.position]))
        for (kind, *_), *values in zip(rows, *columns, strict=True):
            (self.handler.accumulate if kind in ("+I", "+U") else self.handler.retract)(*values)

    def value(self) -> tuple[Any, ...]:
        value: tuple[Any, ...] = self.handler.get_value()
        return value


def close(one: tuple[Any, ...], other: tuple[Any, ...], exact: bool) -> bool:
    """Equal, a MULTISET in any order; or nearly so, where rounding may also leave an m2 below 0, which gives
    NULL."""
    if exact:
        return repr(list(map(unordered, one))) == repr(list(map(unordered, other)))
    return [each or 0.0 for each in one] == pytest.approx([each or 0.0 for each in other], rel=1e-6, abs=1e-4)


def unordered(value: Any) -> Any:
    """The entries of a MULTISET by their texts."""
    return (
        sorted(value, key=repr)
        if value and isinstance(value, list) and isinstance(value[0], tuple)
        else value
    )


def without_minus_zero(rows: list[Row]) -> list[Row]:
    """What is left of 0.0 and -0.0 in a sum depends on where one begins."""
    return [
        (*row[:2], 0.0 if row[2] == 0.0 and isinstance(row[2], float) else row[2], row[3]) for row in rows
    ]


def kinds_of(function: str) -> tuple[SqlType, ...]:
    """Types to try; Welford's m2 keeps its digits for small numbers only."""
    return EXACT.get(function, (TINYINT, SMALLINT))


ORDERED = ("FIRST_VALUE", "LAST_VALUE", "ARRAY_AGG", "LISTAGG", "JSON_ARRAYAGG")
MERGED = [
    (name, distinct) for name in FUNCTIONS for distinct in (False, True) if not (distinct and name in ORDERED)
]


@pytest.mark.parametrize(("function", "distinct"), MERGED)
@given(data=st.data())
@settings(max_examples=examples(15), deadline=None)
def test_merge_is_as_if_the_rows_had_come_after(function: str, distinct: bool, data: st.DataObject) -> None:
    kind = data.draw(st.sampled_from(kinds_of(function)))
    insert_only = data.draw(st.booleans())
    what = spec_of(
        [(function, distinct, False), (function, distinct, True)], kind, input_retracts=not insert_only
    )
    rows = without_minus_zero(data.draw(streams((kind,), insert_only, 8)))
    more = without_minus_zero(data.draw(streams((kind,), insert_only or function in ORDERED, 8)))
    apart, other, together = Driven(what), Driven(what), Driven(what)
    apart.run(rows)
    other.run(more)
    apart.handler.merge(other.handler.get_accumulators())
    together.run(rows + more)
    assert close(apart.value(), together.value(), function in EXACT)


@pytest.mark.parametrize("distinct", [False, True])
@pytest.mark.parametrize("function", ["COUNT", "SUM", "$SUM0", "AVG", "MIN", "MAX"])
@given(data=st.data())
@settings(max_examples=examples(15), deadline=None)
def test_a_part_may_take_back_rows_of_another(function: str, distinct: bool, data: st.DataObject) -> None:
    kind = data.draw(st.sampled_from(EXACT[function]))
    what = spec_of([(function, distinct, False), (function, distinct, True)], kind)
    rows = without_minus_zero(data.draw(streams((kind,), False, 14)))
    cut = data.draw(st.integers(0, len(rows)))
    apart, other, together = Driven(what), Driven(what), Driven(what)
    apart.run(rows[:cut])
    other.run(rows[cut:])
    apart.handler.merge(other.handler.get_accumulators())
    together.run(rows)
    assert close(apart.value(), together.value(), exact=True)


@pytest.mark.parametrize("function", FUNCTIONS)
@given(data=st.data())
@settings(max_examples=examples(15), deadline=None)
def test_retract_undoes_accumulate(function: str, data: st.DataObject) -> None:
    kind = data.draw(st.sampled_from(kinds_of(function)))
    what = spec_of([(function, False, False), (function, True, False)], kind)
    rows = without_minus_zero(data.draw(streams((kind,), False, 10)))
    rows = [row for row in rows if row[2] is not None]
    new = data.draw(st.sampled_from(VALUES[kind]).filter(lambda v: all(v != row[2] for row in rows)))
    driven = Driven(what)
    driven.run(rows)
    before = driven.value()
    driven.run([("+I", "a", new, True), ("-D", "a", new, True)])
    assert close(driven.value(), before, function in EXACT)


def anything(kind: SqlType) -> st.SearchStrategy[list[Row]]:
    """Changes of any kind: most retractions take back what was never there."""
    cells = (
        st.sampled_from(("+I", "+I", "+U", "-U", "-D")),
        st.sampled_from(("a", "b")),
        st.sampled_from((*VALUES[kind][:4], None)),
        st.sampled_from((True, False, None)),
    )
    return st.lists(st.tuples(*cells), max_size=25)


def outputs(what: GroupAggregateSpec, rows: list[Row], batch: int, **options: Any) -> list[str]:
    operator = GroupAggregate(what, options.pop("state", None), lambda: 0, **options)
    parts = (rows[start : start + batch] for start in range(0, len(rows), batch))
    return [
        repr(row) for part in parts for row in to_rows(operator.process(to_table(part, what.input_types)))
    ]


@pytest.mark.parametrize("functions", [("SUM", "COUNT"), ("MAX", "MIN"), ("AVG", "LAST_VALUE"), ROUNDED])
@given(data=st.data())
@settings(max_examples=examples(40), deadline=None)
def test_however_a_batch_is_run_the_answer_is_the_same(
    functions: tuple[str, ...], data: st.DataObject
) -> None:
    kind = data.draw(st.sampled_from([INT, DOUBLE]))
    rows = data.draw(anything(kind))
    flags = [(name, data.draw(st.booleans()), data.draw(st.booleans())) for name in functions]
    what = spec_of(flags, kind)
    one_by_one = outputs(what, rows, 1, columnar=False)
    batch = data.draw(st.integers(1, 9))
    assert outputs(what, rows, batch, columnar=False) == one_by_one
    assert outputs(what, rows, batch) == one_by_one
    assert outputs(what, rows, batch, state=memory_backend(), columnar=False) == one_by_one
    assert outputs(what, rows, batch, state=memory_backend()) == one_by_one


@given(anything(INT), st.integers(1, 9), st.booleans())
@settings(max_examples=examples(100), deadline=None)
def test_max_with_retract_as_flink_writes_it(rows: list[Row], batch: int, columnar: bool) -> None:
    calls = (AggregateSpec("MAX", (1,), (INT,), INT, True), COUNT_STAR)
    what = GroupAggregateSpec((), calls, (STRING, INT, BOOLEAN), True, False, 1)
    function, count = MaxWithRetract(), 0
    expected = []
    for kind, _, value, _ in rows:
        if kind in ("+I", "+U"):
            before, count = count, count + 1
            function.accumulate(value)
            expected.append(repr(("+U" if before else "+I", function.value(), count)))
        elif count:
            result, count = function.value(), count - 1
            function.retract(value)
            expected.append(repr(("+U", function.value(), count) if count else ("-D", result, 1)))
            function = function if count else MaxWithRetract()
    assert outputs(what, rows, batch, columnar=columnar) == expected


LIFE_CYCLE = """open create_accumulators set_accumulators get_accumulators accumulate retract merge get_value
reset_accumulators cleanup close process"""


def test_the_text_of_the_handler_has_flinks_life_cycle() -> None:
    source = generate(spec([call("SUM"), call("MAX"), call("COUNT", distinct=True)])).source
    assert source.startswith("class GroupAggregateHandler:")
    for name in LIFE_CYCLE.split():
        assert f"    def {name}(self" in source


def test_many_retractions_of_the_first_value() -> None:
    rows = ", ".join([*(f"+I a {i}" for i in range(500)), *(f"-D a {i}" for i in range(499))])
    out = run(spec([call("FIRST_VALUE")], update_before=False), rows)
    assert out.endswith("+U[a,498] +U[a,499]")
