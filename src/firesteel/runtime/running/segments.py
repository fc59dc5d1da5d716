"""Running results within segments: stretches of rows that lie next to each other.

`starts` are the (ascending) places where the segments begin; the first is 0.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Index = NDArray[np.int64]
Numbers = NDArray[Any]
_LONG = 64
"""Segments of more rows go one by one."""


def wrapped(values: Index, bits: int) -> Index:
    """The values as signed integers of so many bits hold them."""
    return values if bits == 64 else values.astype(f"i{bits // 8}").astype(np.int64)


def running_sum(values: Index, starts: Index, initial: Index | int = 0) -> Index:
    """The sum of each segment up to and with each row, from `initial` on; wraps at 64 bits.

    initial: one for each segment, or one for all.
    """
    total = np.cumsum(values)
    if len(starts) > 1 or not isinstance(initial, int) or initial:
        base = np.zeros(len(starts), np.int64)
        base[1:] = total[starts[1:] - 1]
        total -= spread(base - initial, starts, len(values))
    return total


def spread(values: Numbers, starts: Index, rows: int) -> Numbers:
    """The value of each segment at each of its rows."""
    if len(starts) == 1:
        return np.full(rows, values[0], values.dtype)
    return np.repeat(values, np.diff(starts, append=rows))


def shifted(values: Numbers, starts: Index, initial: Numbers) -> Numbers:
    """What was there before each row: the row above's value, or `initial` where a segment begins."""
    before = np.empty_like(values)
    before[1:] = values[:-1]
    before[starts] = initial
    return before


def accumulate(ufunc: np.ufunc, values: Numbers, starts: Index, initial: Numbers) -> Numbers:
    """`ufunc` over each segment row by row, from `initial` on, in exactly this order.

    Short segments go together, one row of each a step; long ones go one by one.
    """
    result = values.copy()
    result[starts] = ufunc(initial, values[starts])
    lengths = np.diff(starts, append=len(values))
    long = lengths > _LONG
    for start, length in zip(starts[long].tolist(), lengths[long].tolist(), strict=True):
        ufunc.accumulate(result[start : start + length], out=result[start : start + length])
    at, left = starts[~long], lengths[~long]
    while True:
        going = left > 1
        if not going.all():
            at, left = at[going], left[going]
        if not len(at):
            return result
        at = at + 1
        left = left - 1
        result[at] = ufunc(result[at - 1], values[at])


def greatest_over_intervals(starts: Index, ends: Index, values: Index, rows: int) -> Index:
    """For each of `rows` places the greatest value of the intervals [start, end) that hold it; the
    least int64 where none does.

    A sparse table run backwards: an interval is covered by two stretches of a power of two, and each
    level hands its stretches down in halves.
    """
    least = np.iinfo(np.int64).min
    lengths = ends - starts
    there = lengths > 0
    starts, ends, values, lengths = starts[there], ends[there], values[there], lengths[there]
    if not len(starts):
        return np.full(rows, least)
    levels = np.frexp(lengths.astype(np.float64))[1] - 1
    by_level = np.argsort(levels.astype(np.uint8), kind="stable")
    bounds = np.searchsorted(levels[by_level], np.arange(int(levels.max()) + 2))
    table = np.full(rows, least)
    for level in range(int(levels.max()), -1, -1):
        these = by_level[bounds[level] : bounds[level + 1]]
        np.maximum.at(table, starts[these], values[these])
        np.maximum.at(table, ends[these] - (1 << level), values[these])
        if level:
            half = 1 << (level - 1)
            below = table.copy()
            np.maximum(below[half:], table[:-half], out=below[half:])
            table = below
    return table
