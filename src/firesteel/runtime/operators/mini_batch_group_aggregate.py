"""GroupAggregate in bundles, in one phase. Flink: MiniBatchGroupAggFunction.

A bundle gives at most one change of result a key. Retractions that come before the first row of an unknown
key are dropped; later ones are applied, even where they match nothing.
"""

from __future__ import annotations

from collections.abc import Callable

import pyarrow as pa

from firesteel.runtime.accumulator_state import AccumulatorState
from firesteel.runtime.accumulators import Accumulators, HeapAccumulators, StoredAccumulators
from firesteel.runtime.bundles.by_row import KeyedRows
from firesteel.runtime.bundles.net_changes import result_schema
from firesteel.runtime.handler import generate
from firesteel.runtime.keys import find_keys
from firesteel.runtime.map_view import Expiry
from firesteel.runtime.packets import orders
from firesteel.runtime.spec import GroupAggregateSpec, field
from firesteel.runtime.state.base import StateBackend


class MiniBatchGroupAggregate:
    """A BundleFunction (map_bundle.py). state: None keeps the accumulators in this process."""

    def __init__(
        self, spec: GroupAggregateSpec, state: StateBackend | None, clock: Callable[[], int]
    ) -> None:
        self._spec = spec
        self._clock = clock
        self._expiry = Expiry(spec.ttl)
        generated = generate(spec)
        accumulators: Accumulators = HeapAccumulators(self._expiry)
        if state is not None:
            stored = AccumulatorState(spec, generated.slots, state)
            accumulators = StoredAccumulators(stored, generated.slots, self._expiry)
        self._rows = KeyedRows(spec, generated, accumulators, self._expiry, len(spec.calls))
        self.schema = result_schema(spec, len(spec.calls))

    def finish_bundle(self, changes: pa.Table) -> pa.Table:
        """The changes of result, with the order of each key's last row."""
        self._expiry.now = self._clock()
        keys = find_keys([changes.column(field(i)) for i in self._spec.keys], changes.num_rows)
        net = self._rows.fold(changes, keys)
        last = keys.order[keys.starts + keys.counts - 1]
        return net.table(keys.columns, orders(changes)[last], self.schema, self._spec.emit_update_before)
