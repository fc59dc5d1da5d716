"""GlobalGroupAggregate: accumulators of local phases merged into the state's. Flink:
MiniBatchGlobalGroupAggFunction.

A bundle gives at most one change of result a key. Retractions of unknown keys are not dropped: their group
has a negative count until the rows that it lacks have come.
"""

from __future__ import annotations

from collections.abc import Callable

import pyarrow as pa

from firesteel.runtime.accumulator_state import AccumulatorState
from firesteel.runtime.accumulators import Accumulators, HeapAccumulators, StoredAccumulators
from firesteel.runtime.bundles.by_row import KeyedRows
from firesteel.runtime.bundles.columns import AccumulatorColumns
from firesteel.runtime.bundles.net_changes import result_schema
from firesteel.runtime.handler import generate
from firesteel.runtime.keys import find_keys
from firesteel.runtime.map_view import Expiry
from firesteel.runtime.packets import orders
from firesteel.runtime.spec import GlobalGroupAggregateSpec, field
from firesteel.runtime.state.base import StateBackend


class GlobalGroupAggregate:
    """A BundleFunction (map_bundle.py). state: None keeps the accumulators in this process."""

    def __init__(
        self, spec: GlobalGroupAggregateSpec, state: StateBackend | None, clock: Callable[[], int]
    ) -> None:
        self._spec = spec.aggregate
        self._clock = clock
        self._columns = AccumulatorColumns.of(self._spec)
        self._expiry = Expiry(self._spec.ttl)
        generated = generate(self._spec)
        accumulators: Accumulators = HeapAccumulators(self._expiry)
        if state is not None:
            stored = AccumulatorState(self._spec, generated.slots, state)
            accumulators = StoredAccumulators(stored, generated.slots, self._expiry)
        self._rows = KeyedRows(self._spec, generated, accumulators, self._expiry, spec.results)
        self.schema = result_schema(self._spec, spec.results)

    def finish_bundle(self, changes: pa.Table) -> pa.Table:
        """The changes of result, with the order of each key's last row."""
        self._expiry.now = self._clock()
        keys = find_keys([changes.column(field(i)) for i in self._columns.keys], changes.num_rows)
        net = self._rows.merge(self._columns, changes, keys)
        last = keys.order[keys.starts + keys.counts - 1]
        return net.table(keys.columns, orders(changes)[last], self.schema, self._spec.emit_update_before)
