"""Running results within segments: stretches of rows that lie next to each other.

`starts` are the (ascending) places where the segments begin; the first is 0.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from firesteel.kernels.arrays import given
from firesteel.kernels.running import add_up

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
    total = np.empty(len(values), np.int64)
    begin = np.full(len(starts), initial) if isinstance(initial, int) else initial
    add_up(total, *given(values, starts, begin))
    return total


def spread(values: Numbers, starts: Index, rows: int) -> Numbers:
    """The value of each segment at each of its rows."""
    if len(starts) == 1:
        return np.full(rows, values[0], values.dtype)
    return np.repeat(values, np.diff(starts, append=rows))


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
