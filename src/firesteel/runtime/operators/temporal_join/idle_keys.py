"""Idle keys of a temporal join, whose state is dropped.

Flink: BaseTwoInputStreamOperatorWithStateRetention. Each key has one timer, in processing time. When the
clock reaches the timer, all state of the key is dropped. A key is used when it gets a row, or when a
watermark processes its waiting rows and versions. Each use may set the timer (ttl is the time to live):

    timer of the key              after the use
    none, or before now + ttl     now + 1.5 * ttl
    at or after now + ttl         unchanged
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from firesteel.runtime.columns.keys import Keys, find_keys
from firesteel.runtime.state.base import StateBackend

_NEVER = -(1 << 63)


class IdleKeys:
    """Timers of idle keys, by processing time.

    Args:
        backend: State of the operator.
        name: Name of the states.
        key_types: Types of the key columns.
        ttl: Time to live in milliseconds (table.exec.state.ttl).
    """

    def __init__(self, backend: StateBackend, name: str, key_types: Sequence[pa.DataType], ttl: int) -> None:
        self._ttl = ttl
        self._until = backend.value(f"{name}/until", key_types, [pa.int64()])
        self._timers = backend.times(f"{name}/timers", key_types)

    def due(self, now: int) -> Keys:
        """Remove and return the keys that have been idle for too long."""
        rung = self._timers.take_until(now)
        keys = find_keys(rung.keys, len(rung.times))
        (known,) = self._until.get(keys, 0).columns
        until = known.fill_null(_NEVER).to_numpy()
        gone = np.flatnonzero((until != _NEVER) & (until <= now))
        if len(gone):
            nothing = [pa.nulls(len(gone), pa.int64())]
            self._until.put(keys, gone, nothing, 0, np.zeros(len(gone), np.bool_))
        at = pa.array(gone)
        return find_keys([column.take(at) for column in keys.columns], len(gone))

    def touch(self, keys: Keys, now: int) -> None:
        """Set the timers of keys that have new rows, or whose rows and versions a watermark has processed."""
        (known,) = self._until.get(keys, 0).columns
        until = known.fill_null(_NEVER).to_numpy()
        later = np.flatnonzero(until < now + self._ttl)
        if len(later):
            times = np.full(len(later), now + self._ttl * 3 // 2)
            self._timers.put(keys, later, times)
            self._until.put(keys, later, [pa.array(times)], 0)
