"""State of open sessions: their content by key and start, and their timers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from firesteel.runtime.columns.keys import Keys, find_keys
from firesteel.runtime.operators.window.sessions import OpenSessions
from firesteel.runtime.state.base import StateBackend

Index = NDArray[np.int64]
Mask = NDArray[np.bool_]


@dataclass(frozen=True)
class KeyedSessions:
    """s sessions with their keys.

    Attributes:
        keys: Key columns, s rows each.
        starts: int64[s], start of each session in milliseconds of the windows' time zone.
        ends: int64[s], end of each session, likewise.
        timers: int64[s], time at which each session fires.
        parts: Columns of what a session holds besides, such as its accumulators, s rows each.
    """

    keys: tuple[pa.Array, ...]
    starts: Index
    ends: Index
    timers: Index
    parts: tuple[pa.Array, ...]

    def __len__(self) -> int:
        return len(self.starts)

    def take(self, at: Index) -> KeyedSessions:
        """Return the sessions at the given positions."""
        place = pa.array(at)
        return KeyedSessions(
            tuple(key.take(place) for key in self.keys), self.starts[at], self.ends[at], self.timers[at],
            tuple(part.take(place) for part in self.parts),
        )  # fmt: skip

    def and_then(self, other: KeyedSessions) -> KeyedSessions:
        """Return these sessions, then the others."""
        return KeyedSessions(
            _behind(self.keys, other.keys),
            np.concatenate([self.starts, other.starts]),
            np.concatenate([self.ends, other.ends]),
            np.concatenate([self.timers, other.timers]),
            _behind(self.parts, other.parts),
        )


class SessionState:
    """State of open sessions.

    Args:
        backend: State of the operator.
        name: Name of the states.
        key_types: Types of the key columns.
        types: Types of the columns that a session holds besides its start and end.
    """

    def __init__(
        self, backend: StateBackend, name: str, key_types: Sequence[pa.DataType], types: Sequence[pa.DataType]
    ) -> None:
        self._types = [pa.int64(), *types]
        self._open = backend.ordered(f"{name}/open", pa.int64(), self._types)
        self._timers = backend.times(f"{name}/timers", [*key_types, pa.int64()])

    def of(self, keys: Keys) -> tuple[OpenSessions, tuple[pa.Array, ...]]:
        """Return the open sessions of some keys, and the columns that they hold besides start and end."""
        found = self._open.entries(keys, np.arange(len(keys)), 0)
        ends, *parts = found.columns
        return OpenSessions(found.owners, _numbers(found.sub_keys), _numbers(ends)), tuple(parts)

    def drop(self, keys: Keys, owners: Index, starts: Index, timers: Index) -> None:
        """Delete m open sessions that have fired or been merged.

        Args:
            keys: Keys of the batch.
            owners: int64[m], index of each session's key in `keys`.
            starts: int64[m], their starts.
            timers: int64[m], times at which they were to fire.
        """
        if len(owners):
            nothing = [pa.nulls(len(owners), kind) for kind in self._types]
            self._write(keys, owners, starts, timers, nothing, np.zeros(len(owners), np.bool_))

    def put(self, keys: Keys, owners: Index, sessions: KeyedSessions) -> None:
        """Write open sessions. `owners` has the index of each session's key in `keys`."""
        if len(owners):
            columns = [pa.array(sessions.ends), *sessions.parts]
            self._write(keys, owners, sessions.starts, sessions.timers, columns, None)

    def _write(
        self, keys: Keys, owners: Index, starts: Index, timers: Index, columns: Sequence[pa.Array],
        live: Mask | None,
    ) -> None:  # fmt: skip
        place, sub_keys = pa.array(owners), pa.array(starts)
        self._open.put(keys, owners, sub_keys, columns, 0, live)
        named = find_keys([*(key.take(place) for key in keys.columns), sub_keys], len(owners))
        self._timers.put(named, named.codes, timers, (), live)

    def next_timer(self) -> int | None:
        """Return the time of the next session to fire, None if none is open."""
        return self._timers.next_time()

    def take_until(self, time: int) -> KeyedSessions:
        """Remove and return the sessions that fire up to a time, sorted by their timers."""
        due = self._timers.take_until(time)
        keys = find_keys(due.keys[:-1], len(due.times))
        found = self._open.get(keys, keys.codes, due.keys[-1], 0)
        if len(due.times):
            nothing = [pa.nulls(len(due.times), kind) for kind in self._types]
            self._open.put(keys, keys.codes, due.keys[-1], nothing, 0, np.zeros(len(due.times), np.bool_))
        ends, *parts = found.columns
        return KeyedSessions(due.keys[:-1], _numbers(due.keys[-1]), _numbers(ends), due.times, tuple(parts))


def _numbers(column: pa.Array) -> Index:
    numbers: Index = column.to_numpy(zero_copy_only=False)
    return numbers.astype(np.int64, copy=False)


def _behind(first: Sequence[pa.Array], second: Sequence[pa.Array]) -> tuple[pa.Array, ...]:
    return tuple(pa.concat_arrays(pair) for pair in zip(first, second, strict=True))
