"""GroupAggregate in bundles, in one phase (Flink: MiniBatchGroupAggFunction).

A bundle sends at most one change of result for each key. Retractions before the first row of an unknown key
are dropped. Later ones are applied, even if they match no row.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from firesteel.changelog import field
from firesteel.runtime.aggregate.reduce.net_changes import net_table, result_schema
from firesteel.runtime.aggregate.reduce.row_fallback import KeyedRows
from firesteel.runtime.aggregate.row_engine.accumulators import accumulators
from firesteel.runtime.aggregate.row_engine.handler import generate
from firesteel.runtime.aggregate.row_engine.map_state import Expiry
from firesteel.runtime.aggregate.scan.net_changes import NetChanges
from firesteel.runtime.aggregate.scan.plan import plan
from firesteel.runtime.columns.keys import Keys, find_keys
from firesteel.runtime.dataflow.operator import Clock
from firesteel.runtime.spec.operators import GroupAggregateSpec
from firesteel.runtime.state.base import StateBackend


class MiniBatchGroupAggregate:
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
        self._spec = spec
        self._clock = clock
        self._expiry = Expiry(spec.ttl)
        self._running = plan(spec) if columnar else None
        generated = generate(spec)
        in_columns = self._running is not None
        self._state, rows = accumulators(spec, generated.slots, state, in_columns, self._expiry)
        self._rows = KeyedRows(spec, generated, rows, self._expiry, len(spec.calls))
        self._schema = result_schema(spec, len(spec.calls))

    def finish_bundle(self, changes: pa.Table) -> pa.Table:
        """Return the changes of result, each with the origin of its key's last row."""
        self._expiry.now = self._clock()
        keys = self._keys(changes)
        net = None
        if self._running is not None and self._state is not None:
            net = self._running.process_bundle(changes, keys, self._state, self._expiry.now)
        if net is None:
            return self._table(changes, keys, self._rows.fold(changes, keys))
        out = self._table(changes, keys, net)
        if net.clean.all():
            return out
        rest = changes.take(pa.array(np.flatnonzero(~net.clean[keys.codes])))
        some = self._keys(rest)
        return pa.concat_tables([out, self._table(rest, some, self._rows.fold(rest, some))])

    def _keys(self, changes: pa.Table) -> Keys:
        return find_keys([changes.column(field(i)) for i in self._spec.keys], changes.num_rows)

    def _table(self, changes: pa.Table, keys: Keys, net: NetChanges) -> pa.Table:
        return net_table(net, keys, changes, self._spec.emit_update_before)
