"""Time state over sorted runs."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from firesteel.kernels.column_hashes import U64
from firesteel.runtime.columns.keys import Keys
from firesteel.runtime.state.base import Due, Found
from firesteel.runtime.state.levels import Levels
from firesteel.runtime.state.look_up import look_up
from firesteel.runtime.state.merge import merge
from firesteel.runtime.state.runs import Index, Mask, Run, place, position
from firesteel.runtime.state.sort import run_order

_SIGN = np.uint64(1 << 63)
_FIRST_READ = 64
_FASTER = 8


class SortedTimeState:
    """`TimeState` over sorted runs. The columns of a run are the key columns, then the values."""

    def __init__(self, levels: Levels, key_types: Sequence[pa.DataType], types: Sequence[pa.DataType]):
        self.levels = levels
        self._key_types = tuple(key_types)
        self._types = tuple(types)

    def get(self, keys: Keys, owners: Index, times: Index) -> Found:
        words = self._words(keys, owners, times)
        order = np.argsort(words[0], kind="stable")
        wanted = Run(words, ()).take(order)
        found = look_up(self.levels, wanted, 0, len(self._key_types), self._types)
        back = np.empty_like(order)
        back[order] = np.arange(len(order))
        at = pa.array(back)
        return Found(found.found[back], tuple(column.take(at) for column in found.columns))

    def put(
        self, keys: Keys, owners: Index, times: Index, columns: Sequence[pa.Array] = (),
        live: Mask | None = None,
    ) -> None:  # fmt: skip
        at = pa.array(owners)
        own = tuple(column.take(at) for column in keys.columns)
        run = Run(self._words(keys, owners, times), (*own, *columns), live)
        self.levels.add(run.take(run_order(run)), 0)

    def take_until(self, time: int) -> Due:
        due = self.read_until(time)
        self.drop_until(time)
        return due

    def read_until(self, time: int) -> Due:
        runs = [run.slice(0, position(run, _after(time))) for _, run in self.levels.clipped_runs()]
        runs = [run for run in runs if len(run)]
        return self._due(merge(runs, True, None) if runs else None)

    def drop_until(self, time: int) -> None:
        if any(position(run, _after(time)) for _, run in self.levels.clipped_runs()):
            self.levels.drop_below(_after(time))

    def next_time(self) -> int | None:
        runs, count = [run for _, run in self.levels.clipped_runs() if len(run)], _FIRST_READ
        while runs:
            read = merge([run.slice(0, min(count, len(run))) for run in runs], False, None)
            live = np.flatnonzero(read.there(np.arange(len(read)), None))
            known = min((place(run, count - 1) for run in runs if len(run) > count), default=None)
            if len(live) and (known is None or place(read, int(live[0])) <= known):
                return int(times_of(read.words[0][live[:1]])[0])
            if known is None:
                return None
            count *= _FASTER
        return None

    def _words(self, keys: Keys, owners: Index, times: Index) -> tuple[U64, ...]:
        return times.astype(np.int64).view(np.uint64) ^ _SIGN, keys.hash1[owners], keys.hash2[owners]

    def _due(self, run: Run | None) -> Due:
        width = len(self._key_types)
        if run is None:
            none = [pa.nulls(0, kind) for kind in (*self._key_types, *self._types)]
            return Due(np.zeros(0, np.int64), tuple(none[:width]), tuple(none[width:]))
        return Due(times_of(run.words[0]), run.columns[:width], run.columns[width:])


def _after(time: int) -> int:
    """Return the first place above those of all entries with times up to `time`."""
    return (time + (1 << 63) + 1) << 64


def times_of(words: U64) -> Index:
    """Return the times of n entries from their first words, int64[n].

    The first word is the time with its sign bit inverted. So unsigned words sort like signed times.
    """
    return (words ^ _SIGN).view(np.int64)
