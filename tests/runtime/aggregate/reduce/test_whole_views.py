"""Aggregates whose results read all entries of a map: a bundle that names one entry must know the others."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from firesteel.runtime.dataflow.operator import Operator
from firesteel.runtime.spec.operators import AggregateSpec, GroupAggregateSpec
from firesteel.runtime.state.backend import SortedRunBackend
from firesteel.runtime.state.memory import MemoryStore
from firesteel.types.sql import BIGINT, DOUBLE, INT, STRING, SqlType, TypeRoot
from tests.runtime.aggregate.reduce.phases import one_phase, run, two_phase
from tests.runtime.changes import Row

CALLS = {
    "COLLECT": AggregateSpec(
        "COLLECT", (1,), (INT,), SqlType(TypeRoot.MULTISET, False, children=(INT,)), True
    ),
    "PERCENTILE": AggregateSpec("PERCENTILE", (1, 3), (INT, DOUBLE), DOUBLE, True),
    "BITMAP_BUILD_CARDINALITY_AGG": AggregateSpec("BITMAP_BUILD_CARDINALITY_AGG", (1,), (INT,), BIGINT, True),
    "JSON_OBJECTAGG": AggregateSpec(
        "JSON_OBJECTAGG", (2, 2), (STRING, STRING), STRING, True, options=("NULL",)
    ),
    "LAST_VALUE": AggregateSpec("LAST_VALUE", (1,), (INT,), INT, True),
    "LISTAGG": AggregateSpec("LISTAGG", (2,), (STRING,), STRING, True),
}


def row(kind: str, value: int) -> Row:
    return (kind, "a", value, str(value), 0.5)


APPENDS = [[row("+I", 1), row("+I", 2), row("+I", 3)], [row("+I", 7), row("+I", 9)], [row("+I", 8)]]
CHANGES = [
    [row("+I", 1), row("+I", 2), row("+I", 3)],
    [row("+I", 7), row("-D", 2), row("+I", 9)],
    [row("-D", 1), row("+I", 2), row("+I", 8)],
]


@pytest.mark.parametrize("name", CALLS)
def test_a_later_bundle_knows_all_entries(name: str) -> None:
    spec = GroupAggregateSpec(
        (0,), (CALLS[name],), (STRING, INT, STRING, DOUBLE), True, True, None, state_id=name
    )
    bundles = APPENDS if name == "JSON_OBJECTAGG" else CHANGES  # it has no merge of retractions
    found = in_bundles(two_phase, spec, bundles)
    assert [row[0] for row in found] == ["+I", "-U", "+U", "-U", "+U"]
    assert found[1][1:] == found[0][1:]
    assert found[3][1:] == found[2][1:]
    if name != "COLLECT":  # merged numbers of 0 stay, as in Flink
        assert found == in_bundles(one_phase, spec, bundles)


def in_bundles(
    make: Callable[..., list[Operator]], spec: GroupAggregateSpec, bundles: list[list[Row]]
) -> list[Row]:
    store, found = MemoryStore(), []
    for bundle in bundles:
        backend = SortedRunBackend.open(store)
        found += run(make(spec, 100, backend), [bundle], spec)
        backend.commit()
    return found
