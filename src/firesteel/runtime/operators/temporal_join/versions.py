"""The versions that a temporal join keeps, and the timers of their keys."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from firesteel.kernels.temporal_join import NEVER, NONE, join_versions
from firesteel.kernels.types import given
from firesteel.runtime.columns.keys import Keys
from firesteel.runtime.columns.sorting import stable_order_by
from firesteel.runtime.dataflow.operator import MAX_WATERMARK
from firesteel.runtime.state.base import Entries, StateBackend

Index = NDArray[np.int64]
Mask = NDArray[np.bool_]


@dataclass(frozen=True)
class Arrived:
    """n rows of one input, in arrival order.

    Attributes:
        owners: int64[n], key of each row, as an index into the keys of the batch.
        times: int64[n], milliseconds.
        watermarks: int64[n], index of the first watermark of the batch that follows each row and passes its
            time. The count of the batch's watermarks if none does.
        before: int64[n], how many watermarks of the batch come before each row.
    """

    owners: Index
    times: Index
    watermarks: Index
    before: Index


@dataclass(frozen=True)
class Matched:
    """Versions found for r rows.

    Attributes:
        columns: Columns of the versions: the stored ones, then the new ones.
        found: int64[r], position in `columns` of the version that each row joins, NONE for none.
    """

    columns: tuple[pa.Array, ...]
    found: Index


class Versions:
    """State of the versions, by key and time, and of the timers of the keys.

    Args:
        backend: State of the operator.
        name: Name of the states.
        key_types: Types of the key columns.
        types: Types of the columns of a version.
    """

    def __init__(
        self, backend: StateBackend, name: str, key_types: Sequence[pa.DataType], types: Sequence[pa.DataType]
    ) -> None:
        self._types = tuple(types)
        self._versions = backend.ordered(f"{name}/versions", pa.int64(), types)
        self._timer = backend.value(f"{name}/timer", key_types, [pa.int64()])
        self._timers = backend.times(f"{name}/timers", key_types)

    def due(self, time: int) -> tuple[pa.Array, ...]:
        """Remove the timers up to a time, and return the key columns of these timers.

        A timer may be outdated, because its key has a newer one. `join` processes a key for a timer only if
        the newest timer of the key is due.
        """
        return self._timers.take_until(time).keys

    def clear(self, keys: Keys) -> None:
        """Forget all versions and timers of some keys."""
        every = np.arange(len(keys))
        self._versions.clear(keys, every, 0)
        self._timer.put(keys, every, [pa.nulls(len(keys), pa.int64())], 0, np.zeros(len(keys), np.bool_))

    def join(
        self,
        keys: Keys,
        rows: Arrived,
        new: Arrived,
        columns: Sequence[pa.Array],
        watermarks: Index,
        passed: int,
    ) -> Matched:
        """Find the version of each row, store new versions, and drop versions that no later row needs.

        Args:
            keys: All keys of the batch.
            rows: r rows that the watermarks of the batch release.
            new: n new versions.
            columns: Columns of the new versions.
            watermarks: int64[m], ascending watermarks of the batch.
            passed: Watermark before the batch, in milliseconds.
        """
        known = self._timer.get(keys, 0).columns[0].fill_null(NEVER).to_numpy()
        matching = _VersionMatching(keys, rows, new, known, watermarks, passed)
        stored = self._stored(keys, matching.fires, watermarks)
        matching.add_stored(stored)
        found = matching.run()
        self._store(keys, matching, stored, new, columns)
        self._set_timers(keys, known, matching.timers)
        kept = stored.columns if len(stored.columns) else tuple(pa.nulls(0, kind) for kind in self._types)
        whole = tuple(pa.concat_arrays([old, own]) for old, own in zip(kept, columns, strict=True))
        return Matched(whole, found)

    def _stored(self, keys: Keys, fires: Mask, watermarks: Index) -> Entries:
        """Return the stored versions of some keys, with times up to the last watermark.

        `fires`: bool[g], which keys are read: those that a watermark of the batch processes.
        """
        owners = np.flatnonzero(fires)
        if not len(owners):
            return Entries(owners, pa.nulls(0, pa.int64()), tuple(pa.nulls(0, kind) for kind in self._types))
        last = int(watermarks[-1])
        high = None if last == MAX_WATERMARK else pa.array(np.full(len(owners), last + 1))
        return self._versions.range(keys, owners, None, high, 0)

    def _store(
        self,
        keys: Keys,
        matching: _VersionMatching,
        stored: Entries,
        new: Arrived,
        columns: Sequence[pa.Array],
    ) -> None:
        gone = np.flatnonzero(matching.dropped[: len(stored.owners)])
        if len(gone):
            at = pa.array(gone)
            self._versions.put(
                keys, stored.owners[gone], stored.sub_keys.take(at),
                [column.take(at) for column in stored.columns], 0, np.zeros(len(gone), np.bool_),
            )  # fmt: skip
        kept = matching.kept_new()
        if len(kept):
            at = pa.array(kept)
            taken = [column.take(at) for column in columns]
            self._versions.put(keys, new.owners[kept], pa.array(new.times[kept]), taken, 0)

    def _set_timers(self, keys: Keys, known: Index, timers: Index) -> None:
        changed = np.flatnonzero(timers != known)
        if not len(changed):
            return
        times = timers[changed]
        self._timer.put(keys, changed, [pa.array(times)], 0, times != NEVER)
        waits = changed[times != NEVER]
        self._timers.put(keys, waits, timers[waits])


class _VersionMatching:
    """One run of the kernel that finds the version of each row.

    Each version has an id: stored versions come first, then the new ones.

    Args:
        keys: The g keys of the batch.
        rows: r rows that the watermarks of the batch release.
        new: n new versions.
        known: int64[g], timer of each key before the batch, NEVER for none.
        watermarks: int64[m], ascending watermarks of the batch.
        passed: Watermark before the batch, in milliseconds.
    """

    def __init__(
        self, keys: Keys, rows: Arrived, new: Arrived, known: Index, watermarks: Index, passed: int
    ) -> None:
        self._rows, self._new, self._known, self._watermarks = rows, new, known, watermarks
        self._groups = len(keys)
        self._by_row = stable_order_by(rows.owners, rows.watermarks)
        self._by_new = stable_order_by(new.owners)
        reached = np.concatenate([[passed], watermarks])
        self._is_late = new.times <= reached[new.before]
        self._timer_watermarks = np.searchsorted(watermarks, known)
        self.fires = self._timer_watermarks < len(watermarks)
        self.fires[rows.owners] = True
        self.fires[new.owners[new.watermarks < len(watermarks)]] = True
        self.timers = np.empty(self._groups, np.int64)
        self.dropped = np.zeros(0, np.bool_)
        self._placed = np.zeros(0, np.int64)

    def add_stored(self, stored: Entries) -> None:
        """Fill the arrays of the kernel with stored and new versions, sorted by key and time.

        Late versions are not among them. The kernel inserts these one by one, so each key has a free slot for
        each of its late versions. Of the versions of a key with equal times, only the last one stays.
        """
        count = len(stored.owners)
        new, last = self._new, int(self._watermarks[-1]) if len(self._watermarks) else -(1 << 63)
        fires = self.fires[new.owners]
        self._listed = fires & (self._is_late | (new.times <= last))
        early = np.flatnonzero(self._listed & ~self._is_late)
        owners = np.concatenate([stored.owners, new.owners[early]])
        times = np.concatenate([stored.sub_keys.to_numpy(), new.times[early]])
        ids = np.concatenate([np.arange(count), count + early])
        by = stable_order_by(owners, times)
        owners, times, ids = owners[by], times[by], ids[by]
        is_last = np.ones(len(by), np.bool_)
        is_last[:-1] = (owners[1:] != owners[:-1]) | (times[1:] != times[:-1])
        self.dropped = np.zeros(count + len(new.owners), np.bool_)
        self.dropped[ids[~is_last]] = True
        owners, times, ids = owners[is_last], times[is_last], ids[is_last]
        late = np.bincount(new.owners[self._listed & self._is_late], minlength=self._groups)
        self.sizes = np.bincount(owners, minlength=self._groups)
        room = self.sizes + late
        self._starts = np.cumsum(room) - room
        self._times, self._ids = np.empty(room.sum(), np.int64), np.empty(room.sum(), np.int64)
        at = np.arange(len(owners)) + (self._starts - (np.cumsum(self.sizes) - self.sizes))[owners]
        self._times[at], self._ids[at] = times, ids
        self._stored = count

    def run(self) -> Index:
        """Return the id of the version that each row joins, int64[r], NONE if it joins none."""
        rows, new, order = self._rows, self._new, self._by_new
        found, firsts = np.empty(len(rows.owners), np.int64), self._starts.copy()
        late = self._listed & self._is_late
        ids = np.where(late, self._stored + np.arange(len(new.owners)), NONE)
        # A watermark must process a key at its stored timer, as it does for a new version. So the kernel gets
        # this timer as the first new version of the key. It has no id (NONE), so no row joins it.
        has_timer = np.flatnonzero(self._known != NEVER)
        owners = np.concatenate([has_timer, new.owners[order]])
        by = stable_order_by(owners)
        none = np.zeros(len(has_timer), np.int64)
        columns = [
            np.concatenate([none, new.before[order]])[by],
            np.concatenate([self._timer_watermarks[has_timer], new.watermarks[order]])[by],
            np.concatenate([self._known[has_timer], new.times[order]])[by],
            np.concatenate([none + NONE, ids[order]])[by],
        ]
        join_versions(
            found, self.timers, firsts, self.sizes, self._times, self._ids, self.dropped,
            np.empty(len(owners), np.int64),
            *given(
                self._starts, _bounds(rows.owners, self._groups), rows.watermarks[self._by_row],
                rows.times[self._by_row], _bounds(owners, self._groups), *columns, self._watermarks,
            ),
        )  # fmt: skip
        at = np.arange(self.sizes.sum())
        at += np.repeat(firsts - (np.cumsum(self.sizes) - self.sizes), self.sizes)
        self._placed = self._ids[at]
        back = np.empty(len(found), np.int64)
        back[self._by_row] = found
        return back

    def kept_new(self) -> Index:
        """Return the numbers of the new versions to store, in the order in which they came."""
        new = self._new
        kept = ~self._listed
        kept[self._placed[self._placed >= self._stored] - self._stored] = True
        at = np.flatnonzero(kept)
        by = at[stable_order_by(new.owners[at], new.times[at])]
        owners, times = new.owners[by], new.times[by]
        is_last = np.ones(len(by), np.bool_)
        is_last[:-1] = (owners[1:] != owners[:-1]) | (times[1:] != times[:-1])
        return np.sort(by[is_last])


def _bounds(owners: Index, groups: int) -> Index:
    """Return where the entries of each key begin if sorted by key, then the count of all, int64[g + 1].

    `owners`: key of each entry, from 0. `groups`: number of keys g.
    """
    counts = np.bincount(owners, minlength=groups)
    return np.concatenate([[0], np.cumsum(counts)])
