"""Changes of a map view that counts values: for each (key, value), what to add to its count in each call."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from firesteel.kernels.groups import add_groups, list_entries
from firesteel.kernels.types import given
from firesteel.runtime.aggregate.scan.distinct import counts_of, lists_of
from firesteel.runtime.aggregate.scan.pairs import Pairs
from firesteel.runtime.aggregate.scan.segments import Index
from firesteel.runtime.columns.keys import Keys
from firesteel.runtime.columns.sorting import stable_order


@dataclass(frozen=True)
class PairCounts:
    """Changes of p distinct (key, value) pairs.

    Attributes:
        pairs: The pairs.
        counts: int64[p, c]. For each pair, the number to add to its count of each of c calls. For DISTINCT
            over insert-only input, c is 1: bit i of the number is 1 if call i sees the value.
    """

    pairs: Pairs
    counts: Index

    @classmethod
    def of(
        cls, keys: Keys, codes: Index, values: pa.Array, counts: Index, bits: bool = False,
        in_order: bool = False,
    ) -> PairCounts:  # fmt: skip
        """Return the changes of m entries, with the counts of equal (key, value) pairs added up.

        An entry is a value of a key, which may occur several times.

        Args:
            keys: The keys.
            codes: int64[m], index in `keys` of each entry's key, ascending.
            values: Value of each entry.
            counts: int64[m, c], counts of each entry for c calls.
            bits: Whether counts are bits, which are combined by OR.
            in_order: Whether to sort the pairs of a key by value, not by the value's hash (see `Pairs`).
        """
        return cls.over(Pairs(keys, codes, values, in_order), counts, bits)

    @classmethod
    def over(cls, pairs: Pairs, counts: Index, bits: bool = False) -> PairCounts:
        """Return the changes of m entries with counts int64[m, c], given their distinct (key, value) pairs.

        The counts of equal pairs are added up or, with `bits`, combined by OR.
        """
        if bits and len(pairs):
            return cls(pairs, np.bitwise_or.reduceat(counts[pairs.order], pairs.starts, axis=0))
        sums = np.empty((counts.shape[1], len(pairs)), np.int64)
        for call, column in enumerate(sums):
            add_groups(column, *given(pairs.order, pairs.starts, counts[:, call]))
        return cls(pairs, sums.T)

    @classmethod
    def from_lists(
        cls, keys: Keys, lists: pa.Array, calls: int, bits: bool = False, in_order: bool = False
    ) -> PairCounts:
        """Return the changes in a column of map views: lists of entries (map key, counts of `calls` calls).

        The rows of the column are in the order of `keys.order`. `bits` and `in_order`: see `of`.
        """
        lengths = lists.value_lengths().to_numpy(zero_copy_only=False)
        entries = lists.flatten()
        codes = np.repeat(keys.sorted_codes, lengths)
        return cls.of(keys, codes, entries.field(0), counts_of(entries.field(1), calls), bits, in_order)

    def lists(self, groups: Index, kind: pa.DataType) -> pa.Array:
        """Return a column of type `kind`: for each key in `groups`, the list of its (value, counts) entries.

        Entries whose counts are all 0 are left out.
        """
        bounds = np.searchsorted(self.pairs.owners, np.arange(len(groups) + 1))
        entries, ends = np.empty(len(self.pairs), np.int64), np.empty(len(groups) + 1, np.int32)
        there = np.any(self.counts != 0, axis=1)
        count = list_entries(entries, ends, *given(there, bounds, groups))
        counts = self.counts[entries[:count]]
        values = pa.array(counts[:, 0]) if counts.shape[1] == 1 else lists_of(counts)
        columns = [self.pairs.values.take(pa.array(entries[:count])), values]
        entries = pa.StructArray.from_arrays(columns, fields=list(kind.value_type))
        return pa.ListArray.from_arrays(pa.array(ends), entries, type=kind)

    def by(self, codes: Index, keys: Keys) -> PairCounts:
        """Return the changes grouped by coarser `keys`. `codes` has the index in `keys` of each old key."""
        owners = codes[self.pairs.owners]
        order = stable_order(owners)
        values = self.pairs.values.take(pa.array(order))
        return PairCounts.of(keys, owners[order], values, self.counts[order], in_order=self.pairs.in_order)
