"""BITMAP values: sets of 32-bit integers, carried in RoaringBitmap's portable serialized form.

Flink: RoaringBitmapData. The integers are unsigned: -1 is 4294967295, and comes last.
"""

from __future__ import annotations

_MOST_LETTERS = 0x80000


def bitmap_text(data: bytes) -> str:
    """Return a bitmap as `{1,2,3}`. After 0x80000 characters, `...` stands for the other integers.

    Java: RoaringBitmap.toString.
    """
    from pyroaring import BitMap

    parts: list[str] = []
    length = 1
    for value in BitMap.deserialize(data):
        text = str(value)
        if parts:
            length += 1
            if length > _MOST_LETTERS:
                parts.append("...")
                break
        parts.append(text)
        length += len(text)
    return "{" + ",".join(parts) + "}"
