"""BundleAggregate, the base of aggregates that merge bundles into one stored accumulator for each key."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from firesteel.changelog import field
from firesteel.runtime.aggregate.reduce.net_changes import net_table
from firesteel.runtime.aggregate.reduce.row_fallback import KeyedRows
from firesteel.runtime.aggregate.row_engine.accumulators import accumulators
from firesteel.runtime.aggregate.row_engine.handler import generate
from firesteel.runtime.aggregate.row_engine.map_state import Expiry
from firesteel.runtime.aggregate.scan.net_changes import NetChanges
from firesteel.runtime.columns.keys import Keys, find_keys
from firesteel.runtime.dataflow.operator import Clock
from firesteel.runtime.spec.operators import GroupAggregateSpec
from firesteel.runtime.state.base import StateBackend


class BundleAggregate(ABC):
    """BundleFunction (map_bundle.py) that sends at most one new result for each key of a bundle.

    Keys are processed in columns where that is possible. The row handler processes the others.

    Args:
        spec: Settings of the aggregate.
        keys: Positions of the key columns in the input.
        results: Number of aggregate calls whose results are sent.
        state: State of the operator. None keeps the accumulators in this process.
        clock: Processing time.
        in_columns: Whether all aggregate calls have a columnar form.
    """

    def __init__(
        self,
        spec: GroupAggregateSpec,
        keys: Sequence[int],
        results: int,
        state: StateBackend | None,
        clock: Clock,
        in_columns: bool,
    ) -> None:
        self._spec = spec
        self._key_positions = keys
        self._clock = clock
        self._expiry = Expiry(spec.ttl)
        generated = generate(spec)
        self._state, rows = accumulators(spec, generated.slots, state, in_columns, self._expiry)
        self._rows = KeyedRows(spec, generated, rows, self._expiry, results)

    def finish_bundle(self, changes: pa.Table) -> pa.Table:
        """Return the changes of results, each with the sequence and sub-sequence of its key's last row."""
        self._expiry.now = self._clock()
        keys = self._keys(changes)
        net = self._in_columns(changes, keys)
        if net is None:
            return self._table(changes, keys, self._by_row(changes, keys))
        out = self._table(changes, keys, net)
        if net.clean.all():
            return out
        rest = changes.take(pa.array(np.flatnonzero(~net.clean[keys.codes])))
        some = self._keys(rest)
        return pa.concat_tables([out, self._table(rest, some, self._by_row(rest, some))])

    @abstractmethod
    def _in_columns(self, changes: pa.Table, keys: Keys) -> NetChanges | None:
        """Merge a bundle in columns, except for the keys that are left to the row handler.

        Returns:
            The changes of results. None, with nothing written, if the row handler must process all keys.
        """

    @abstractmethod
    def _by_row(self, changes: pa.Table, keys: Keys) -> NetChanges:
        """Merge a bundle into the state with the row handler. Return the changes of results."""

    def _keys(self, changes: pa.Table) -> Keys:
        return find_keys([changes.column(field(i)) for i in self._key_positions], changes.num_rows)

    def _table(self, changes: pa.Table, keys: Keys, net: NetChanges) -> pa.Table:
        return net_table(net, keys, changes, self._spec.emit_update_before)
