"""`hashCode` of VARIANT and BITMAP values, computed from their binaries in columns."""

from __future__ import annotations

import struct
from collections.abc import Iterable

from firesteel.types.variant import unpack

_SERIAL, _SERIAL_WITH_RUNS = 12346, 12347
_MOST_IN_ARRAY = 4096
_FEW = 4


def variant_hash(data: bytes) -> int:
    """Return the hash of a VARIANT. Java: BinaryVariant.hashCode."""
    metadata, value, place = unpack(data)
    code = 1
    for part in (_array(_signed(value)), _array(_signed(metadata)), place):
        code = code * 31 + part & 0xFFFFFFFF
    return code


def bitmap_hash(data: bytes) -> int:
    """Return the hash of a BITMAP, from its serialized containers. Java: RoaringBitmap.hashCode."""
    (cookie,) = struct.unpack_from("<I", data)
    if cookie & 0xFFFF == _SERIAL_WITH_RUNS:
        size = (cookie >> 16) + 1
        runs, at = data[4 : 4 + (size + 7) // 8], 4 + (size + 7) // 8
    else:
        size, at = struct.unpack_from("<I", data, 4)[0], 8
        runs = bytes((size + 7) // 8)
    head = struct.unpack_from(f"<{2 * size}H", data, at)
    at += 4 * size
    if cookie & 0xFFFF == _SERIAL or size >= _FEW:
        at += 4 * size
    code = 0
    for i in range(size):
        key, cardinality = head[2 * i], head[2 * i + 1] + 1
        if runs[i // 8] >> i % 8 & 1:
            (count,) = struct.unpack_from("<H", data, at)
            part = _doubling(struct.unpack_from(f"<{2 * count}H", data, at + 2))
            at += 2 + 4 * count
        elif cardinality <= _MOST_IN_ARRAY:
            part = _doubling(struct.unpack_from(f"<{cardinality}H", data, at))
            at += 2 * cardinality
        else:
            words = struct.unpack_from("<1024Q", data, at)
            part = _array(word ^ word >> 32 for word in words)
            at += 8192
        code = code * 31 + key * 0xF0F0F0 + part & 0xFFFFFFFF
    return code


def _array(parts: Iterable[int]) -> int:
    code = 1
    for part in parts:
        code = code * 31 + part & 0xFFFFFFFF
    return code


def _doubling(values: Iterable[int]) -> int:
    code = 0
    for value in values:
        code = code * 32 + value & 0xFFFFFFFF
    return code


def _signed(data: bytes) -> Iterable[int]:
    return (byte - 256 if byte > 127 else byte for byte in data)
