"""Java's `hashCode` of SQL values in Flink's external form: String, LocalDate, Instant.

Flink's print connector converts rows to this form. A MAP is then a java.util.HashMap, and is printed in the
order that follows from the hash codes of its keys.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, timedelta
from decimal import Decimal
from typing import Any

from firesteel.functions.java.hash_code import Hash, hasher, string_hash
from firesteel.types.decimals import EXACT
from firesteel.types.internal_values import to_key
from firesteel.types.sql import APPROXIMATE, CHARACTER, SqlType, TypeRoot

_NANOS_PER_DAY = 86_400 * 10**9


def object_hash(kind: SqlType) -> Hash | None:
    """Return the function that computes Java's hashCode of a value from `types.text.plain_values`.

    Returns:
        The function, or None for nested types and BYTES: Java hashes them by identity, or by values that
        Flink does not show.
    """
    plain = _HASHES.get(kind.root)
    if kind.root in CHARACTER:
        plain = string_hash
    elif kind.root is TypeRoot.DECIMAL:
        scaled = hasher(kind)
        return _null_safe(lambda value: scaled(int(Decimal(value).scaleb(kind.scale or 0, EXACT))))
    elif kind.root in APPROXIMATE:
        bits = hasher(kind)
        return _null_safe(lambda value: bits(to_key(value, kind)))
    elif plain is None and not kind.is_integer and kind.root is not TypeRoot.BOOLEAN:
        return None
    return _null_safe(plain or hasher(kind))


def _null_safe(plain: Callable[[Any], int]) -> Hash:
    return lambda value: 0 if value is None else plain(value)


def _long(value: int) -> int:
    return value ^ value >> 32


def _date(days: int) -> int:
    day = date(1970, 1, 1) + timedelta(days=days)
    return (day.year & 0xFFFFF800) ^ ((day.year << 11) + (day.month << 6) + day.day)


def _date_time(nanos: int) -> int:
    days, rest = divmod(nanos, _NANOS_PER_DAY)
    return _date(days) ^ _long(rest)


def _instant(nanos: int) -> int:
    seconds, rest = divmod(nanos, 10**9)
    return (_long(seconds) & 0xFFFFFFFF) + 51 * rest


_HASHES: dict[TypeRoot, Callable[[Any], int]] = {
    TypeRoot.DATE: _date,
    TypeRoot.TIME: _long,
    TypeRoot.TIMESTAMP: _date_time,
    TypeRoot.TIMESTAMP_LTZ: _instant,
}
