"""BITMAP_*_AGG against sets of the rows that are left, with Flink's rule for when the result is NULL."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyroaring import BitMap

from firesteel.runtime.operators.group.group_aggregate import GroupAggregate
from firesteel.runtime.spec.operators import AggregateSpec, GroupAggregateSpec
from firesteel.runtime.state.memory import memory_backend
from firesteel.types.sql import BIGINT, INT, STRING, SqlType, TypeRoot
from firesteel.types.text import render
from tests.runtime.changes import Row, to_rows, to_table
from tests.runtime.driven_operators import COUNT_STAR, call, run, spec
from tests.scale import examples

BITMAP = SqlType(TypeRoot.BITMAP)
NUMBERS = (0, 1, 2, 65536, -1)


def calls(retract: bool, built: bool, distinct: bool = False) -> tuple[AggregateSpec, ...]:
    kind = INT if built else BITMAP
    names = ("BUILD",) if built else ("AND", "OR", "XOR")
    return tuple(
        AggregateSpec(f"BITMAP_{name}{suffix}_AGG", (1,), (kind,), result, retract, distinct)
        for name in names
        for suffix, result in (("", BITMAP), ("_CARDINALITY", BIGINT))
    )


def expected(name: str, values: list[Any]) -> set[int] | None:
    """What the rows that are left give; a bitmap is a tuple of its integers."""
    known = [value for value in values if value is not None]
    if not known:
        return None
    if name == "BUILD":
        return {value % 2**32 for value in known}
    counts = Counter(number % 2**32 for value in known for number in set(value))
    if name == "AND":
        return {number for number, n in counts.items() if n == len(known)}
    return {number for number, n in counts.items() if name == "OR" or n % 2}


@st.composite
def histories(draw: st.DrawFn, retract: bool, built: bool) -> list[tuple[str, Any]]:
    number = st.sampled_from(NUMBERS)
    value = st.none() | (number if built else st.lists(number, unique=True, max_size=4).map(tuple))
    rows: list[tuple[str, Any]] = [("+I", None)]
    live: list[Any] = []
    for _ in range(draw(st.integers(0, 10))):
        if retract and live and draw(st.booleans()):
            rows.append(("-D", live.pop(draw(st.integers(0, len(live) - 1)))))
        else:
            live.append(draw(value))
            rows.append(("+I", live[-1]))
    return rows


def stored_as(value: Any) -> Any:
    return BitMap([number % 2**32 for number in value]).serialize() if isinstance(value, tuple) else value


def results(
    what: GroupAggregateSpec, rows: list[tuple[str, Any]], batch: int, stored: bool
) -> list[tuple[Any, ...]]:
    operator = GroupAggregate(what, memory_backend() if stored else None, lambda: 0)
    out: list[Row] = []
    for start in range(0, len(rows), batch):
        part = [(kind, "a", stored_as(value)) for kind, value in rows[start : start + batch]]
        out += to_rows(operator.process(to_table(part, what.input_types)))
    return [tuple(row[2:]) for row in out]


@settings(max_examples=examples(60), deadline=None)
@given(st.data(), st.booleans(), st.booleans(), st.booleans(), st.integers(1, 5))
def test_results_after_each_row(
    data: st.DataObject, retract: bool, built: bool, stored: bool, batch: int
) -> None:
    rows = data.draw(histories(retract, built))
    aggregates = (*calls(retract, built), COUNT_STAR)
    types = (STRING, INT if built else BITMAP)
    what = GroupAggregateSpec((0,), aggregates, types, retract, False, len(aggregates) - 1)
    found = results(what, rows, batch, stored)
    live: list[Any] = []
    for (kind, value), row in zip(rows, found, strict=True):
        live.append(value) if kind == "+I" else live.remove(value)
        for aggregate, result in zip(aggregates[:-1], row, strict=False):
            wanted = expected(aggregate.function.split("_")[1], live)
            if wanted == set() and built:
                wanted = None
            if aggregate.type is BITMAP and result is not None:
                result = set(BitMap.deserialize(result))
            elif aggregate.type is BIGINT and wanted is not None:
                wanted = len(wanted)  # type: ignore[assignment]
            assert result == wanted


@pytest.mark.parametrize("retract", [False, True])
def test_distinct_integers(retract: bool) -> None:
    count = call("BITMAP_BUILD_CARDINALITY_AGG", retract, distinct=True, result=BIGINT)
    out = run(spec([count, COUNT_STAR], update_before=False, retracts=retract), "+I a 5, +I a 5, +I a 6")
    assert out == "+I[a,1,1] +U[a,1,2] +U[a,2,3]"


def test_integers_taken_back_before_they_came() -> None:
    count = call("BITMAP_BUILD_CARDINALITY_AGG", result=BIGINT)
    out = run(spec([count, COUNT_STAR], update_before=False), "+I a 1, +I a 1, -D a 5, +I a 5, +I a 5")
    assert out == "+I[a,1,1] +U[a,1,2] +U[a,1,1] +U[a,1,2] +U[a,2,3]"


def test_a_bitmap_is_shown_by_its_integers() -> None:
    what = spec([call("BITMAP_BUILD_AGG", result=BITMAP)], retracts=False)
    operator = GroupAggregate(what, None, lambda: 0)
    out = operator.process(to_table([("+I", "a", 7), ("+I", "a", -1)], what.input_types))
    assert render(out.column(3), BITMAP) == ["{7}", "{7}", "{7,4294967295}"]
