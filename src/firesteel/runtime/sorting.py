"""Sorting numbers and keeping those that are equal as they stood."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def stable_order(values: NDArray[np.int64]) -> NDArray[np.int64]:
    """int64[n]: the places of n values by ascending value, equal ones as they stood.

    Values that lie close enough together share one word with their places, and words sort several times
    faster than an argsort.
    """
    rows = len(values)
    if not rows:
        return np.zeros(0, np.int64)
    least = int(values.min())
    place_bits = rows.bit_length()
    if (int(values.max()) - least).bit_length() + place_bits > 63:
        return np.argsort(values, kind="stable")
    words = ((values - least) << place_bits) | np.arange(rows, dtype=np.int64)
    words.sort()
    order: NDArray[np.int64] = words & ((1 << place_bits) - 1)
    return order


def stable_pair_order(first: NDArray[np.int64], second: NDArray[np.int64]) -> NDArray[np.int64]:
    """int64[n]: the places of n pairs by ascending `first`, then `second`, equal ones as they stood."""
    if not len(first):
        return np.zeros(0, np.int64)
    least, low = int(first.min()), int(second.min())
    bits = (int(second.max()) - low).bit_length()
    if (int(first.max()) - least).bit_length() + bits > 62:
        order: NDArray[np.int64] = np.lexsort((second, first)).astype(np.int64)
        return order
    return stable_order(((first - least) << bits) + (second - low))
