"""Bytes of nested values in Flink's binary rows, for Flink's hash codes.

Flink: BinaryArrayData, BinaryRowData, BinaryMapData and their writers. The fixed part has the NULL bits and
a slot for each value. A value that does not fit its slot is stored after the fixed part, aligned to 8
bytes, and its slot holds offset and length. Values are in key form (types/internal_values.py).
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import Any

from firesteel.types.numbers import from_sortable
from firesteel.types.sql import BYTES_LIKE, CHARACTER, INT, TIMESTAMPS, SqlType, TypeRoot

_PLACES = {
    TypeRoot.BOOLEAN: "<b",
    TypeRoot.TINYINT: "<b",
    TypeRoot.SMALLINT: "<h",
    TypeRoot.INTEGER: "<i",
    TypeRoot.DATE: "<i",
    TypeRoot.TIME: "<i",
    TypeRoot.INTERVAL_YEAR_MONTH: "<i",
    TypeRoot.FLOAT: "<f",
    TypeRoot.DOUBLE: "<d",
}
"""Format of a type's slot, for Python's module struct. Types that are not listed have `<q`, 8 bytes."""

_INLINE = 7
_LONG_DECIMAL = 18
_DECIMAL_BYTES = 16


def binary(kind: SqlType, value: Any) -> bytes:
    """Return the bytes of an ARRAY, MAP, MULTISET or ROW in Flink's binary format.

    Args:
        kind: Type of the value.
        value: Value in key form, not None.
    """
    if kind.root is TypeRoot.ARRAY:
        return _array(kind.children[0], value)
    if kind.root is TypeRoot.ROW:
        return _row(kind.children, value)
    keys = _array(kind.children[0], [key for key, _ in value])
    items = _array(kind.children[1] if kind.root is TypeRoot.MAP else INT, [item for _, item in value])
    return struct.pack("<i", len(keys)) + keys + items


def _array(kind: SqlType, values: Sequence[Any]) -> bytes:
    size = struct.calcsize(_PLACES.get(kind.root, "<q"))
    head = 4 + (len(values) + 31) // 32 * 4
    section = _Section(_padded(head + size * len(values)))
    struct.pack_into("<i", section.data, 0, len(values))
    for i, value in enumerate(values):
        if value is None:
            section.data[4 + i // 8] |= 1 << i % 8
        else:
            section.put(head + i * size, kind, value)
    return bytes(section.data)


def _row(kinds: Sequence[SqlType], values: Sequence[Any]) -> bytes:
    """Return the bytes of a ROW. The first byte is the row kind INSERT, and every slot has 8 bytes."""
    head = (len(kinds) + 63 + 8) // 64 * 8
    section = _Section(head + 8 * len(kinds))
    for i, (kind, value) in enumerate(zip(kinds, values, strict=True)):
        if value is None:
            section.data[(i + 8) // 8] |= 1 << i % 8
        section.put(head + 8 * i, kind, value)
    return bytes(section.data)


class _Section:
    """Buffer for one value: the fixed part, written in place, and the variable part after it."""

    def __init__(self, fixed: int) -> None:
        self.data = bytearray(fixed)

    def put(self, place: int, kind: SqlType, value: Any) -> None:
        """Write a value to the slot at `place`.

        For a NULL in a row, Flink adds bytes of value 0 to the variable part if the type never fits a slot:
        16 bytes for a DECIMAL of more than 18 digits, 8 bytes for a timestamp of a precision above 3. The
        slot then has the offset of these bytes. The slot of any other NULL stays 0.

        Args:
            place: Offset of the slot.
            kind: Type of the value.
            value: Value in key form, None for NULL in a row.
        """
        root = kind.root
        if root is TypeRoot.DECIMAL and (kind.precision or 0) > _LONG_DECIMAL:
            self._put_decimal(place, value)
        elif root in TIMESTAMPS:
            self._put_timestamp(place, kind, value)
        elif value is None:
            return
        elif root in CHARACTER:
            self._put_bytes(place, value.encode())
        elif root in BYTES_LIKE:
            self._put_bytes(place, value)
        elif kind.children:
            self._append(place, binary(kind, value))
        else:
            struct.pack_into(_PLACES.get(root, "<q"), self.data, place, _plain(root, value))

    def _put_bytes(self, place: int, value: bytes) -> None:
        if len(value) > _INLINE:
            self._append(place, value)
            return
        self.data[place : place + len(value)] = value
        self.data[place + 7] = 0x80 | len(value)

    def _append(self, place: int, value: bytes, low: int | None = None) -> None:
        """Append bytes to the variable part and write their position to the slot.

        Args:
            place: Offset of the slot.
            value: Bytes to append.
            low: Number to write in place of the length. None: the length.
        """
        struct.pack_into("<q", self.data, place, len(self.data) << 32 | (len(value) if low is None else low))
        self.data += value.ljust(_padded(len(value)), b"\0")

    def _put_decimal(self, place: int, value: int | None) -> None:
        size = 0 if value is None else (value + (value < 0)).bit_length() // 8 + 1
        unscaled = b"" if value is None else value.to_bytes(size, "big", signed=True)
        self._append(place, unscaled.ljust(_DECIMAL_BYTES, b"\0"), size)

    def _put_timestamp(self, place: int, kind: SqlType, value: int | None) -> None:
        ticks = 10**3 if (kind.precision or 0) <= 6 else 10**6
        millis, rest = (0, 0) if value is None else divmod(value, ticks)
        if (kind.precision or 0) <= 3:
            struct.pack_into("<q", self.data, place, millis)
        else:
            self._append(place, struct.pack("<q", millis), rest * (10**6 // ticks))


def _plain(root: TypeRoot, value: Any) -> Any:
    if root in (TypeRoot.FLOAT, TypeRoot.DOUBLE):
        return from_sortable(value)
    return value // 1000 if root is TypeRoot.TIME else value


def _padded(size: int) -> int:
    return (size + 7) // 8 * 8
