"""Event time as columns of int64 milliseconds, the unit of watermarks. A TIMESTAMP counts as UTC."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

_TICKS = {"s": (1000, 1), "ms": (1, 1), "us": (1, 1000), "ns": (1, 1_000_000)}


def milliseconds(column: pa.Array | pa.ChunkedArray) -> NDArray[np.int64]:
    """Return a TIMESTAMP or TIMESTAMP_LTZ column as milliseconds since 1970, int64[n]. NULL becomes 0."""
    times, per_tick = _TICKS[column.type.unit]
    ticks = column.cast(pa.int64())
    found: NDArray[np.int64] = (ticks.fill_null(0) if ticks.null_count else ticks).to_numpy()
    return found * times // per_tick if (times, per_tick) != (1, 1) else found


def ends_interval(times: NDArray[np.int64], before: int, interval: int) -> NDArray[np.bool_]:
    """Return whether each watermark is the first that has reached the end of an interval, bool[m].

    With a length of 5000 ms, intervals end at 4999, 9999 and so on (Flink: RowTimeMiniBatchAssginerOperator).
    For the watermarks 4998, 4999, 6000, the result is False, True, False.

    Args:
        times: int64[m], ascending watermarks.
        before: The last watermark before `times` for which the result was True.
        interval: Length in milliseconds.
    """
    numbers = np.concatenate([[before], times])
    numbers = np.where(numbers == _END, _END, numbers + 1) // interval
    found: NDArray[np.bool_] = np.diff(numbers) > 0
    return found


_END = np.iinfo(np.int64).max
"""Watermark of an input that has ended."""
