"""Find the line ends of a text."""

from __future__ import annotations

import numpy as np

from firesteel.kernels.compiler import compiled
from firesteel.kernels.types import Bytes, Offsets
from firesteel.kernels.words import load_word, low_zeros

_LINE_END = 10
_ONES, _HIGH_BITS = np.uint64(0x0101010101010101), np.uint64(0x8080808080808080)
_LINE_ENDS = np.uint64(0x0A0A0A0A0A0A0A0A)


@compiled
def line_ends(data: Bytes, ends: Offsets) -> int:
    """Return how many newlines `data` has. `ends`, an int32[m], gets the positions behind the first m."""
    count, at, last = 0, 0, len(data) - 8
    while at < len(data):
        if at <= last:
            word = load_word(data, at) ^ _LINE_ENDS
            marks = (word - _ONES) & ~word & _HIGH_BITS
            if not marks:
                at += 8
                continue
            at += low_zeros(marks) >> 3
        if data[at] == _LINE_END:
            if count < len(ends):
                ends[count] = at + 1
            count += 1
        at += 1
    return count


def warm() -> None:
    """Load the kernel, or compile it."""
    data = np.zeros(8, np.uint8)
    data.flags.writeable = False
    line_ends(data, np.empty(0, np.int32))
