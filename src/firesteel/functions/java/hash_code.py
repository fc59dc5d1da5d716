"""`hashCode` of the Java objects that hold SQL values in Flink.

The functions take values in key form (types/internal_values.py): hashable Python objects, with FLOAT and
DOUBLE as integers and nested values as tuples.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from functools import lru_cache
from typing import Any

from firesteel.types.binary_layout import binary
from firesteel.types.numbers import from_sortable
from firesteel.types.sql import CHARACTER, TIMESTAMPS, SqlType, TypeRoot

Hash = Callable[[Any], int]
"""Function from a value to an int. Its low 32 bits are the hash. Callers must ignore the higher bits."""

_WORD = 0xFFFFFFFF
_BITS = 0x7FFFFFFFFFFFFFFF
_SEED = 42


def hasher(kind: SqlType) -> Hash:
    """Return the hash function for values of a type. The hash of NULL is 0.

    The function takes values in key form (types/internal_values.py), the hashable Python form of SQL values.
    """
    plain = _hasher(kind)
    return lambda value: 0 if value is None else plain(value)


def _hasher(kind: SqlType) -> Hash:
    root = kind.root
    if kind.children:
        return lambda value: murmur(binary(kind, value))
    if root in CHARACTER:
        return _text
    if root is TypeRoot.DECIMAL:
        scale = kind.scale or 0
        return lambda value: _decimal(value, scale)
    if root in TIMESTAMPS:
        ticks = 10**3 if (kind.precision or 0) <= 6 else 10**6
        return lambda value: _timestamp(value, ticks)
    if root in (TypeRoot.VARIANT, TypeRoot.BITMAP):
        from firesteel.functions.java.hash_code_binary import bitmap_hash, variant_hash

        return variant_hash if root is TypeRoot.VARIANT else bitmap_hash
    return _SIMPLE.get(root, int)


def murmur(data: bytes) -> int:
    """Return the 32-bit Murmur3 hash of bytes.

    The hash is that of Flink's MurmurHashUtils, which differs from the standard: the up to three bytes after
    the last whole word of four bytes are hashed as a word each, with the byte's sign.
    """
    whole = len(data) & ~3
    words: tuple[int, ...] = struct.unpack_from(f"<{whole // 4}I", data)
    rest: tuple[int, ...] = struct.unpack_from(f"{len(data) - whole}b", data, whole)
    state = _SEED
    for word in (*words, *rest):
        word = word * 0xCC9E2D51 & _WORD
        word = (word << 15 | word >> 17) & _WORD
        state ^= word * 0x1B873593 & _WORD
        state = (state << 13 | state >> 19) & _WORD
        state = state * 5 + 0xE6546B64 & _WORD
    state ^= len(data)
    state ^= state >> 16
    state = state * 0x85EBCA6B & _WORD
    state ^= state >> 13
    state = state * 0xC2B2AE35 & _WORD
    return state ^ state >> 16


def string_hash(value: str) -> int:
    """Return the hash of a java.lang.String. Texts in Flink's rows (BinaryStringData) have another hash."""
    code = 0
    for (unit,) in struct.iter_unpack("<H", value.encode("utf-16-le", "surrogatepass")):
        code = code * 31 + unit & _WORD
    return code


@lru_cache(maxsize=1 << 16)
def _text(value: str) -> int:
    return murmur(value.encode())


def _long(value: int) -> int:
    bits = value & 0xFFFFFFFFFFFFFFFF
    return bits ^ bits >> 32


def _double(key: int) -> int:
    return _long(key if key >= 0 else key ^ _BITS)


def _float(key: int) -> int:
    return int.from_bytes(struct.pack("<f", from_sortable(key)), "little")


def _decimal(value: int, scale: int) -> int:
    """Return the hash of a BigDecimal: of the magnitude's 32-bit words, highest first, then of the scale."""
    magnitude, words = abs(value), 0
    for shift in range(96 if magnitude >> 63 else 32, -1, -32):
        words = words * 31 + (magnitude >> shift & _WORD)
    return 31 * (-words if value < 0 else words) + scale


def _timestamp(ticks: int, per_millisecond: int) -> int:
    millis, rest = divmod(ticks, per_millisecond)
    return 31 * (millis ^ millis >> 32) + rest * (10**6 // per_millisecond)


_SIMPLE: dict[TypeRoot, Hash] = {
    TypeRoot.BOOLEAN: lambda value: 1231 if value else 1237,
    TypeRoot.BIGINT: _long,
    TypeRoot.INTERVAL_DAY_TIME: _long,
    TypeRoot.FLOAT: _float,
    TypeRoot.DOUBLE: _double,
    TypeRoot.TIME: lambda micros: micros // 1000,
}
