"""Sub-keys as numbers and bytes that sort as Flink compares them.

Integers, BOOLEAN, dates and times by value; DECIMAL by value; FLOAT and DOUBLE as Java's compareTo does
(-0.0 below 0.0, NaN above all, all NaN equal); strings and bytes by their (UTF-8) bytes, as Flink's
BinaryStringData. A sub-key of several columns is a struct: its fields in turn, each ascending or
descending, NULLs before or after.
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
    """How a field of a sub-key is sorted. Flink's default: NULL is the least value."""

    descending: bool = False
    nulls_last: bool = False

    def __str__(self) -> str:
        direction = "DESC" if self.descending else "ASC"
        return f"{direction} NULLS {'LAST' if self.nulls_last else 'FIRST'}"


def is_exact(kind: pa.DataType) -> bool:
    """Whether the order word tells all values of a type, but NULL, apart. Raises InternalError for types
    that have no order here."""
    if pa.types.is_decimal(kind):
        return bool(kind.precision <= _ONE_WORD_DIGITS)
    if _is_bytes(kind) or pa.types.is_struct(kind):
        return False
    if _is_fixed(kind):
        return True
    raise InternalError(f"Values of type {kind} have no order in keyed state")


def order_words(array: pa.Array) -> U64:
    """A word a row: ascending as the values do, not always different where they are. NULL has any.

    Of a DECIMAL the value, cut at 64 bits; of strings and bytes the first eight.
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
    """The upper and the lower word of each value, which in turn sort as the values do."""
    words = fixed_width(array, np.dtype((np.uint64, (2,)))).view(np.uint64)
    return words[:, 1] ^ _SIGN, words[:, 0].copy()


def leading_words(array: pa.Array, begin: int = 0) -> U64:
    """The eight bytes from place `begin` of each string; what is missing counts as zero."""
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
    """A binary a row: they sort, and are equal, as the rows are. NULL rows are not allowed.

    Each field is a byte for NULL or not, then its bytes: eight or sixteen of a number, of a string its
    own with 00 as 00 FF, ended by 00 00; all of them inverted where it is descending.
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
    """Bytes side by side, as a binary a row."""
    table = np.ascontiguousarray(np.hstack(parts))
    rows, width = table.shape
    offsets = np.arange(rows + 1, dtype=np.int32) * np.int32(width)
    return pa.Array.from_buffers(pa.binary(), rows, [None, pa.py_buffer(offsets), pa.py_buffer(table)])


def _is_bytes(kind: pa.DataType) -> bool:
    return bool(pa.types.is_string(kind) or pa.types.is_binary(kind))


def _is_fixed(kind: pa.DataType) -> bool:
    simple = pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_temporal(kind)
    return bool(simple or pa.types.is_boolean(kind))
