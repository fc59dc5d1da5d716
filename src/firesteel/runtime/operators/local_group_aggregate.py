"""LocalGroupAggregate: bundles of rows to accumulators by key, where the rows are. Flink:
MiniBatchLocalGroupAggFunction.

It keeps no state and drops no retraction: what a bundle takes back may have come in an earlier one.
"""

from __future__ import annotations

from dataclasses import replace

import pyarrow as pa

from firesteel.runtime.bundles.by_row import LocalRows
from firesteel.runtime.bundles.columns import AccumulatorColumns
from firesteel.runtime.handler import generate
from firesteel.runtime.keys import find_keys
from firesteel.runtime.packets import orders
from firesteel.runtime.spec import GroupAggregateSpec, field


class LocalGroupAggregate:
    """A BundleFunction (map_bundle.py): one row of accumulators for each key of a bundle."""

    def __init__(self, spec: GroupAggregateSpec) -> None:
        self._spec = replace(spec, ttl=0)
        self._columns = AccumulatorColumns.of(self._spec)
        self._generated = generate(self._spec)
        self._rows = LocalRows(self._spec, self._generated)
        self.schema = self._columns.schema()

    def finish_bundle(self, changes: pa.Table) -> pa.Table:
        """A row a key, with the order of the key's last row."""
        keys = find_keys([changes.column(field(i)) for i in self._spec.keys], changes.num_rows)
        accs = self._rows.fold(changes, keys)
        parts = self._columns.from_rows(accs, self._generated.slots)
        last = keys.order[keys.starts + keys.counts - 1]
        return self._columns.table(pa.array(orders(changes)[last]), keys.columns, parts)
