"""Binary layout of VARIANT values: construction, field access and JSON text.

A value has two binaries of the Variant encoding of Parquet and Spark, which Flink's BinaryVariant follows:
`metadata` is the dictionary of field names, `value` the value with its type. A column holds both in one
binary: position u32, length of the metadata u32, metadata, value. Integers are little-endian.

The position belongs to a value that `field` or `element` has taken out of an object or array: it is the
offset at which the value starts in the outermost object or array. Flink's `=` compares positions, too. Values
that are stored in a column have position 0.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from decimal import Decimal

from firesteel.errors import InternalError
from firesteel.types.json_text import quoted
from firesteel.types.primitive_text import double_text

_HEAD = struct.Struct("<II")

PRIMITIVE, SHORT_STRING, OBJECT, ARRAY = range(4)
"""Basic types, in the two low bits of a value's first byte. The other six bits are the type info."""

NULL, TRUE, FALSE, INT1, INT2, INT4, INT8, DOUBLE, DECIMAL4, DECIMAL8, DECIMAL16 = range(11)
"""Type infos of primitive values. JSON texts produce only these and LONG_STRING."""
LONG_STRING = 16
"""Type info of a string of more than 63 bytes."""

INTEGER_BYTES = {INT1: 1, INT2: 2, INT4: 4, INT8: 8}
DECIMAL_BYTES = {DECIMAL4: 4, DECIMAL8: 8, DECIMAL16: 16}


def pack(metadata: bytes, value: bytes, place: int = 0) -> bytes:
    """Return a VARIANT as one binary, as columns hold it. `place` is its position (see the module)."""
    return _HEAD.pack(place, len(metadata)) + metadata + value


def unpack(data: bytes) -> tuple[bytes, bytes, int]:
    """Return metadata, value and position from a column's binary."""
    place, length = _HEAD.unpack_from(data)
    start = _HEAD.size + length
    return data[_HEAD.size : start], data[start:], place


def is_object(data: bytes) -> bool:
    """Return whether the value is a JSON object."""
    return _basic_type(data) == OBJECT


def is_array(data: bytes) -> bool:
    """Return whether the value is a JSON array."""
    return _basic_type(data) == ARRAY


def _basic_type(data: bytes) -> int:
    _, length = _HEAD.unpack_from(data)
    basic: int = data[_HEAD.size + length] & 3
    return basic


def field(data: bytes, name: str) -> bytes | None:
    """Return the value of an object's field as a VARIANT with its position; None without such a field."""
    metadata, value, place = unpack(data)
    wanted = name.encode("utf-8", "replace")
    for key, at in _fields(value, 0):
        if _name(metadata, key) == wanted:
            return pack(metadata, value[at : at + _size(value, at)], place + at)
    return None


def element(data: bytes, index: int) -> bytes | None:
    """Return element `index` (from 1) of an array as a VARIANT with its position; None if there is none."""
    metadata, value, place = unpack(data)
    starts = list(_elements(value, 0))
    if not 1 <= index <= len(starts):
        return None
    at = starts[index - 1]
    return pack(metadata, value[at : at + _size(value, at)], place + at)


def settled(data: bytes) -> bytes:
    """Return a VARIANT with its position set to 0, as all values in columns have it."""
    return _HEAD.pack(0, _HEAD.unpack_from(data)[1]) + data[_HEAD.size :]


def variant_text(data: bytes) -> str:
    """Return the value as JSON (Flink: BinaryVariant.toJson)."""
    metadata, value, _ = unpack(data)
    return _json(metadata, value, 0)


def _json(metadata: bytes, value: bytes, at: int) -> str:
    basic, info = value[at] & 3, value[at] >> 2
    if basic == OBJECT:
        names = (
            (_name(metadata, key).decode("utf-8", "replace"), start) for key, start in _fields(value, at)
        )
        members = (f"{quoted(name)}:{_json(metadata, value, start)}" for name, start in names)
        return "{" + ",".join(members) + "}"
    if basic == ARRAY:
        return f"[{','.join(_json(metadata, value, start) for start in _elements(value, at))}]"
    if basic == SHORT_STRING:
        return quoted(value[at + 1 : at + 1 + info].decode("utf-8", "replace"))
    return _primitive(value, at, info)


