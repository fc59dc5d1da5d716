"""Remove the escapes of JSON strings, giving UTF-8."""

from __future__ import annotations

import numpy as np

from firesteel.kernels.compiler import part
from firesteel.kernels.json.tokens import BAD, hexadecimal
from firesteel.kernels.types import Bytes

_BACKSLASH, _LOWER_U = 92, 117


def _escapes() -> Bytes:
    table = np.arange(256, dtype=np.uint8)
    for letter, byte in zip(b"bfnrt", b"\b\f\n\r\t", strict=True):
        table[letter] = byte
    return table


_MEANINGS = _escapes()


@part
def copy_unescaped(data: Bytes, at: int, end: int, out: Bytes, place: int) -> int:
    """Copy the string data[at:end] to out[place:] without escapes, which never makes it longer.

    Returns:
        The position after the copy, or BAD if half of a surrogate pair is missing.
    """
    while at < end:
        byte = data[at]
        if byte != _BACKSLASH:
            out[place] = byte
            place += 1
            at += 1
        elif data[at + 1] != _LOWER_U:
            out[place] = _MEANINGS[data[at + 1]]
            place += 1
            at += 2
        else:
            code = _unit(data, at + 2)
            at += 6
            if code >= 0xD800 and code < 0xE000:
                if code >= 0xDC00 or at + 6 > end or data[at] != _BACKSLASH or data[at + 1] != _LOWER_U:
                    return BAD
                low = _unit(data, at + 2)
                if low < 0xDC00 or low >= 0xE000:
                    return BAD
                code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00)
                at += 6
            place = _put(code, out, place)
    return place


@part
def _unit(data: Bytes, at: int) -> int:
    """Return the UTF-16 code unit that four hexadecimal digits at data[at] stand for."""
    unit = 0
    for place in range(at, at + 4):
        unit = (unit << 4) | hexadecimal(data[place])
    return unit


@part
def _put(code: int, out: Bytes, place: int) -> int:
    """Write a character as UTF-8, and return the position after it."""
    if code < 0x80:
        out[place] = code
        return place + 1
    size = 2 if code < 0x800 else 3 if code < 0x10000 else 4
    for step in range(size - 1, 0, -1):
        out[place + step] = 0x80 | (code & 0x3F)
        code >>= 6
    out[place] = (0xF00 >> size & 0xFF) | code
    return place + size
