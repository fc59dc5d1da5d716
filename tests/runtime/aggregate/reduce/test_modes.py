"""Row by row, in one phase, in two, and split: the changes differ, the rows that they leave do not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from itertools import product
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firesteel.runtime.operators.group.group_aggregate import GroupAggregate
from firesteel.runtime.spec.operators import AggregateSpec, GroupAggregateSpec
from firesteel.types.sql import BOOLEAN, INT, STRING, SqlType, TypeRoot
from tests.reference.group_aggregate import group_aggregate
from tests.runtime.aggregate.functions.test_aggregate_results import EXACT, result_type
from tests.runtime.aggregate.reduce.phases import one_phase, run, split, two_phase
from tests.runtime.changes import Row
from tests.runtime.streams import streams
from tests.scale import examples, part

NEVER_MERGED = ("FIRST_VALUE", "LAST_VALUE", "JSON_ARRAYAGG")
MERGED = [name for name in EXACT if name not in NEVER_MERGED]
SPLITTABLE = ("COUNT", "SUM", "MIN", "MAX")


def bucketed(rows: Iterable[Row], kind: SqlType) -> list[Row]:
    """(k, v, b) as (k, v, a bucket of v, b); zeros without a sign and averages that do not wrap, since
    what is left of those depends on the order of the operations."""
    out = []
    for change, key, value, flag in rows:
        if kind.root in (TypeRoot.DOUBLE, TypeRoot.FLOAT) and value is not None:
            value = value or 0.0
        if kind.root is TypeRoot.BIGINT and value is not None:
            value = max(min(value, 10**9), -(10**9))
        out.append((change, key, value, None if value is None else sum(map(ord, str(value))) % 3, flag))
    return out


def left(changes: Iterable[Row]) -> Counter[str]:
    """The rows that are left; every change must take away what is there."""
    rows: Counter[str] = Counter()
    for kind, *values in changes:
        row = repr([values[0], *map(unordered, values[1:])])
        rows[row] += 1 if kind in ("+I", "+U") else -1
        assert rows[row] >= 0, (kind, values)
    return +rows


def unordered(value: Any) -> Any:
    """A value as it is compared: 0.0 without a sign; lists, and texts as LISTAGG makes them, in any order; a
    MULTISET without what is there no times, as parts that take back each other's values leave it."""
    if isinstance(value, str):
        return sorted(value.split(","))
    if isinstance(value, list):
        entries = [each for each in value if not (isinstance(each, tuple) and each[1] == 0)]
        return sorted(map(repr, map(unordered, entries)))
    return 0.0 if value == 0 and isinstance(value, float) else value


@pytest.mark.parametrize(("function", "insert_only"), part(list(product(MERGED, (False, True))), 10))
@given(data=st.data())
@settings(max_examples=examples(20), deadline=None)
def test_all_modes_leave_the_same(function: str, insert_only: bool, data: st.DataObject) -> None:
    kind: SqlType = data.draw(st.sampled_from(EXACT[function]))
    rows = bucketed(data.draw(streams((kind,), insert_only)), kind)

    def call(distinct: bool, condition: int | None) -> AggregateSpec:
        retract, result = not insert_only, result_type(function, kind)
        return AggregateSpec(function, (1,), (kind,), result, retract, distinct, condition)

    calls = tuple(call(distinct, condition) for distinct in (False, True) for condition in (None, 3))
    spec = GroupAggregateSpec((0,), calls, (STRING, kind, INT, BOOLEAN), not insert_only, True)
    cut = data.draw(st.integers(1, 8))
    batches = [rows[start : start + cut] for start in range(0, len(rows), cut)]
    size = data.draw(st.sampled_from([1, 2, 5, 100]))
    expected = left(group_aggregate(spec, rows))
    assert left(run([GroupAggregate(spec, None, lambda: 0)], batches, spec)) == expected
    for columnar in (True, False):
        assert left(run(one_phase(spec, size, columnar=columnar), batches, spec)) == expected
        assert left(run(two_phase(spec, size, columnar=columnar), batches, spec)) == expected
        if function in SPLITTABLE:
            assert left(run(split(spec, size, columnar=columnar), batches, spec)) == expected
