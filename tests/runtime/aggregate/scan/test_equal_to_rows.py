"""The running forms answer as the row handler does, to the bit, over any input and however it is cut:
with NULLs, retractions of rows that never came, sums that wrap, all kinds of values."""

from __future__ import annotations

from itertools import product
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firesteel.runtime.aggregate.scan import plan
from firesteel.runtime.operators.group.group_aggregate import GroupAggregate
from firesteel.runtime.spec.operators import AggregateSpec, GroupAggregateSpec
from firesteel.runtime.state.backend import SortedRunBackend
from firesteel.runtime.state.memory import MemoryStore
from firesteel.types.sql import APPROXIMATE, BIGINT, BOOLEAN, INT, STRING, SqlType, TypeRoot, decimal
from tests.runtime.changes import Row, to_table
from tests.runtime.streams import LIMITS, VALUES
from tests.scale import examples, part

COUNT = BIGINT.with_nullable(False)
NAN = float("nan")
ALL_VALUES = VALUES | LIMITS


@st.composite
def inputs(draw: st.DrawFn, kind: SqlType, insert_only: bool) -> list[list[Row]]:
    """Batches of (k STRING, v of `kind`, w INT, b BOOLEAN); retractions of anything, often of a row
    that came before."""
    values = (*ALL_VALUES[kind], None, *((NAN,) if kind.root in APPROXIMATE else ()))
    few = draw(st.integers(1, len(values)))
    rows: list[Row] = []
    cells = [st.sampled_from(("a", "b", "c", None)), st.sampled_from(values[-few:] if few > 2 else values)]
    cells += [st.sampled_from((None, 1, 2, 2147483647)), st.sampled_from((True, True, False, None))]
    for _ in range(draw(st.integers(0, 40))):
        if insert_only:
            rows.append(("+I", *(draw(cell) for cell in cells)))
        elif rows and draw(st.booleans()):
            rows.append(("-D", *draw(st.sampled_from(rows))[1:]))
        else:
            kinds = ("+I", "+I", "+U", "-D") if draw(st.integers(0, 9)) == 0 else ("+I",)
            rows.append((draw(st.sampled_from(kinds)), *(draw(cell) for cell in cells)))
    cuts = sorted(draw(st.lists(st.integers(0, len(rows)), max_size=4)))
    return [rows[a:b] for a, b in zip([0, *cuts], [*cuts, len(rows)], strict=True)]


def calls_over(kind: SqlType, retract: bool) -> list[AggregateSpec]:
    """Every call with a running form over column 1 of `kind`."""

    def call(function: str, result: SqlType, **more: Any) -> AggregateSpec:
        return AggregateSpec(function, (1,), (kind,), result, retract=retract, **more)

    calls = [AggregateSpec("COUNT", (), (), COUNT, retract=retract), call("COUNT", COUNT)]
    calls += [call("COUNT", COUNT, distinct=True), call("COUNT", COUNT, distinct=True, filter=3)]
    calls += [call("MIN", kind), call("MAX", kind), call("MAX", kind, filter=3)]
    if kind.is_numeric:
        wide = kind.root is TypeRoot.DECIMAL
        total = decimal(38, kind.scale or 0) if wide else kind
        mean = decimal(38, max(6, kind.scale or 0)) if wide else kind
        calls += [call("SUM", total), call("SUM", total, filter=3), call("SUM", total, distinct=True)]
        calls += [call("$SUM0", total), call("AVG", mean), call("AVG", mean, distinct=True, filter=3)]
    return calls


def spec_of(
    kind: SqlType, calls: tuple[AggregateSpec, ...], retract: bool, before: bool, keys: tuple[int, ...]
):
    star = next((i for i, c in enumerate(calls) if not c.args and c.filter is None and retract), None)
    return GroupAggregateSpec(keys, calls, (STRING, kind, INT, BOOLEAN), retract, before, star)


def run(operator: GroupAggregate, batches: list[list[Row]], types: tuple[SqlType, ...]) -> list[pa.Table]:
    return [operator.process(to_table(batch, types)) for batch in batches]


def text(tables: list[pa.Table]) -> str:
    """Everything to the bit: -0.0 is not 0.0, NaN is NaN."""
    return "\n".join(repr(row) for table in tables for row in table.to_pylist())


@pytest.mark.parametrize(("kind", "insert_only"), part(list(product(ALL_VALUES, (False, True))), 14), ids=str)
@settings(max_examples=examples(40), deadline=None)
@given(data=st.data())
def test_as_the_row_handler(kind: SqlType, insert_only: bool, data: st.DataObject) -> None:
    every = calls_over(kind, not insert_only)
    calls = tuple(data.draw(st.lists(st.sampled_from(every), min_size=0, max_size=5)))
    keys = data.draw(st.sampled_from([(0,), (0, 2), ()]))
    spec = spec_of(kind, calls, not insert_only, data.draw(st.booleans()), keys)
    assert plan(spec) is not None
    batches = data.draw(inputs(kind, insert_only))
    expected = run(GroupAggregate(spec, None, lambda: 0, columnar=False), batches, spec.input_types)
    columnar = run(GroupAggregate(spec, None, lambda: 0), batches, spec.input_types)
    assert text(columnar) == text(expected)
    store, restarted = MemoryStore(), []
    for i, batch in enumerate(batches):  # a task of its own for each batch, each by another path
        backend = SortedRunBackend.open(store)
        operator = GroupAggregate(spec, backend, lambda: 0, columnar=i % 3 != 1)
        restarted += run(operator, [batch], spec.input_types)
        backend.commit()
    assert text(restarted) == text(expected)


@settings(max_examples=examples(60), deadline=None)
@given(data=st.data())
def test_with_a_time_to_live(data: st.DataObject) -> None:
    calls = tuple(c for c in calls_over(INT, True) if not c.distinct and c.function not in ("MIN", "MAX"))
    spec = GroupAggregateSpec((0,), calls, (STRING, INT, INT, BOOLEAN), True, True, 0, ttl=10)
    assert plan(spec) is not None
    batches = data.draw(inputs(INT, False))
    times = data.draw(st.lists(st.integers(0, 12), min_size=len(batches), max_size=len(batches)))
    clock = [0]
    one = GroupAggregate(spec, None, lambda: clock[0], columnar=False)
    other = GroupAggregate(spec, None, lambda: clock[0])
    for batch, step in zip(batches, times, strict=True):
        clock[0] += step
        table = to_table(batch, spec.input_types)
        assert text([other.process(table)]) == text([one.process(table)])
