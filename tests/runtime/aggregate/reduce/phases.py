"""Driving aggregates of bundles: one phase, two phases, split, over changes cut anyhow."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from firesteel.runtime.dataflow.chain import Chain
from firesteel.runtime.dataflow.operator import Operator
from firesteel.runtime.operators.group.global_group_aggregate import GlobalGroupAggregate
from firesteel.runtime.operators.group.incremental_group_aggregate import IncrementalGroupAggregate
from firesteel.runtime.operators.group.local_group_aggregate import LocalGroupAggregate
from firesteel.runtime.operators.group.map_bundle import MapBundle
from firesteel.runtime.operators.group.mini_batch_group_aggregate import MiniBatchGroupAggregate
from firesteel.runtime.spec.operators import (
    AggregateSpec,
    GlobalGroupAggregateSpec,
    GroupAggregateSpec,
    IncrementalGroupAggregateSpec,
)
from firesteel.runtime.state.base import StateBackend
from firesteel.types.sql import BIGINT
from tests.runtime.changes import Row, to_table
from tests.runtime.messages import all_rows

COUNTED = AggregateSpec("COUNT", (), (), BIGINT.with_nullable(False), retract=True)


def one_phase(
    spec: GroupAggregateSpec, size: int, state: StateBackend | None = None, columnar: bool = True
) -> list[Operator]:
    """GroupAggregate in bundles."""
    return [MapBundle(MiniBatchGroupAggregate(spec, state, lambda: 0, columnar), size)]


def two_phase(
    spec: GroupAggregateSpec, size: int, state: StateBackend | None = None, columnar: bool = True
) -> list[Operator]:
    """LocalGroupAggregate and GlobalGroupAggregate, as the planner makes them: a count of records is
    one of the calls."""
    results = len(spec.calls)
    if spec.input_retracts and spec.count_star is None:
        spec = replace(spec, calls=(*spec.calls, COUNTED), count_star=results)
    whole = GlobalGroupAggregateSpec(spec, results)
    return [
        MapBundle(LocalGroupAggregate(spec, columnar), size),
        MapBundle(GlobalGroupAggregate(whole, state, lambda: 0, columnar), size),
    ]


def split(
    spec: GroupAggregateSpec, size: int, state: StateBackend | None = None, columnar: bool = True
) -> list[Operator]:
    """The calls (COUNT, SUM, MIN, MAX; DISTINCT ones too) split over field 2 as the bucket: a local, an
    incremental and a final global aggregate, as the planner makes them."""
    results = len(spec.calls)
    if spec.input_retracts:
        spec = replace(spec, calls=(*spec.calls, COUNTED), count_star=results)
    partial = replace(spec, keys=(*spec.keys, 2))
    types = (*(spec.input_types[k] for k in partial.keys), *(call.type for call in spec.calls))
    calls = tuple(_final(call, len(partial.keys) + i) for i, call in enumerate(spec.calls))
    final = replace(spec, keys=tuple(range(len(spec.keys))), calls=calls, input_types=types, state_id="final")
    incremental = IncrementalGroupAggregateSpec(partial, final.keys)
    return [
        MapBundle(LocalGroupAggregate(partial, columnar), size),
        MapBundle(IncrementalGroupAggregate(incremental, state, lambda: 0, columnar), size),
        MapBundle(
            GlobalGroupAggregate(GlobalGroupAggregateSpec(final, results), state, lambda: 0, columnar), size
        ),
    ]


def _final(call: AggregateSpec, place: int) -> AggregateSpec:
    """What puts the partial results of a call together."""
    function = "$SUM0" if call.function == "COUNT" else call.function
    return AggregateSpec(function, (place,), (call.type,), call.type, call.retract)


def run(
    operators: Sequence[Operator], batches: Iterable[Sequence[Row]], spec: GroupAggregateSpec
) -> list[Row]:
    """The output; a barrier comes after the last batch."""
    chain = Chain(operators)
    out: list[Row] = []
    start = 0
    for batch in batches:
        out += all_rows(chain.changes(to_table(batch, spec.input_types, start)))
        start += len(batch)
    return out + all_rows(chain.barrier())


def by_key(rows: Iterable[Row], keys: int = 1) -> dict[object, list[Row]]:
    """The changes of each key, in their order: across keys there is none."""
    found: dict[object, list[Row]] = {}
    for row in rows:
        found.setdefault(repr(row[1 : 1 + keys]), []).append(row)
    return found
