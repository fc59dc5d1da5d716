"""The keys of a batch: which rows have the same key, and where a key belongs.

Flink: `KeyGroupRangeAssignment` for key groups. Equality of keys is binary (kernels/column_hashes.py).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from firesteel.changelog import field
from firesteel.kernels.column_hashes import U64, hash_columns
from firesteel.runtime.columns.sorting import place_bits, word_order

_MANY = 4096
"""Fewer rows are sorted sooner than counted."""


@dataclass(frozen=True)
class Keys:
    """The g distinct keys of n rows, sorted by (hash1, hash2); a key's index is its place there.

    columns: the keys' own columns, g rows each. order: int64[n], the rows sorted by key, and within a
    key as they stood. starts: int64[g], where in `order` each key's rows begin.
    """

    columns: tuple[pa.Array, ...]
    hash1: U64
    hash2: U64
    order: NDArray[np.int64]
    starts: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.hash1)

    @property
    def rows(self) -> int:
        return len(self.order)

    @cached_property
    def counts(self) -> NDArray[np.int64]:
        """int64[g]: the number of rows of each key."""
        return np.diff(self.starts, append=self.rows)

    @cached_property
    def sorted_codes(self) -> NDArray[np.int64]:
        """int64[n]: the key index of each row of `order`."""
        return np.repeat(np.arange(len(self), dtype=np.int64), self.counts)

    @cached_property
    def codes(self) -> NDArray[np.int64]:
        """int64[n]: the key index of each row, as the rows stood."""
        codes = np.empty(self.rows, np.int64)
        codes[self.order] = self.sorted_codes
        return codes


def find_keys(columns: Sequence[pa.Array | pa.ChunkedArray], rows: int) -> Keys:
    """The distinct keys of `rows` rows of key columns; with no columns there is one key."""
    arrays = [one_array(column) for column in columns]
    return _keys(arrays, *hash_columns(arrays, rows))


def find_keys_if_shared(columns: Sequence[pa.Array | pa.ChunkedArray], rows: int) -> Keys:
    """The same where rows share keys; where most of many have a key of their own, each row as one, unsorted:
    who only wants fewer rows is spared the sort."""
    arrays = [one_array(column) for column in columns]
    hash1, hash2 = hash_columns(arrays, rows)
    if rows < _MANY or _distinct(hash1) <= rows // 2:
        return _keys(arrays, hash1, hash2)
    every = np.arange(rows, dtype=np.int64)
    return Keys(tuple(arrays), hash1, hash2, every, every)


def _distinct(hashes: U64) -> int:
    """At least how many distinct hashes there are, and nearly as many: those that fall into different ones of
    many more cells."""
    cells = np.zeros(4 << len(hashes).bit_length(), np.bool_)
    cells[hashes & np.uint64(len(cells) - 1)] = True
    return int(np.count_nonzero(cells))


def _keys(arrays: Sequence[pa.Array], hash1: U64, hash2: U64) -> Keys:
    if arrays:
        order, starts = _sorted(hash1, hash2)
    else:
        order, starts = np.arange(len(hash1)), np.zeros(min(len(hash1), 1), np.int64)
    first = order[starts]
    rows = pa.array(first)
    return Keys(tuple(a.take(rows) for a in arrays), hash1[first], hash2[first], order, starts)


def _sorted(hash1: U64, hash2: U64) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The stable order of rows by (hash1, hash2), and where in it each key begins.

    The leading bits of hash1, and hash2, tell keys apart; should two keys share the bits, the whole hashes
    decide.
    """
    found = word_order(hash1, (hash2, hash2), np.empty(0, np.int64), 64 - place_bits(len(hash1)))
    if found is not None:
        return found
    order = np.lexsort((hash2, hash1)).astype(np.int64)
    new = np.diff(hash1[order]).astype(np.bool_) | np.diff(hash2[order]).astype(np.bool_)
    return order, np.append(0, np.flatnonzero(new) + 1)


def one_array(column: pa.Array | pa.ChunkedArray) -> pa.Array:
    """A column as one array, in the plain layout of its type."""
    if isinstance(column, pa.ChunkedArray):
        column = column.chunk(0) if column.num_chunks == 1 else column.combine_chunks()
    if pa.types.is_dictionary(column.type):
        return column.dictionary_decode()
    if pa.types.is_string_view(column.type) or pa.types.is_large_string(column.type):
        return column.cast(pa.string())
    return column


def key_group(hash1: U64, max_parallelism: int) -> NDArray[np.int32]:
    """The key group of each key. It takes the low bits, so that the keys of one group still spread
    over all leading bits, by which they are sorted."""
    low = hash1 & np.uint64(0xFFFFFFFF)
    return ((low * np.uint64(max_parallelism)) >> np.uint64(32)).astype(np.int32)


def key_groups(changes: pa.Table, key_positions: Sequence[int], max_parallelism: int) -> NDArray[np.int32]:
    """The key group of each row of a changes table, by its key fields."""
    columns = [one_array(changes.column(field(i))) for i in key_positions]
    hash1, _ = hash_columns(columns, changes.num_rows)
    return key_group(hash1, max_parallelism)
