"""Order words and order codes: sub-keys as numbers and bytes that sort as Flink compares the values.

- Integers, BOOLEAN, DECIMAL, dates and times: by value.
- FLOAT and DOUBLE: as Java's compareTo. -0.0 is below 0.0, NaN is above all, all NaN are equal.
- Strings and bytes: by their (UTF-8) bytes, as Flink's BinaryStringData.
- Structs (sub-keys of several columns): by their fields in turn, each ascending or descending, NULLs first or
  last.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from firesteel.errors import InternalError
from firesteel.kernels.column_hashes import U64, fixed_width, null_mask, offsets_of
from firesteel.types.internal_values import sortable_column

_SIGN = np.uint64(1 << 63)
_ONE_WORD_DIGITS = 18

Bytes = NDArray[np.uint8]


@dataclass(frozen=True)
class SortOrder:
    """Sort order of one field of a sub-key. By default, NULL is the least value, as in Flink."""

    descending: bool = False
    nulls_last: bool = False

    def __str__(self) -> str:
        direction = "DESC" if self.descending else "ASC"
        return f"{direction} NULLS {'LAST' if self.nulls_last else 'FIRST'}"


def is_exact(kind: pa.DataType) -> bool:
    """Return whether the order word distinguishes all values of a type except NULL.

    Raises:
        InternalError: The type has no order.
    """
    if pa.types.is_decimal(kind):
        return bool(kind.precision <= _ONE_WORD_DIGITS)
    if _is_bytes(kind) or pa.types.is_struct(kind):
        return False
    if _is_fixed(kind):
        return True
    raise InternalError(f"Values of type {kind} have no order in keyed state")


def order_words(array: pa.Array) -> U64:
    """Return one word for each row that sorts like the value, uint64[n].

    Different values may share a word. The word of NULL is arbitrary. A DECIMAL has its value, cut to 64 bits.
    Strings and bytes have their first eight bytes.
    """
    kind = array.type
    if _is_bytes(kind):
        return leading_words(array)
    if pa.types.is_decimal(kind):
        high, low = decimal_words(array)
        high = high ^ _SIGN
        sign = (high.view(np.int64) >> 63).view(np.uint64)
        fits = high == (low.view(np.int64) >> 63).view(np.uint64)
        return np.where(fits, low ^ _SIGN, ~sign)
    if pa.types.is_floating(kind):
        array = sortable_column(array)
    if pa.types.is_boolean(kind):
        return np.asarray(array.fill_null(False).to_numpy(zero_copy_only=False)).astype(np.uint64)
    width = array.type.bit_width // 8
    return fixed_width(array, np.dtype(f"i{width}")).astype(np.int64).view(np.uint64) ^ _SIGN


def decimal_words(array: pa.Array) -> tuple[U64, U64]:
    """Return the upper and the lower word of each DECIMAL. The pairs sort like the values."""
    words = fixed_width(array, np.dtype((np.uint64, (2,)))).view(np.uint64)
    return words[:, 1] ^ _SIGN, words[:, 0].copy()


def leading_words(array: pa.Array, begin: int = 0) -> U64:
    """Return the eight bytes from position `begin` of each string, padded with zeros."""
    offsets = offsets_of(array)
    low, high = int(offsets[0]), int(offsets[-1])
    data = np.zeros(high - low + 8, np.uint8)
    if high > low:
        data[: high - low] = np.frombuffer(array.buffers()[2], np.uint8, high - low, low)
    words = np.ndarray((high - low + 1,), np.uint64, data, 0, (1,))
    lengths = np.diff(offsets) - begin
    taken = words[np.minimum(offsets[:-1] - low + begin, high - low)].byteswap()
    cut = (np.clip(8 - lengths, 0, 7) * 8).astype(np.uint64)
    return np.where(lengths > 0, taken >> cut << cut, np.uint64(0))


def order_codes(rows: pa.StructArray, orders: Sequence[SortOrder]) -> pa.Array:
    """Return one binary for each row that sorts, and is equal, like the row. NULL rows are not allowed.

    Each field has a byte for NULL, then its bytes. A number has eight or sixteen bytes. A string has its own
    bytes with 00 escaped as 00 FF, then 00 00. All bytes of a descending field are inverted.

    Args:
        rows: n structs.
        orders: Sort order of each field.
    """
    parts: list[pa.Array] = []
    fixed: list[Bytes] = []
    for index, order in enumerate(orders):
        column = rows.field(index)
        null = null_mask(column)
        marker = np.where(null, 2 if order.nulls_last else 0, 1).astype(np.uint8)
        fixed.append(marker[:, None])
        if not _is_bytes(column.type):
            body = _fixed_bytes(column)
            body = ~body if order.descending else body
            fixed.append(np.where(null[:, None], np.uint8(0), body))
            continue
        parts += [_joined(fixed), _string_bytes(column, order.descending)]
        fixed = []
    if fixed:
        parts.append(_joined(fixed))
    return parts[0] if len(parts) == 1 else pc.binary_join_element_wise(*parts, b"")


def _fixed_bytes(column: pa.Array) -> Bytes:
    is_exact(column.type)
    words = decimal_words(column) if pa.types.is_decimal(column.type) else (order_words(column),)
    return np.hstack([np.ascontiguousarray(word.byteswap()).view(np.uint8).reshape(-1, 8) for word in words])


def _string_bytes(column: pa.Array, descending: bool) -> pa.Array:
    data = column.cast(pa.binary()).fill_null(b"")
    if pc.any(pc.match_substring(data, b"\0")).as_py():
        data = pc.replace_substring(data, b"\0", b"\0\xff")
    ended = pc.binary_join_element_wise(data, pa.scalar(b"\0\0"), b"")
    if not descending or not len(ended):
        return ended
    offsets = offsets_of(ended).astype(np.int32)
    inverted = ~np.frombuffer(ended.buffers()[2], np.uint8)
    return pa.Array.from_buffers(
        pa.binary(), len(ended), [None, pa.py_buffer(offsets), pa.py_buffer(inverted)]
    )


def _joined(parts: Sequence[Bytes]) -> pa.Array:
    """Return one binary for each row: the bytes of all parts, one part after the other."""
    table = np.ascontiguousarray(np.hstack(parts))
    rows, width = table.shape
    offsets = np.arange(rows + 1, dtype=np.int32) * np.int32(width)
    return pa.Array.from_buffers(pa.binary(), rows, [None, pa.py_buffer(offsets), pa.py_buffer(table)])


def _is_bytes(kind: pa.DataType) -> bool:
    return bool(pa.types.is_string(kind) or pa.types.is_binary(kind))


def _is_fixed(kind: pa.DataType) -> bool:
    simple = pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_temporal(kind)
    return bool(simple or pa.types.is_boolean(kind))
