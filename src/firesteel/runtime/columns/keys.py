"""Keys of a batch: which rows share a key, and which key group a key belongs to.

Key groups are Flink's (`KeyGroupRangeAssignment`). Keys are compared in binary form
(kernels/column_hashes.py).
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
from firesteel.runtime.columns.sorting import row_bits, word_order

_MANY = 4096
"""Number of rows below which `find_keys_if_shared` groups rows without an estimate of the number of keys."""


@dataclass(frozen=True)
class Keys:
    """The g distinct keys of n rows, sorted by (hash1, hash2). A key's index is its position in this order.

    Two rows have the same key if both hashes of their key columns are equal.

    Attributes:
        columns: Key columns, g rows each.
        hash1: uint64[g], first hash of each key's columns.
        hash2: uint64[g], second hash of each key's columns.
        order: int64[n], row numbers sorted by key. Rows of one key keep their order.
        starts: int64[g], position in `order` where the rows of each key begin.

    Example:
        Rows with the keys [b, a, b], with a sorted before b: columns=[a, b], order=[1, 0, 2], starts=[0, 1],
        counts=[1, 2], codes=[1, 0, 1].
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
        """Return the number of rows n."""
        return len(self.order)

    @cached_property
    def counts(self) -> NDArray[np.int64]:
        """Return the number of rows of each key, int64[g]."""
        return np.diff(self.starts, append=self.rows)

    @cached_property
    def sorted_codes(self) -> NDArray[np.int64]:
        """Return the key index of each row, for the rows in the order of `order`, int64[n]."""
        return np.repeat(np.arange(len(self), dtype=np.int64), self.counts)

    @cached_property
    def codes(self) -> NDArray[np.int64]:
        """Return the key index of each row in input order, int64[n]."""
        codes = np.empty(self.rows, np.int64)
        codes[self.order] = self.sorted_codes
        return codes


def find_keys(columns: Sequence[pa.Array | pa.ChunkedArray], rows: int) -> Keys:
    """Return the distinct keys of some rows. Without key columns, all rows have one key.

    Args:
        columns: Key columns.
        rows: Number of rows.
    """
    arrays = [one_array(column) for column in columns]
    return _keys(arrays, *hash_columns(arrays, rows))


def common_codes(
    left: Sequence[pa.Array | pa.ChunkedArray], right: Sequence[pa.Array | pa.ChunkedArray],
    rows: tuple[int, int],
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:  # fmt: skip
    """Return numbers of the keys of two inputs. Rows of both have the same number if their keys are equal.

    Args:
        left: Key columns of the first input.
        right: Key columns of the second input, in the same order.
        rows: Number of rows of each input, n and m.

    Returns:
        int64[n] and int64[m], from 0 on without gaps.
    """
    sides = zip((left, right), rows, strict=True)
    hashes = [hash_columns([one_array(column) for column in side], count) for side, count in sides]
    hash1, hash2 = (np.concatenate(words) for words in zip(*hashes, strict=True))
    if left:
        order, starts = _sorted(hash1, hash2)
    else:
        order, starts = np.arange(len(hash1)), np.zeros(min(len(hash1), 1), np.int64)
    codes = np.empty(len(order), np.int64)
    codes[order] = np.repeat(np.arange(len(starts)), np.diff(starts, append=len(order)))
    return codes[: rows[0]], codes[rows[0] :]


def find_keys_if_shared(columns: Sequence[pa.Array | pa.ChunkedArray], rows: int) -> Keys:
    """Return the distinct keys of some rows, or each row as a key of its own if there are too many keys.

    The second case is for 4096 rows or more, of which more than half have different keys. The keys are then
    unsorted and may repeat. Use this function where grouping only makes rows fewer, as in a local phase.
    """
    arrays = [one_array(column) for column in columns]
    hash1, hash2 = hash_columns(arrays, rows)
    if rows < _MANY or _distinct(hash1) <= rows // 2:
        return _keys(arrays, hash1, hash2)
    every = np.arange(rows, dtype=np.int64)
    return Keys(tuple(arrays), hash1, hash2, every, every)


def _distinct(hashes: U64) -> int:
    """Return a lower bound, usually close, for the number of distinct hashes.

    It counts the used cells of a table with at least four times as many cells as hashes.
    """
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
    """Return the stable order of rows by (hash1, hash2), and where each key begins in it.

    The leading bits of hash1 and hash2 usually tell keys apart. If two keys share these bits, whole hashes
    are compared.
    """
    found = word_order(hash1, (hash2, hash2), np.empty(0, np.int64), 64 - row_bits(len(hash1)))
    if found is not None:
        return found
    order = np.lexsort((hash2, hash1)).astype(np.int64)
    new = np.diff(hash1[order]).astype(np.bool_) | np.diff(hash2[order]).astype(np.bool_)
    return order, np.append(0, np.flatnonzero(new) + 1)


def one_array(column: pa.Array | pa.ChunkedArray) -> pa.Array:
    """Return a column as one array, without chunks.

    Dictionary-encoded values are decoded. String views and large strings become Arrow's type `string`.
    """
    if isinstance(column, pa.ChunkedArray):
        column = column.chunk(0) if column.num_chunks == 1 else column.combine_chunks()
    if pa.types.is_dictionary(column.type):
        return column.dictionary_decode()
    if pa.types.is_string_view(column.type) or pa.types.is_large_string(column.type):
        return column.cast(pa.string())
    return column


def key_group(hash1: U64, max_parallelism: int) -> NDArray[np.int32]:
    """Return the key group of each key, int32[g].

    The low bits of the hash determine the group. So the leading bits, by which keys are sorted, still differ
    among the keys of one group.
    """
    low = hash1 & np.uint64(0xFFFFFFFF)
    return ((low * np.uint64(max_parallelism)) >> np.uint64(32)).astype(np.int32)


def key_groups(changes: pa.Table, key_positions: Sequence[int], max_parallelism: int) -> NDArray[np.int32]:
    """Return the key group of each row of a changes table, int32[n].

    Args:
        changes: n rows.
        key_positions: Positions of the key fields.
        max_parallelism: Number of key groups.
    """
    columns = [one_array(changes.column(field(i))) for i in key_positions]
    hash1, _ = hash_columns(columns, changes.num_rows)
    return key_group(hash1, max_parallelism)