def _primitive(value: bytes, at: int, info: int) -> str:
    if info in (NULL, TRUE, FALSE):
        return ("null", "true", "false")[info]
    if info in INTEGER_BYTES:
        return str(_integer(value, at + 1, INTEGER_BYTES[info]))
    if info == DOUBLE:
        number: float = struct.unpack_from("<d", value, at + 1)[0]
        return double_text(number)
    if info in DECIMAL_BYTES:
        unscaled = _integer(value, at + 2, DECIMAL_BYTES[info])
        return _plain(Decimal(f"{unscaled}E-{value[at + 1]}")) if unscaled else "0"
    if info == LONG_STRING:
        length = _unsigned(value, at + 1, 4)
        return quoted(value[at + 5 : at + 5 + length].decode("utf-8", "replace"))
    raise InternalError(f"a VARIANT with a value of the type {info}")


def _plain(number: Decimal) -> str:
    """Return the number without trailing zeros of the fraction."""
    text = format(number, "f")
    return text.rstrip("0").rstrip(".") if "." in text else text


def _fields(value: bytes, at: int) -> Iterator[tuple[int, int]]:
    """Yield for each field of an object, in the order of names: index of the name in the metadata, offset."""
    info = value[at] >> 2
    size_bytes = 4 if info >> 4 & 1 else 1
    size = _unsigned(value, at + 1, size_bytes)
    id_bytes, offset_bytes = (info >> 2 & 3) + 1, (info & 3) + 1
    ids = at + 1 + size_bytes
    offsets = ids + size * id_bytes
    data = offsets + (size + 1) * offset_bytes
    for i in range(size):
        key = _unsigned(value, ids + i * id_bytes, id_bytes)
        yield key, data + _unsigned(value, offsets + i * offset_bytes, offset_bytes)


def _elements(value: bytes, at: int) -> Iterator[int]:
    """Yield the offsets of an array's elements."""
    info = value[at] >> 2
    size_bytes = 4 if info >> 2 & 1 else 1
    size = _unsigned(value, at + 1, size_bytes)
    offset_bytes = (info & 3) + 1
    offsets = at + 1 + size_bytes
    data = offsets + (size + 1) * offset_bytes
    for i in range(size):
        yield data + _unsigned(value, offsets + i * offset_bytes, offset_bytes)


def _size(value: bytes, at: int) -> int:
    """Return the size in bytes of the value at an offset."""
    basic, info = value[at] & 3, value[at] >> 2
    if basic == SHORT_STRING:
        return 1 + info
    if basic == PRIMITIVE:
        if info == LONG_STRING:
            return 5 + _unsigned(value, at + 1, 4)
        if info in DECIMAL_BYTES:
            return 2 + DECIMAL_BYTES[info]
        return 9 if info == DOUBLE else 1 + INTEGER_BYTES.get(info, 0)
    offset_bytes = (info & 3) + 1
    large = info >> 4 & 1 if basic == OBJECT else info >> 2 & 1
    size_bytes = 4 if large else 1
    size = _unsigned(value, at + 1, size_bytes)
    id_bytes = (info >> 2 & 3) + 1 if basic == OBJECT else 0
    last = at + 1 + size_bytes + size * (id_bytes + offset_bytes)
    return last + offset_bytes - at + _unsigned(value, last, offset_bytes)


def _name(metadata: bytes, key: int) -> bytes:
    offset_bytes = (metadata[0] >> 6) + 1
    count = _unsigned(metadata, 1, offset_bytes)
    strings = 1 + (count + 2) * offset_bytes
    start, end = (_unsigned(metadata, 1 + (key + 1 + i) * offset_bytes, offset_bytes) for i in range(2))
    return metadata[strings + start : strings + end]


def _unsigned(data: bytes, at: int, size: int) -> int:
    return int.from_bytes(data[at : at + size], "little")


def _integer(data: bytes, at: int, size: int) -> int:
    return int.from_bytes(data[at : at + size], "little", signed=True)
