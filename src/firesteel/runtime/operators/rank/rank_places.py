"""RankPlaces, the rows of a batch and the stored rows of their keys, sorted by key, sort key and arrival."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from firesteel.kernels.places import places_of
from firesteel.kernels.types import Words
from firesteel.runtime.columns.keys import Keys
from firesteel.runtime.columns.sorting import stable_order, stable_order_by
from firesteel.runtime.operators.rank.stored_rows import StoredRows
from firesteel.runtime.spec.rank import RankSpec
from firesteel.runtime.state.sort_parts import sort_parts, starts_anew, without_minus_zero

Index = NDArray[np.int64]
Mask = NDArray[np.bool_]


@dataclass(frozen=True)
class RankPlaces:
    """n input rows and m stored rows of g keys, sorted into s places.

    A row's number is its position among the input rows. Stored rows are numbered after them. The place of a
    row is its position when sorted by key, sort key and arrival. Input rows that remove a row have no place.

    Attributes:
        fields: The fields, n + m rows each.
        inputs: Number of input rows n.
        owners: int64[n + m], key of each row.
        numbers: int64[n + m], arrival number of each row.
        slots: int64[n + m], place of each row, -1 for an input row that removes a row.
        rows: int64[s], row of each place.
        codes: int64[s], equal for places with equal keys and sort keys.
    """

    fields: tuple[pa.Array, ...]
    inputs: int
    owners: Index
    numbers: Index
    slots: Index
    rows: Index
    codes: Index

    @classmethod
    def of(
        cls, spec: RankSpec, fields: Sequence[pa.Array], adds: Mask, keys: Keys, first: int,
        stored: StoredRows,
    ) -> RankPlaces:  # fmt: skip
        """Sort the stored rows, and the input rows that add a row, into places.

        Args:
            spec: Settings of the rank.
            fields: Fields of the input rows, n rows each.
            adds: bool[n], which input rows add a row.
            keys: Keys of the input rows.
            first: Arrival number of the first input row.
            stored: The stored rows.
        """
        joined = tuple(
            pa.concat_arrays([new, old]) if len(old) else new
            for new, old in zip(fields, stored.fields, strict=True)
        )
        inputs = len(adds)
        owners = np.concatenate([keys.codes, stored.owners])
        numbers = np.concatenate([first + np.arange(inputs), stored.numbers])
        came = np.concatenate([inputs + stable_order(stored.numbers), np.flatnonzero(adds)])
        parts = sort_parts([without_minus_zero(joined[i]) for i in spec.sort], spec.orders)
        by = [owners[came], *(part[came] for part in parts)]
        order = stable_order_by(*by)
        rows = came[order]
        slots = np.full(len(owners), -1, np.int64)
        slots[rows] = np.arange(len(rows))
        codes = np.cumsum(starts_anew([part[order] for part in by]), dtype=np.int64)
        return cls(joined, inputs, owners, numbers, slots, rows, codes)

    def stored_set(self) -> tuple[Words, Index]:
        """Return the places of all stored rows as a set of bits (kernels/places.py).

        Returns:
            uint64[w], the words of the set: level 0 has one bit for each place, each higher level one bit for
            each word of the level below. Then int64[k], where each of the k levels begins in the words.
        """
        return places_of(self.rows >= self.inputs)

    def stored_sizes(self, keys: int) -> Index:
        """Return the number of stored rows of each key, int64[keys]."""
        return np.bincount(self.owners[self.inputs :], minlength=keys)

    def last_of(self, sizes: Index, ends: Index) -> Index:
        """Return the place of the last stored row of the Top-N of each key, int64[g]. -1 for none.

        Args:
            sizes: int64[g], number of stored rows of each key.
            ends: int64[g], N of each key.
        """
        stored = np.flatnonzero(self.rows >= self.inputs)
        taken = np.minimum(sizes, ends)
        at = np.cumsum(sizes) - sizes + taken - 1
        found = np.full(len(sizes), -1, np.int64)
        some = np.flatnonzero(taken > 0)
        found[some] = stored[at[some]]
        return found
