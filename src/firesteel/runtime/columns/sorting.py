"""Sorting numbers and keeping those that are equal as they stood."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from firesteel.kernels.types import given

_DIGIT = 16
"""Bits: NumPy sorts words of as many by counting."""


def is_ascending(values: NDArray[np.int64]) -> bool:
    """Whether no value is below the one before it."""
    return bool(np.all(values[1:] >= values[:-1]))


def stable_order(values: NDArray[np.int64]) -> NDArray[np.int64]:
    """int64[n]: the places of n values by ascending value, equal ones as they stood.

    Values that lie close together are sorted by one or two digits. Others share a word with their places
    where there is room, and words sort several times faster than an argsort.
    """
    rows = len(values)
    if not rows:
        return np.zeros(0, np.int64)
    least = int(values.min())
    bits = (int(values.max()) - least).bit_length()
    if bits <= 2 * _DIGIT:
        return _by_digits(values - least, bits)
    place_bits = rows.bit_length()
    if bits + place_bits > 63:
        return np.argsort(values, kind="stable")
    words = ((values - least) << place_bits) | np.arange(rows, dtype=np.int64)
    words.sort()
    order: NDArray[np.int64] = words & ((1 << place_bits) - 1)
    return order


def _by_digits(values: NDArray[np.int64], bits: int) -> NDArray[np.int64]:
    """The same for values of at most so many bits, the lowest digit first."""
    order = np.argsort(values.astype(np.uint16), kind="stable")
    for shift in range(_DIGIT, bits, _DIGIT):
        digit = (values >> shift).astype(np.uint16)[order]
        order = order[np.argsort(digit, kind="stable")]
    return order


def stable_order_by(*columns: NDArray[np.int64]) -> NDArray[np.int64]:
    """int64[n]: the places of n rows by ascending values of the first column, then the second and so on,
    equal ones as they stood. What is ascending already costs a look."""
    order: NDArray[np.int64] = np.arange(len(columns[0]), dtype=np.int64)
    for values in reversed(columns):
        ordered = values[order]
        if not is_ascending(ordered):
            order = order[stable_order(ordered)]
    return order


def stable_pair_order(first: NDArray[np.int64], second: NDArray[np.int64]) -> NDArray[np.int64]:
    """int64[n]: the places of n pairs by ascending `first`, then `second`, equal ones as they stood."""
    if is_ascending(second):
        return stable_order(first)
    least, low = int(first.min()), int(second.min())
    bits = (int(second.max()) - low).bit_length()
    if (int(first.max()) - least).bit_length() + bits > 62:
        order: NDArray[np.int64] = np.lexsort((second, first)).astype(np.int64)
        return order
    return stable_order(((first - least) << bits) + (second - low))


def word_order(
    words: NDArray[np.uint64], told_by: Sequence[NDArray[np.uint64]], codes: NDArray[np.int64], word_bits: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]] | None:
    """int64[n]: the places of n rows by code (of all rows, or of none) and leading bits of their word, equal
    ones as they stood; and where each stretch of equal ones begins. None where such rows differ in one of the
    two words `told_by`. word_bits: so many bits are left beside a code and a place."""
    from firesteel.kernels.sorting import (
        pack,  # not on the driver
        unpack,  # not on the driver
    )

    rows = len(words)
    packed = np.empty(rows, np.uint64)
    pack(packed, word_bits, place_bits(rows), *given(words, codes))
    packed.sort()
    order, starts = np.empty(rows, np.int64), np.empty(rows, np.int64)
    count = unpack(order, starts, place_bits(rows), *given(packed, *told_by))
    return None if count < 0 else (order, starts[:count])


def place_bits(rows: int) -> int:
    """Bits that number so many rows."""
    return max(1, rows.bit_length())
