"""BITMAP functions, on values in RoaringBitmap's portable form. Flink: Bitmap*Function, RoaringBitmapData.

A bitmap stores its integers in containers. A container is an array, a bit set or a list of runs. Queries can
read these bytes with BITMAP_TO_BYTES, so each container here has the same kind as in Flink. As in Flink,
containers become runs, where these are shorter, only when a bitmap is serialized (`to_bytes`).
"""

from __future__ import annotations

from pyroaring import BitMap

from firesteel.errors import JobError
from firesteel.types.bitmap import bitmap_text

_WRAP = 1 << 32
_HALF = 1 << 31


def build(values: list[int | None]) -> bytes:
    """Return the bitmap of an array's integers. NULLs are skipped."""
    return _data(BitMap([value % _WRAP for value in values if value is not None], optimize=False))


def intersection(left: bytes, right: bytes) -> bytes:
    return _data(_bitmap(left) & _bitmap(right))


def difference(left: bytes, right: bytes) -> bytes:
    return _data(_bitmap(left) - _bitmap(right))


def union(left: bytes, right: bytes) -> bytes:
    return _data(_bitmap(left) | _bitmap(right))


def symmetric_difference(left: bytes, right: bytes) -> bytes:
    return _data(_bitmap(left) ^ _bitmap(right))


def cardinality(data: bytes) -> int:
    return len(_bitmap(data))


def from_bytes(data: bytes) -> bytes:
    """Return the bitmap that bytes contain, ignoring bytes after it.

    Raises:
        JobError: The bytes contain no bitmap.
    """
    try:
        return _data(_bitmap(data))
    except (ValueError, IndexError):
        raise JobError("Failed to deserialize bitmap from bytes.") from None


def to_array(data: bytes) -> list[int]:
    """Return the integers of a bitmap as signed numbers, in the order that they have as unsigned ones."""
    return [value - _WRAP if value >= _HALF else value for value in _bitmap(data)]


def to_bytes(data: bytes) -> bytes:
    """Return a bitmap as Flink serializes it, with runs where they are shorter."""
    bitmap = _bitmap(data)
    bitmap.run_optimize()
    return _data(bitmap)


def to_string(data: bytes) -> str:
    return bitmap_text(data)


def same(left: bytes, right: bytes) -> bool:
    """Return whether two bitmaps contain the same integers."""
    return left == right or _bitmap(left) == _bitmap(right)


def _bitmap(data: bytes) -> BitMap:
    return BitMap.deserialize(data)


def _data(bitmap: BitMap) -> bytes:
    data: bytes = bitmap.serialize()
    return data
