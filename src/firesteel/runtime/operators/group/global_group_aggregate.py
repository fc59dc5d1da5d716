"""GlobalGroupAggregate: merge the accumulators of local phases into the state.

Flink: MiniBatchGlobalGroupAggFunction. A bundle sends at most one change of result for each key. Retractions
of unknown keys are not dropped: the count of their group stays negative until the missing rows come.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pyarrow as pa

from firesteel.runtime.aggregate.reduce.columns import AccumulatorColumns
from firesteel.runtime.aggregate.reduce.keyed import KeyedMerge
from firesteel.runtime.aggregate.reduce.partial_accumulators import merge
from firesteel.runtime.aggregate.row_engine.handler import generate
from firesteel.runtime.aggregate.scan.column import NoPrefixScan
from firesteel.runtime.aggregate.scan.net_changes import NetChanges
from firesteel.runtime.aggregate.scan.plan import columnar_aggregates
from firesteel.runtime.columns.keys import Keys
from firesteel.runtime.dataflow.operator import Clock, Operator
from firesteel.runtime.operators.group.bundle_aggregate import BundleAggregate
from firesteel.runtime.operators.group.map_bundle import bundled
from firesteel.runtime.spec.operators import GlobalGroupAggregateSpec
from firesteel.runtime.state.base import StateBackend


class GlobalGroupAggregate(BundleAggregate):
    """Global phase as a BundleFunction (map_bundle.py).

    Args:
        spec: Settings.
        state: State of the operator. None keeps the accumulators in this process.
        clock: Processing time.
        columnar: False processes everything with the row handler.
    """

    def __init__(
        self,
        spec: GlobalGroupAggregateSpec,
        state: StateBackend | None,
        clock: Clock,
        columnar: bool = True,
    ) -> None:
        aggregate = spec.aggregate
        self._results = spec.results
        self._columns = AccumulatorColumns.of(aggregate)
        self._aggregates = columnar_aggregates(aggregate) if columnar else None
        in_columns = self._aggregates is not None
        super().__init__(aggregate, self._columns.keys, spec.results, state, clock, in_columns)

    def _in_columns(self, changes: pa.Table, keys: Keys) -> NetChanges | None:
        if self._aggregates is None or self._state is None:
            return None
        try:
            with np.errstate(over="ignore"):
                accumulators = merge(self._columns, self._spec, self._aggregates, changes, keys)
                whole = KeyedMerge(
                    self._spec, self._aggregates, self._state, keys, accumulators, self._expiry.now
                )
                return whole.run(self._results)
        except NoPrefixScan:
            return None

    def _by_row(self, changes: pa.Table, keys: Keys) -> NetChanges:
        return self._rows.merge(self._columns, changes, keys)


def build(spec: GlobalGroupAggregateSpec, state: StateBackend | None, clock: Clock) -> Operator:
    return bundled(GlobalGroupAggregate(spec, state, clock), spec.aggregate)


def code(spec: GlobalGroupAggregateSpec) -> Iterator[str]:
    yield f"-- GlobalGroupAggregate, in bundles of {spec.aggregate.bundle} rows"
    yield generate(spec.aggregate).source.rstrip()
