"""Expiry of idle keys of a RANGE by processing time.

Flink: ProcTimeRangeBoundedPrecedingFunction. The rows and accumulators of a key are dropped some time after
its last row has left all frames: when the clock reaches the timer of the key. A row that comes at time t has
left all frames after t + range. If the timer of its key is before this moment, or the key has no timer, the
row sets the timer to t + 1.5 * range.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from firesteel.runtime.columns.keys import Keys, find_keys
from firesteel.runtime.operators.over.rows import Index
from firesteel.runtime.state.base import StateBackend

_NEVER = -(1 << 63)


class IdleKeyExpiry:
    """Timers of idle keys.

    Args:
        backend: State of the operator.
        name: Name of the states.
        key_types: Types of the key columns.
        range: Frame size in milliseconds.
    """

    def __init__(
        self, backend: StateBackend, name: str, key_types: Sequence[pa.DataType], range: int
    ) -> None:
        self._range = range
        self._until = backend.value(f"{name}/until", key_types, [pa.int64()])
        self._timers = backend.times(f"{name}/forget", key_types)

    def due(self, now: int) -> Keys:
        """Remove and return the keys that have expired."""
        rung = self._timers.take_until(now)
        keys = find_keys(rung.keys, len(rung.times))
        gone = np.flatnonzero(self._known(keys) <= now)
        if len(gone):
            nothing = [pa.nulls(len(gone), pa.int64())]
            self._until.put(keys, gone, nothing, 0, np.zeros(len(gone), np.bool_))
        at = pa.array(gone)
        return find_keys([column.take(at) for column in keys.columns], len(gone))

    def heard(self, columns: Sequence[pa.Array], count: int, now: int) -> None:
        """Set the timers of the keys of `count` new rows. `columns`: key columns of the rows.

        A key keeps its timer if the new rows will have left all frames by then.
        """
        keys = find_keys(columns, count)
        known = self._known(keys)
        later = np.flatnonzero((known == _NEVER) | (known < now + self._range + 1))
        if not len(later):
            return
        until = np.full(len(later), now + int(self._range * 1.5) + 1)
        self._timers.put(keys, later, until)
        self._until.put(keys, later, [pa.array(until)], 0)

    def _known(self, keys: Keys) -> Index:
        """Return the expiry time of each key, _NEVER for a key that has none."""
        (column,) = self._until.get(keys, 0).columns
        times: Index = column.fill_null(_NEVER).to_numpy()
        return times
