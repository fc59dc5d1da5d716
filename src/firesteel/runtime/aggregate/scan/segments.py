"""Running results within segments: stretches of rows that lie next to each other.

`starts` are the (ascending) places where the segments begin; the first is 0.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from firesteel.kernels import running
from firesteel.kernels.types import given

Index = NDArray[np.int64]
Numbers = NDArray[Any]
_WAYS: dict[np.ufunc, int] = {np.add: running.SUM, np.minimum: running.LEAST, np.maximum: running.GREATEST}


def wrapped(values: Index, bits: int) -> Index:
    """The values as signed integers of so many bits hold them."""
    return values if bits == 64 else values.astype(f"i{bits // 8}").astype(np.int64)


def running_sum(values: Index, starts: Index, initial: Index | int = 0) -> Index:
    """The sum of each segment up to and with each row, from `initial` on; wraps at 64 bits.

    initial: one for each segment, or one for all.
    """
    begin = np.full(len(starts), initial) if isinstance(initial, int) else initial
    return accumulate(np.add, values, starts, begin)


def spread(values: Numbers, starts: Index, rows: int) -> Numbers:
    """The value of each segment at each of its rows."""
    if len(starts) == 1:
        return np.full(rows, values[0], values.dtype)
    return np.repeat(values, np.diff(starts, append=rows))


def accumulate(ufunc: np.ufunc, values: Numbers, starts: Index, initial: Numbers) -> Numbers:
    """`ufunc` (add, minimum, maximum) over each segment row by row, from `initial` on, in exactly this
    order."""
    result = np.empty(len(values), values.dtype)
    running.accumulate(result, _WAYS[ufunc], *given(values, starts, initial))
    return result
