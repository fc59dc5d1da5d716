"""Deduplication that keeps the first row of each key by processing time.

Flink: ProcTimeDeduplicateKeepFirstRowFunction. The state is the set of keys that have had a row.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from firesteel.changelog import field
from firesteel.runtime.columns.keys import find_keys
from firesteel.runtime.dataflow.operator import Clock, RowOperator
from firesteel.runtime.spec.rank import DeduplicateSpec
from firesteel.runtime.state.base import StateBackend
from firesteel.runtime.state.memory import memory_backend
from firesteel.types.arrow import to_arrow


class FirstArrivals(RowOperator):
    """Operator that sends the first row of each key, and drops all others.

    In bundles the changes are the same, sent when the bundle ends (Flink:
    ProcTimeMiniBatchDeduplicateKeepFirstRowFunction).

    Args:
        spec: Settings.
        state: State of the operator. None keeps it in this process.
        clock: Processing time.
    """

    def __init__(self, spec: DeduplicateSpec, state: StateBackend | None, clock: Clock) -> None:
        backend = state if state is not None else memory_backend()
        self._keys = spec.keys
        self._clock = clock
        key_types = [to_arrow(spec.input_types[i]) for i in spec.keys]
        self._seen = backend.value(f"{spec.state_id}.seen.v1", key_types, [pa.bool_()], spec.ttl)

    def process(self, changes: pa.Table) -> pa.Table:
        """Return the first row of each key that is not in the state yet, in input order."""
        if not changes.num_rows:
            return changes
        now = self._clock()
        keys = find_keys([changes.column(field(i)) for i in self._keys], changes.num_rows)
        new = np.flatnonzero(~self._seen.get(keys, now).found)
        if not len(new):
            return changes.slice(0, 0)
        self._seen.put(keys, new, [pa.array(np.ones(len(new), np.bool_))], now)
        return changes.take(pa.array(np.sort(keys.order[keys.starts[new]])))

    def finish_bundle(self, changes: pa.Table) -> pa.Table:
        """Return the first row of each key of a bundle that is not in the state yet."""
        return self.process(changes)
