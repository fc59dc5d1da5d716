"""Running results within segments, which are ranges of adjacent rows.

`starts` has the position of the first row of each segment, ascending. The first position is 0.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from firesteel.kernels import prefix_scan
from firesteel.kernels.types import given

Index = NDArray[np.int64]
Numbers = NDArray[Any]
_WAYS: dict[np.ufunc, int] = {
    np.add: prefix_scan.SUM,
    np.minimum: prefix_scan.LEAST,
    np.maximum: prefix_scan.GREATEST,
}


def wrapped(values: Index, bits: int) -> Index:
    """Return the values wrapped to signed integers of a number of bits."""
    return values if bits == 64 else values.astype(f"i{bits // 8}").astype(np.int64)


def running_sum(values: Index, starts: Index, initial: Index | int = 0) -> Index:
    """Return the running sum of each segment. Sums wrap at 64 bits.

    `initial` has one value for each segment, or one for all.
    """
    begin = np.full(len(starts), initial) if isinstance(initial, int) else initial
    return accumulate(np.add, values, starts, begin)


def spread(values: Numbers, starts: Index, rows: int) -> Numbers:
    """Return an array of `rows` items: each row gets its segment's item of `values`."""
    if len(starts) == 1:
        return np.full(rows, values[0], values.dtype)
    return np.repeat(values, np.diff(starts, append=rows))


def accumulate(ufunc: np.ufunc, values: Numbers, starts: Index, initial: Numbers) -> Numbers:
    """Return the running result of `ufunc` (add, minimum, maximum) after each row of the segments.

    Each segment starts with its value in `initial`. Rows are processed one by one, in their order.
    """
    result = np.empty(len(values), values.dtype)
    prefix_scan.accumulate(result, _WAYS[ufunc], *given(values, starts, initial))
    return result
