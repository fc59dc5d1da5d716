"""Columns as NumPy arrays for arithmetic and comparison.

Integers, BOOLEAN, DATE, TIME, TIMESTAMP and intervals are int64. DECIMAL is scaled int64, if the values fit.
FLOAT is float32, DOUBLE is float64. Other types have ranks (`Ranks`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from firesteel.kernels.column_hashes import fixed_width, null_mask
from firesteel.runtime.aggregate.scan.segments import Index, Numbers
from firesteel.types.arrow import to_arrow
from firesteel.types.sql import DATETIME, INTEGERS, INTERVALS, SqlType, TypeRoot

Mask = NDArray[np.bool_]


class NoPrefixScan(Exception):
    """Raised for values that prefix scans cannot process. The row handler then processes the batch."""


@dataclass(frozen=True)
class Column:
    """n values as a NumPy array.

    Attributes:
        null: bool[n], which values are NULL and therefore arbitrary. None if no value is NULL.
    """

    values: Numbers
    null: Mask | None = None

    def take(self, index: Index) -> Column:
        """Return the values at some positions."""
        return Column(self.values[index], None if self.null is None else self.null[index])

    @property
    def is_null(self) -> Mask:
        return np.zeros(len(self.values), np.bool_) if self.null is None else self.null


def from_arrow(array: pa.Array, kind: SqlType) -> Column:
    """Return the values of an Arrow column.

    Raises:
        NoPrefixScan: A DECIMAL value does not fit in 64 bits.
    """
    null = null_mask(array) if array.null_count else None
    if kind.root is TypeRoot.DECIMAL:
        return Column(_scaled(array, null), null)
    if kind.root is TypeRoot.BOOLEAN:
        return Column(array.fill_null(False).to_numpy(zero_copy_only=False).astype(np.int64), null)
    width = array.type.bit_width // 8
    letter = "f" if pa.types.is_floating(array.type) else "i"
    values = fixed_width(array, np.dtype(f"{letter}{width}"))
    if letter == "i" and width < 8:
        values = values.astype(np.int64)
    if null is not None:
        values = np.where(null, values.dtype.type(0), values)
    return Column(values, null)


def _scaled(array: pa.Array, null: Mask | None) -> Index:
    words: Index = fixed_width(array, np.dtype((np.int64, (2,)))).view(np.int64)
    low, high = words[:, 0].copy(), words[:, 1]
    fits = high == low >> 63
    if null is not None:
        fits |= null
        low[null] = 0
    if not fits.all():
        raise NoPrefixScan
    return low


def to_array(column: Column, kind: SqlType) -> pa.Array:
    """Return a column as an Arrow array."""
    target, values, null = to_arrow(kind), column.values, column.null
    if null is not None and not null.any():
        null = None
    if kind.root is TypeRoot.DECIMAL:
        words = np.empty((len(values), 2), np.int64)
        words[:, 0], words[:, 1] = values, values >> 63
        return pa.Array.from_buffers(target, len(values), [_validity(null), pa.py_buffer(words)])
    if kind.root is TypeRoot.BOOLEAN:
        return pa.array(values.astype(np.bool_), target, mask=null)
    if pa.types.is_floating(target):
        return pa.array(values.astype(f"f{target.bit_width // 8}", copy=False), target, mask=null)
    narrow = np.ascontiguousarray(values.astype(f"i{target.bit_width // 8}", copy=False))
    return pa.Array.from_buffers(target, len(values), [_validity(null), pa.py_buffer(narrow)])


def _validity(null: Mask | None) -> pa.Buffer | None:
    return None if null is None else pa.py_buffer(np.packbits(~null, bitorder="little"))


def is_plain(kind: SqlType) -> bool:
    """Return whether `from_arrow` gives int64 numbers for a type, which compare like its values in Flink.

    False for FLOAT and DOUBLE, which are no int64, and for all types without numbers, such as STRING.
    """
    plain = kind.root in INTEGERS or kind.root in DATETIME or kind.root in INTERVALS
    return plain or kind.root in (TypeRoot.BOOLEAN, TypeRoot.DECIMAL)


class Ranks:
    """Numbers that represent the strings of a batch, in the order of the strings (UTF-8 bytes, as in Flink).

    Attributes:
        of: Ranks of the strings of each input array.
        values: The distinct strings, ascending: values[r] has rank r.
    """

    def __init__(self, arrays: Sequence[pa.Array]) -> None:
        joined = pa.concat_arrays(arrays).dictionary_encode()
        order = pc.sort_indices(joined.dictionary)
        rank = np.empty(len(order), np.int64)
        rank[order.to_numpy()] = np.arange(len(order))
        self.values = joined.dictionary.take(order)
        null = null_mask(joined.indices) if joined.indices.null_count else None
        codes = joined.indices.fill_null(0).to_numpy(zero_copy_only=False)
        ranks = rank[codes] if len(rank) else np.zeros(len(codes), np.int64)
        self.of: list[Column] = []
        at = 0
        for array in arrays:
            end = at + len(array)
            self.of.append(Column(ranks[at:end], None if null is None else null[at:end]))
            at = end

    def strings(self, column: Column) -> pa.Array:
        """Return a column of ranks as strings.

        A number that is no rank of a string becomes NULL. There are such numbers only for keys that are left
        to the row handler.
        """
        none = column.is_null | (column.values < 0) | (column.values >= len(self.values))
        return self.values.take(pa.array(column.values, mask=none))


def both(first: Mask | None, second: Mask | None) -> Mask | None:
    """Return the conjunction of two masks. A mask None is True for all rows."""
    if first is None or second is None:
        return second if first is None else first
    return first & second


def comparable(arrays: Sequence[pa.Array], kind: SqlType) -> tuple[list[Column], Ranks | None]:
    """Return the values of several arrays of one type as numbers that compare like the values.

    For strings, these numbers are ranks, and the second result is the `Ranks`. Otherwise, it is None.
    """
    if is_plain(kind):
        return [from_arrow(array, kind) for array in arrays], None
    ranks = Ranks(arrays)
    return ranks.of, ranks


def from_sortable_form(keys: Index) -> NDArray[np.float64]:
    """Return DOUBLE numbers from their sortable form: integers that sort like the numbers.

    See types/internal_values.py: sortable_column.
    """
    return np.where(keys < 0, keys ^ np.int64(0x7FFFFFFFFFFFFFFF), keys).view(np.float64)
