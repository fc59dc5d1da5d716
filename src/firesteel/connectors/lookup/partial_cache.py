"""Cache of the keys that were looked up (Flink: DefaultLookupCache, CachingLookupFunction)."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from threading import Lock

import numpy as np
import pyarrow as pa

from firesteel.connectors.lookup.options import PartialCache
from firesteel.kernels.column_hashes import U64, hash_columns
from firesteel.runtime.columns.keys import one_array
from firesteel.runtime.operators.lookup_join.lookup import FoundRows, Index, Lookup

Clock = Callable[[], int]


def monotonic_clock() -> int:
    """Return milliseconds of a clock that is never set back."""
    return time.monotonic_ns() // 1_000_000


@dataclass(frozen=True)
class _Entries:
    """The c cached keys with their rows, sorted by the first hash of the key.

    The cache does not store the keys themselves. Two keys are the same if both their 64-bit hashes are equal.

    Attributes:
        hash1, hash2: uint64[c], the two hashes of each key.
        written: int64[c], when each key's rows were read, in milliseconds of the cache's clock.
        used: int64[c], when each key was last looked up, in milliseconds of the cache's clock.
        starts, counts: int64[c], position in `columns` of each key's first row, and number of its rows. The
            rows of a key are next to each other.
        columns: Columns of the rows of all keys.
    """

    hash1: U64
    hash2: U64
    written: Index
    used: Index
    starts: Index
    counts: Index
    columns: tuple[pa.Array, ...]

    def __len__(self) -> int:
        return len(self.hash1)

    def places(self, hash1: U64, hash2: U64) -> Index:
        """Return the position in the cache of each key, given by its two hashes; -1 for a missing key."""
        if not len(self):
            return np.full(len(hash1), -1, np.int64)
        at = np.minimum(np.searchsorted(self.hash1, hash1), len(self) - 1)
        return np.where((self.hash1[at] == hash1) & (self.hash2[at] == hash2), at, -1)

    def rows(self, places: Index) -> FoundRows:
        """Return the rows of the cached keys at the given positions."""
        sizes = self.counts[places]
        key = np.repeat(np.arange(len(places), dtype=np.int64), sizes)
        within = np.arange(len(key)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        index = pa.array(self.starts[places][key] + within)
        return FoundRows(key, tuple(column.take(index) for column in self.columns))

    def kept(self, places: Index) -> _Entries:
        """Return entries with only the keys at the positions `places`, which ascend, and their rows."""
        rows = self.rows(places)
        counts = self.counts[places]
        return _Entries(
            *(self.hash1[places], self.hash2[places]),
            *(self.written[places], self.used[places]),
            *(np.cumsum(counts) - counts, counts),
            rows.columns,
        )


class PartialCached:
    """Lookup that caches the results of another lookup.

    Args:
        lookup: Lookup in the table.
        settings: When a key is dropped.
        clock: Function that returns the time in milliseconds.
    """

    def __init__(self, lookup: Lookup, settings: PartialCache, clock: Clock = monotonic_clock) -> None:
        self._lookup = lookup
        self._settings = settings
        self._clock = clock
        self._entries: _Entries | None = None
        self._lock = Lock()

    def __len__(self) -> int:
        return 0 if self._entries is None else len(self._entries)

    def find(self, keys: Sequence[pa.Array]) -> FoundRows:
        asked = [one_array(column) for column in keys]
        hashes = hash_columns(asked, len(asked[0]))
        with self._lock:
            entries, places = self._fresh(*hashes)
            missed = np.flatnonzero(places < 0)
            if entries is not None and not len(missed):
                return entries.rows(places)
            found = self._lookup.find([column.take(pa.array(missed)) for column in asked])
            self._keep(entries, hashes[0][missed], hashes[1][missed], found)
        if entries is None:
            return found
        there = np.flatnonzero(places >= 0)
        known = entries.rows(places[there])
        columns = [pa.concat_arrays(pair) for pair in zip(known.columns, found.columns, strict=True)]
        return FoundRows.sorted(np.concatenate([there[known.at], missed[found.at]]), columns)

    def _fresh(self, hash1: U64, hash2: U64) -> tuple[_Entries | None, Index]:
        """Drop expired entries, and look up keys in the others. The found keys count as used now.

        Args:
            hash1, hash2: The hashes of each key to look up.

        Returns:
            The entries that are left (None if nothing is cached yet), and for each key its position in them,
            -1 if it is not cached.
        """
        entries, now = self._entries, self._clock()
        if entries is None:
            return None, np.full(len(hash1), -1, np.int64)
        alive = np.ones(len(entries), np.bool_)
        for since, limit in (
            (entries.written, self._settings.after_write),
            (entries.used, self._settings.after_access),
        ):
            if limit is not None:
                alive &= now - since < limit
        if not alive.all():
            entries = entries.kept(np.flatnonzero(alive))
        places = entries.places(hash1, hash2)
        used = entries.used.copy()
        used[places[places >= 0]] = now
        self._entries = replace(entries, used=used)
        return self._entries, places

    def _keep(self, entries: _Entries | None, hash1: U64, hash2: U64, found: FoundRows) -> None:
        """Add keys and the rows found for them. Beyond the limit, drop those unused for the longest time."""
        counts = np.bincount(found.at, minlength=len(hash1)).astype(np.int64)
        now = np.full(len(hash1), self._clock(), np.int64)
        added = _Entries(hash1, hash2, now, now, np.cumsum(counts) - counts, counts, found.columns)
        wanted = np.arange(len(hash1)) if self._settings.keeps_missing else np.flatnonzero(counts)
        every = added if entries is None else _together(entries, added)
        before = 0 if entries is None else len(entries)
        places = np.concatenate([np.arange(before), before + wanted])
        most = self._settings.most
        if most is not None and len(places) > most:
            places = places[np.argsort(-every.used[places], kind="stable")[:most]]
        self._entries = every.kept(places[np.argsort(every.hash1[places], kind="stable")])


def _together(one: _Entries, other: _Entries) -> _Entries:
    rows = len(one.columns[0]) if one.columns else 0
    columns = tuple(pa.concat_arrays(pair) for pair in zip(one.columns, other.columns, strict=True))
    return _Entries(
        np.concatenate([one.hash1, other.hash1]),
        np.concatenate([one.hash2, other.hash2]),
        np.concatenate([one.written, other.written]),
        np.concatenate([one.used, other.used]),
        np.concatenate([one.starts, other.starts + rows]),
        np.concatenate([one.counts, other.counts]),
        columns,
    )
