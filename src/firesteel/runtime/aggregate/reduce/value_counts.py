"""MIN and MAX with retraction over a bundle: merged counts of values, and the resulting extreme.

The accumulator in the state has the extreme, and a map with the count of each value. The counts of the
bundle's values are read. If no row has the extreme any more, the next value is read from the map, too: the
greatest (for MIN, the least) that does not occur in the bundle. MIN is computed as MAX of the complements ~x.

The row handler processes a key if its extreme disappears and if it ever had a retraction without a matching
row. For such a key, Flink's result depends on the order of the rows within the bundle.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from firesteel.kernels.extremes import merge_counts
from firesteel.kernels.types import given
from firesteel.runtime.aggregate.reduce.pair_counts import PairCounts
from firesteel.runtime.aggregate.scan.column import (
    Column,
    Mask,
    Ranks,
    comparable,
    from_sortable_form,
    to_array,
)
from firesteel.runtime.aggregate.scan.retracted_extreme import next_values
from firesteel.runtime.aggregate.scan.segments import Index
from firesteel.runtime.columns.keys import Keys
from firesteel.runtime.spec.operators import AggregateSpec
from firesteel.runtime.state.base import OrderedMapState
from firesteel.types.internal_values import sortable_column
from firesteel.types.sql import APPROXIMATE, BIGINT, SqlType

_LEAST = np.int64(np.iinfo(np.int64).min)


@dataclass(frozen=True)
class Best:
    """MIN or MAX of each key, stored and after the bundle, as comparable numbers and as Arrow columns.

    Attributes:
        known: Stored extremes as numbers.
        best: New extremes as numbers.
        known_array: Stored extremes as results.
        best_array: New extremes as results.
        final: New extremes in the form of the accumulator.
    """

    known: Column
    best: Column
    known_array: pa.Array
    best_array: pa.Array
    final: pa.Array


class ValueCounts:
    """Counts of the values of one MIN or MAX call in one bundle.

    `size` (int64[g]) is the number of values of each key after the bundle. `merge` sets it.
    """

    def __init__(
        self, keys: Keys, call: AggregateSpec, added: PairCounts, state: OrderedMapState, now: int
    ) -> None:
        self._keys, self._state, self._now = keys, state, now
        self._pairs = pairs = added.pairs
        self._argument = call.arg_types[0]
        self._flip = np.int64(-1 if call.function == "MIN" else 0)
        found = state.get(keys, pairs.owners, pairs.values, now)
        self._before: Index = found.columns[0].fill_null(0).to_numpy(zero_copy_only=False)
        self._after = self._before + added.counts[:, 0]
        self.size: Index = np.zeros(len(keys), np.int64)
        self._unmatched: Mask = np.zeros(len(keys), np.bool_)

    def merge(self, stored: Mapping[str, pa.Array], found: Mask, clean: Mask) -> Best:
        """Return the extreme of each key before and after the bundle.

        Set `clean` to False for keys that the row handler has to process.

        `stored` has the stored fields best, size and unmatched. `found` tells which keys have state.
        """
        pairs = self._pairs
        best, size = stored["best"], stored["size"].fill_null(0)
        self._unmatched = stored["unmatched"].fill_null(False).to_numpy(zero_copy_only=False)
        known_size: Index = size.to_numpy(zero_copy_only=False)
        (values, known), ranks = self._numbers([pairs.values], best)
        top, loses = self._follow(values.values, known.values, known_size, clean)
        clean[known.is_null & (known_size > 0)] = False
        loses = (loses | (self.size == 0)) & found
        clean[loses & self._unmatched] = False
        owners = np.flatnonzero(loses & (known_size > 0) & clean)
        rest = next_values(
            self._state, self._keys, owners, pairs, best, self._argument, self._flip == 0, self._now
        )
        held = values
        if len(rest.owners):
            (values, held, known), ranks = self._numbers([pairs.values, rest.sub_keys], best)
        result = np.append(values.values, _LEAST)[top]
        result = np.maximum(result, np.where((known_size > 0) & ~loses, known.values, _LEAST))
        result[rest.owners] = np.maximum(result[rest.owners], held.values[: len(rest.owners)])
        return self._best(Column(known.values, known_size == 0), Column(result, self.size == 0), ranks)

    def save(self, keep: Mask, gone: Index) -> None:
        """Write the counts of values that the bundle has changed to the state.

        `keep` is True for each key whose counts are written. `gone` has the indices of keys of which all
        counts are deleted.
        """
        pairs = self._pairs
        write = np.flatnonzero((self._after != self._before) & keep[pairs.owners])
        if len(write):
            after, values = self._after[write], pairs.values.take(pa.array(write))
            owners = pairs.owners[write]
            self._state.put(self._keys, owners, values, [pa.array(after)], self._now, after != 0)
        # If a key has size 0 and never had an unmatched retraction, it has no entries left to delete.
        gone = gone[self._unmatched[gone] | (self.size[gone] != 0)]
        if len(gone):
            self._state.clear(self._keys, gone, self._now)

    def _follow(self, values: Index, known: Index, known_size: Index, clean: Mask) -> tuple[Index, Mask]:
        """Set `size` to the number of values of each key after the bundle, and find extremes and losses.

        The (key, value) pairs of the bundle are in `self._pairs`. A value exists if its count is above 0.
        Values are numbers of which the greatest is the extreme, for MIN, too.

        Args:
            values: Value of each pair.
            known: Stored extreme of each of the g keys.
            known_size: int64[g], number of stored values of each key.
            clean: bool[g], set to False for keys with a count below 0.

        Returns:
            int64[g]: for each key, the index of the pair with the greatest value that exists after the
            bundle, -1 for none. bool[g]: whether the stored extreme of the key, or a greater value, exists
            before the bundle and not after it.
        """
        self.size = known_size.copy()
        best = np.empty(len(known), np.int64)
        loses, odd = np.zeros(len(known), np.bool_), np.zeros(len(known), np.bool_)
        read = (self._pairs.owners, values, self._before, self._after, known)
        merge_counts(self.size, best, loses, odd, *given(*read))
        clean[odd] = False
        return best, loses

    @property
    def _kind(self) -> SqlType:
        """Return the type of the stored extreme. FLOAT and DOUBLE are stored in sortable form."""
        return BIGINT if self._argument.root in APPROXIMATE else self._argument

    def _numbers(self, arrays: list[pa.Array], best: pa.Array) -> tuple[list[Column], Ranks | None]:
        """Return values as numbers of which the greatest one is the extreme, for MAX and for MIN.

        For MIN, the numbers are complemented, so that the least value has the greatest number.

        Args:
            arrays: Arrays of values of the argument.
            best: Stored extremes.

        Returns:
            The numbers of each array, and last those of `best`. Then, for strings, the `Ranks` that turn
            numbers into strings, else None.
        """
        if self._argument.root in APPROXIMATE:
            arrays = [sortable_column(array) for array in arrays]
        columns, ranks = comparable([*arrays, best], self._kind)
        if self._flip:
            columns = [Column(column.values ^ self._flip, column.null) for column in columns]
        return columns, ranks

    def _best(self, known: Column, best: Column, ranks: Ranks | None) -> Best:
        known, best = (Column(column.values ^ self._flip, column.null) for column in (known, best))
        if ranks is not None:
            arrays = ranks.strings(known), ranks.strings(best)
            return Best(known, best, *arrays, arrays[1])
        final = to_array(best, self._kind)
        if self._argument.root in APPROXIMATE:
            known, best = (Column(from_sortable_form(c.values), c.null) for c in (known, best))
        return Best(known, best, to_array(known, self._argument), to_array(best, self._argument), final)
