"""Stable sorting of integers."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from firesteel.kernels.types import given

_DIGIT = 16
"""Number of bits of a digit in a radix sort. NumPy has a fast radix sort for integers of at most 16 bits."""


def is_ascending(values: NDArray[np.int64]) -> bool:
    """Return whether no value is below the one before it."""
    return bool(np.all(values[1:] >= values[:-1]))


def stable_order(values: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the row numbers that sort n values, int64[n]. The sort is stable.

    If greatest minus least value fits in 32 bits, the values are sorted by one or two digits of 16 bits.
    Otherwise, each value and its row number are packed into one 64-bit word, if there is room. Sorting words
    is several times faster than an argsort.
    """
    rows = len(values)
    if not rows:
        return np.zeros(0, np.int64)
    least = int(values.min())
    bits = (int(values.max()) - least).bit_length()
    if bits <= 2 * _DIGIT:
        return _by_digits(values - least, bits)
    row_bits = rows.bit_length()
    if bits + row_bits > 63:
        return np.argsort(values, kind="stable")
    words = ((values - least) << row_bits) | np.arange(rows, dtype=np.int64)
    words.sort()
    order: NDArray[np.int64] = words & ((1 << row_bits) - 1)
    return order


def _by_digits(values: NDArray[np.int64], bits: int) -> NDArray[np.int64]:
    """Return the stable order of values of at most `bits` bits, by radix sort from the lowest digit."""
    order = np.argsort(values.astype(np.uint16), kind="stable")
    for shift in range(_DIGIT, bits, _DIGIT):
        digit = (values >> shift).astype(np.uint16)[order]
        order = order[np.argsort(digit, kind="stable")]
    return order


def stable_order_by(*columns: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the row numbers that sort n rows by several columns, int64[n]. The sort is stable.

    The first column is the most significant. Columns that are sorted already cost little.
    """
    order: NDArray[np.int64] = np.arange(len(columns[0]), dtype=np.int64)
    for values in reversed(columns):
        ordered = values[order]
        if not is_ascending(ordered):
            order = order[stable_order(ordered)]
    return order


def stable_pair_order(first: NDArray[np.int64], second: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the row numbers that sort n pairs by `first`, then `second`, int64[n]. The sort is stable."""
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
    """Sort n rows by code, then by the leading bits of their words. Return the row numbers and the groups.

    A word is an unsigned 64-bit number, such as a hash of the row's key. Rows with the same code and the same
    leading bits form a group. Rows of different keys may fall into one group; then the result is None. The
    sort is stable.

    Args:
        words: uint64[n], word of each row. Only its `word_bits` leading bits count.
        told_by: Two arrays, uint64[n], which tell the keys within a group apart: rows of one key have equal
            numbers in both arrays. If one array is enough, pass it twice. `words` may be one of them.
        codes: int64[n], number by which each row is sorted first. Empty to sort by words only.
        word_bits: Number of bits of a word that are used. A code, these bits and a row number must fit into
            64 bits together.

    Returns:
        int64[n], the sorted row numbers, and int64[g], the position in them at which each of g groups begins.
        None if a group has rows that differ in `told_by`.
    """
    # Imported here, not at the top: the driver imports sorting.py, too, but never needs these kernels.
    from firesteel.kernels.sorting import (
        pack,
        unpack,
    )

    rows = len(words)
    packed = np.empty(rows, np.uint64)
    pack(packed, word_bits, row_bits(rows), *given(words, codes))
    packed.sort()
    order, starts = np.empty(rows, np.int64), np.empty(rows, np.int64)
    count = unpack(order, starts, row_bits(rows), *given(packed, *told_by))
    return None if count < 0 else (order, starts[:count])


def row_bits(rows: int) -> int:
    """Return the number of bits that are needed to number `rows` rows."""
    return max(1, rows.bit_length())
