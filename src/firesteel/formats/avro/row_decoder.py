"""Convert values between Arrow and Avro in Python form. A row is a dictionary by field name.

Flink: AvroToRowDataConverters, RowDataToAvroConverters.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime, timezone
from decimal import Decimal
from math import ceil
from typing import Any

import pyarrow as pa

from firesteel.functions.java.hash_code import Hash, hasher, string_hash
from firesteel.functions.java.hash_map import hashed
from firesteel.types.arrow import KEY, VALUE, to_arrow
from firesteel.types.sql import BYTES_LIKE, INTEGER_BITS, STRING, SqlType, TypeRoot

Convert = Callable[[Any], Any]
_MICROS = 1000
_MOST_MILLIS = (1 << 63) // 1000 - 1


def to_avro(kind: SqlType, legacy: bool = True) -> Convert:
    """Return the converter of Arrow's values to those that fastavro writes.

    Args:
        kind: The type.
        legacy: Whether TIMESTAMP is written as a point in time (schema.py: to_schema).
    """
    make = _to_avro(kind, legacy)
    return lambda value: None if value is None else make(value)


def to_column(values: Sequence[Any], kind: SqlType) -> pa.Array:
    """Return a column of values that fastavro has read.

    Raises:
        ValueError, TypeError: A value does not fit.
    """
    make = _from_avro(kind)
    return pa.array([None if value is None else make(value) for value in values], to_arrow(kind))


def _to_avro(kind: SqlType, legacy: bool) -> Convert:
    root = kind.root
    if root is TypeRoot.TIMESTAMP and legacy:
        return lambda value: value.replace(tzinfo=timezone.utc)
    if root is TypeRoot.ARRAY:
        item = to_avro(kind.children[0])
        return lambda values: [item(value) for value in values]
    if root in (TypeRoot.MAP, TypeRoot.MULTISET):
        item = to_avro(kind.children[1]) if root is TypeRoot.MAP else _same
        return lambda entries: _written_order({entry[KEY]: item(entry[VALUE]) for entry in entries})
    if root is TypeRoot.ROW:
        fields = [(name, to_avro(k, legacy)) for name, k in zip(kind.names, kind.children, strict=True)]
        return lambda value: {name: make(value[name]) for name, make in fields}
    return _same


def _from_avro(kind: SqlType) -> Convert:
    """Return the converter from a value that fastavro has read to a value for a column of type `kind`.

    The result is a Python value that Arrow accepts. The converter does not take None.
    """
    root = kind.root
    if root in INTEGER_BITS:
        return _cut(INTEGER_BITS[root])
    if root is TypeRoot.DECIMAL:
        return _decimal(kind)
    if root in BYTES_LIKE:
        return bytes
    if root is TypeRoot.ARRAY:
        item = _null_safe(kind.children[0])
        return lambda values: [item(value) for value in values]
    if root in (TypeRoot.MAP, TypeRoot.MULTISET):
        item, hash_of = _null_safe(kind.children[1]) if root is TypeRoot.MAP else int, hasher(STRING)
        return lambda found: [{KEY: key, VALUE: item(value)} for key, value in _read_order(found, hash_of)]
    if root is TypeRoot.ROW:
        fields = [(name, _null_safe(k)) for name, k in zip(kind.names, kind.children, strict=True)]
        return lambda value: {name: make(value.get(name)) for name, make in fields}
    return _CHECKED.get(root, _same)


def _written_order(found: dict[str, Any]) -> dict[str, Any]:
    """Return a map with its entries in the order in which Flink writes them.

    Flink writes from a Java HashMap whose initial capacity is the number of entries / 0.75, rounded up.
    """
    return dict(hashed([*found.items()], string_hash, ceil(len(found) / 0.75)))


def _read_order(found: dict[str, Any], hash_of: Hash) -> list[tuple[str, Any]]:
    """Return the entries of a map in the order in which Flink reads them.

    Avro reads the entries into a Java HashMap of Utf8 keys. Flink goes through this map, and adds the entries
    to a second HashMap. The order of the second map is returned.

    Args:
        found: The entries in the order of the message.
        hash_of: Hash function of the second map's keys.
    """
    return hashed(hashed([*found.items()], _utf8_hash, len(found)), hash_of)


def _utf8_hash(key: str) -> int:
    """Return the hash of a key (Java: org.apache.avro.util.Utf8.hashCode)."""
    code = 0
    for byte in key.encode():
        code = code * 31 + (byte ^ 0x80) - 0x80 & 0xFFFFFFFF
    return code


def _null_safe(kind: SqlType) -> Convert:
    make = _from_avro(kind)
    return lambda value: None if value is None else make(value)


def _cut(bits: int) -> Convert:
    """Return a converter that wraps integers to a number of bits, as a cast in Java."""
    half = 1 << (bits - 1)
    return lambda value: ((int(value) + half) & (2 * half - 1)) - half


def _decimal(kind: SqlType) -> Convert:
    """Return the converter from a DECIMAL that fastavro has read to a Decimal.

    - A Decimal, which fastavro returns if the schema has the logical type, is returned unchanged.
    - Bytes, without the logical type, are the unscaled value, big-endian and signed: 0x04D2 with scale 2 is
      12.34. If the value has more digits than the precision, the result is NULL. No bytes are a ValueError.
    """
    scale, most = kind.scale or 0, 10 ** (kind.precision or 0)

    def make(value: Any) -> Decimal | None:
        if isinstance(value, Decimal):
            return value
        if not value:
            raise ValueError("Zero length BigInteger")
        digits = int.from_bytes(value, "big", signed=True)
        return (
            Decimal((digits < 0, tuple(map(int, str(abs(digits)))), -scale)) if abs(digits) < most else None
        )

    return make


def _same(value: Any) -> Any:
    return value


def _text(value: Any) -> str:
    return value if isinstance(value, str) else str(value)


def _micros(value: Any) -> Any:
    """Return a time in microseconds, which Arrow's columns have.

    Args:
        value: An int in milliseconds, if the schema was read without logical types. Otherwise the `time` or
            `datetime` that fastavro returns for a logical type. This is returned unchanged.

    Raises:
        ValueError: Microseconds in 64 bits cannot represent the time.
    """
    if not isinstance(value, int):
        return value
    if not -_MOST_MILLIS <= value <= _MOST_MILLIS:
        raise ValueError(f"a time of {value} milliseconds is not within the years -290308 to 294247")
    return value * _MICROS


def _instant(value: Any) -> datetime | int:
    if isinstance(value, int):
        return int(_micros(value))
    found: datetime = value if value.tzinfo else value.replace(tzinfo=timezone.utc)
    return found


def _clock(value: Any) -> datetime | int:
    found = _instant(value)
    return found if isinstance(found, int) else found.astimezone(timezone.utc).replace(tzinfo=None)


_CHECKED: dict[TypeRoot, Convert] = {
    TypeRoot.CHAR: _text,
    TypeRoot.VARCHAR: _text,
    TypeRoot.BOOLEAN: bool,
    TypeRoot.TIME: _micros,
    TypeRoot.TIMESTAMP: _clock,
    TypeRoot.TIMESTAMP_LTZ: _instant,
}
