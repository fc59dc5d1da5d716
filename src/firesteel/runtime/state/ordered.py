"""Ordered map state over sorted runs."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from firesteel.errors import InternalError
from firesteel.kernels.column_hashes import Words, null_mask
from firesteel.runtime.columns.keys import Keys
from firesteel.runtime.columns.sorting import stable_order
from firesteel.runtime.state.base import Entries, Found
from firesteel.runtime.state.levels import Levels
from firesteel.runtime.state.look_up import entries_in
from firesteel.runtime.state.order_codes import SortOrder, is_exact, order_codes, order_words
from firesteel.runtime.state.runs import Index, Mask, Run, bisect, slices
from firesteel.runtime.state.states import SortedMapState
from firesteel.runtime.state.walk import Stretch, Walk


class SortedOrderedMapState(SortedMapState):
    """`OrderedMapState` over sorted runs. The columns of a run are the sub-key, then the values.

    If the sub-key has several columns, the first column of a run is its order code, before the sub-key: bytes
    that sort like the sub-key (order_codes.py).
    """

    def __init__(
        self, levels: Levels, sub_type: pa.DataType, types: Sequence[pa.DataType], orders: Sequence[SortOrder]
    ) -> None:
        super().__init__(levels, sub_type, types)
        self._orders = tuple(orders)
        self._exact = is_exact(sub_type)
        self._lead = 2 if orders else 1

    def first(
        self, keys: Keys, owners: Index, counts: Index, now: int, start: pa.Array | None = None
    ) -> Entries:
        return self._walk(keys, owners, counts, now, start, backwards=False)

    def last(
        self, keys: Keys, owners: Index, counts: Index, now: int, start: pa.Array | None = None
    ) -> Entries:
        return self._walk(keys, owners, counts, now, start, backwards=True)

    def range(
        self, keys: Keys, owners: Index, low: pa.Array | None, high: pa.Array | None, now: int
    ) -> Entries:
        stretches = [
            (each.run, each.low, each.high)
            for each in self._stretches(self._wanted(keys, owners, low), self._wanted(keys, owners, high))
        ]
        return self._entries(owners, entries_in(self.levels, keys.hash2[owners], stretches, now))

    def floor(self, keys: Keys, owners: Index, sub_keys: pa.Array, now: int) -> Found:
        order = stable_order(owners)
        owners, sub_keys = owners[order], sub_keys.take(pa.array(order))
        ones = np.ones(len(owners), np.int64)
        entries = self._walk(keys, owners, ones, now, sub_keys, backwards=True, index=True)
        at = np.full(len(owners), -1, np.int64)
        at[order[entries.owners]] = np.arange(len(entries.owners))
        found = at >= 0
        back = pa.array(at, mask=~found)
        return Found(found, tuple(c.take(back) for c in (entries.sub_keys, *entries.columns)))

    def _walk(
        self, keys: Keys, owners: Index, counts: Index, now: int, start: pa.Array | None, backwards: bool,
        index: bool = False,
    ) -> Entries:  # fmt: skip
        """Return the first entries of some keys, or with `backwards` the last ones.

        `counts`: int64[m], number of entries wanted of each key in `owners`. `start`: m sub-keys at which the
        read of each key begins. None: it begins at the key's first entry, with `backwards` at its last. With
        `index`, `owners` may contain a key several times, and the `owners` of the result are positions in the
        argument `owners`. Without `index`, they are indices into `keys`.
        """
        bound = self._wanted(keys, owners, start)
        if backwards:
            stretches = self._stretches(self._wanted(keys, owners, None), bound, inclusive=True)
        else:
            stretches = self._stretches(bound, self._wanted(keys, owners, None))
        walk = Walk(stretches, keys.hash2[owners], counts, backwards, self.levels.expiry(now))
        return self._entries(np.arange(len(owners)) if index else owners, walk.run())

    def _wanted(self, keys: Keys, owners: Index, sub_keys: pa.Array | None) -> Run:
        """Return a run of the keys and sub-keys to search for. Without sub-keys, it has only the keys."""
        if sub_keys is None:
            return Run((keys.hash1[owners],), ())
        return self._named(keys, owners, sub_keys)

    def _stretches(self, low: Run, high: Run, inclusive: bool = False) -> list[Stretch]:
        """Return where each run has the keys' entries from `low` to `high`, newest run first.

        `low` and `high` are runs that `_wanted` returns. If they have sub-keys, these are the bounds of each
        key's entries. If not, there is no bound. `inclusive`: whether the sub-key of `high` is included.
        """
        stretches = []
        for _, run in self.levels.clipped_runs():
            start, stop = slices(run, low.words[0])
            if not np.any(start < stop):
                continue
            if len(low.words) > 1:
                start = bisect(run, low)
            if len(high.words) > 1:
                stop = bisect(run, high, right=inclusive)
            stretches.append(Stretch(run, start, stop))
        return stretches

    def _named(self, keys: Keys, owners: Index, sub_keys: pa.Array, known: Words | None = None) -> Run:
        hash1, hash2 = keys.hash1[owners], keys.hash2[owners]
        if self._orders:
            codes = order_codes(sub_keys, self._orders)
            return Run((hash1, order_words(codes), hash2), (codes, sub_keys), tail=True)
        # No entry has NULL as sub-key. A request with NULL gets a wrong hash2, so that it finds no entry.
        if self._exact and sub_keys.null_count:
            hash2 = np.where(null_mask(sub_keys), ~hash2, hash2)
        return Run((hash1, order_words(sub_keys), hash2), (sub_keys,), tail=not self._exact)

    def put(
        self, keys: Keys, owners: Index, sub_keys: pa.Array, columns: Sequence[pa.Array], now: int,
        live: Mask | None = None, words: Words | None = None,
    ) -> None:  # fmt: skip
        if sub_keys.null_count:
            raise InternalError("NULL is no sub-key of an ordered map")
        super().put(keys, owners, sub_keys, columns, now, live, words)
