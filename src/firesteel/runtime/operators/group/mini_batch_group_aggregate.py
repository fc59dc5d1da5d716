"""GroupAggregate in bundles, in one phase (Flink: MiniBatchGroupAggFunction).

A bundle sends at most one change of result for each key. Retractions before the first row of an unknown key
are dropped. Later ones are applied, even if they match no row.
"""

from __future__ import annotations

import pyarrow as pa

from firesteel.runtime.aggregate.scan.net_changes import NetChanges
from firesteel.runtime.aggregate.scan.plan import plan
from firesteel.runtime.columns.keys import Keys
from firesteel.runtime.dataflow.operator import Clock
from firesteel.runtime.operators.group.bundle_aggregate import BundleAggregate
from firesteel.runtime.spec.operators import GroupAggregateSpec
from firesteel.runtime.state.base import StateBackend


class MiniBatchGroupAggregate(BundleAggregate):
    """GroupAggregate as a BundleFunction (map_bundle.py).

    Args:
        spec: Settings.
        state: State of the operator. None keeps the accumulators in this process.
        clock: Processing time.
        columnar: False processes everything with the row handler.
    """

    def __init__(
        self,
        spec: GroupAggregateSpec,
        state: StateBackend | None,
        clock: Clock,
        columnar: bool = True,
    ) -> None:
        self._scan = plan(spec) if columnar else None
        super().__init__(spec, spec.keys, len(spec.calls), state, clock, self._scan is not None)

    def _in_columns(self, changes: pa.Table, keys: Keys) -> NetChanges | None:
        if self._scan is None or self._state is None:
            return None
        return self._scan.process_bundle(changes, keys, self._state, self._expiry.now)

    def _by_row(self, changes: pa.Table, keys: Keys) -> NetChanges:
        return self._rows.fold(changes, keys)
