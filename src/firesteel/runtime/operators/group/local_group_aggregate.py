"""LocalGroupAggregate: reduce bundles of rows to accumulators by key, before the exchange.

Flink: MiniBatchLocalGroupAggFunction. It has no state and drops no retraction: the retracted row may have
come in an earlier bundle.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pyarrow as pa

from firesteel.changelog import field
from firesteel.runtime.aggregate.reduce.columns import AccumulatorColumns
from firesteel.runtime.aggregate.reduce.partial_accumulators import lift
from firesteel.runtime.aggregate.reduce.row_fallback import LocalRows
from firesteel.runtime.aggregate.row_engine.handler import generate
from firesteel.runtime.aggregate.scan.column import NoPrefixScan
from firesteel.runtime.aggregate.scan.plan import columnar_aggregates
from firesteel.runtime.aggregate.scan.segments import Index
from firesteel.runtime.columns.keys import Keys, find_keys
from firesteel.runtime.dataflow.operator import Clock, Operator
from firesteel.runtime.dataflow.sequence import by_origin, heads
from firesteel.runtime.operators.group.map_bundle import bundled
from firesteel.runtime.spec.operators import GroupAggregateSpec, LocalGroupAggregateSpec
from firesteel.runtime.state.base import StateBackend


class LocalGroupAggregate:
    """Local phase as a BundleFunction (map_bundle.py): one row of accumulators for each key of a bundle.

    Args:
        spec: Keys and calls.
        columnar: False processes everything with the row handler.
    """

    def __init__(self, spec: GroupAggregateSpec, columnar: bool = True) -> None:
        self._spec = replace(spec, ttl=0)
        self._columns = AccumulatorColumns.of(self._spec)
        self._generated = generate(self._spec)
        self._rows = LocalRows(self._spec, self._generated)
        self._aggregates = columnar_aggregates(self._spec) if columnar else None

    def finish_bundle(self, changes: pa.Table) -> pa.Table:
        """Return one row for each key, with the sequence and sub-sequence of the key's last row."""
        keys = find_keys([changes.column(field(i)) for i in self._spec.keys], changes.num_rows)
        last = keys.order[keys.starts + keys.counts - 1]
        by = by_origin(heads(changes).take(pa.array(last)))
        if by is None:
            by = np.arange(len(keys))
        columns = [column.take(pa.array(by)) for column in keys.columns]
        return self._columns.table(changes, last[by], columns, self._parts(changes, keys, by))

    def _parts(self, changes: pa.Table, keys: Keys, by: Index) -> list[pa.Array]:
        """Return the columns of the accumulators, one row for each key index in `by`, in this order."""
        if self._aggregates is not None:
            try:
                with np.errstate(over="ignore"):
                    accumulators = lift(self._spec, self._aggregates, changes, keys)
                    return accumulators.columns(self._columns.slots, by)
            except NoPrefixScan:
                pass
        parts = self._columns.from_rows(self._rows.fold(changes, keys), self._generated.slots)
        return [part.take(pa.array(by)) for part in parts]


def build(spec: LocalGroupAggregateSpec, state: StateBackend | None, clock: Clock) -> Operator:
    return bundled(LocalGroupAggregate(spec.aggregate), spec.aggregate, spec.aggregate.keys)


def code(spec: LocalGroupAggregateSpec) -> Iterator[str]:
    yield f"-- LocalGroupAggregate, in bundles of {spec.aggregate.bundle} rows"
    yield generate(spec.aggregate).source.rstrip()
