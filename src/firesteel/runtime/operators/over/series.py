"""Results of pandas aggregate functions, called once for each frame with the rows of the frame.

Flink: StreamArrowPythonRowTimeBoundedRowsOperator and its three siblings.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from firesteel.changelog import RowKind
from firesteel.functions.python.series import aggregated
from firesteel.runtime.operators.over.frames import Events
from firesteel.runtime.operators.over.rows import Index
from firesteel.runtime.spec.operators import AggregateSpec
from firesteel.types.arrow import to_arrow


def of_series(calls: Sequence[AggregateSpec]) -> bool:
    """Return whether the calls are pandas functions. In an OVER window, either all calls are or none."""
    return any(call.user is not None and call.user.is_pandas for call in calls)


def frames_of(events: Events, partitions: Index) -> tuple[Index, Index]:
    """Return the frame of each result: the position of its first row and the position after its last.

    Args:
        events: Changes of the frames.
        partitions: Partition of each row, ascending.
    """
    last = events.rows[events.results]
    taken_back = np.where(events.kinds == RowKind.DELETE, events.rows, -1)
    left = np.maximum.accumulate(taken_back)[events.results]
    starts = np.searchsorted(partitions, partitions[last], side="left")
    return np.maximum(left + 1, starts), last + 1


def results(
    calls: Sequence[AggregateSpec], columns: Sequence[pa.Array], first: Index, end: Index
) -> list[pa.Array]:
    """Return the results of pandas functions over n frames, one column for each call.

    Args:
        calls: Calls of pandas functions.
        columns: Fields of all rows.
        first: int64[n], first row of each frame (`frames_of`).
        end: int64[n], position after the last row of each frame. Adjacent equal frames are computed once.
    """
    new = np.ones(len(end), np.bool_)
    new[1:] = (end[1:] != end[:-1]) | (first[1:] != first[:-1])
    frames = list(zip(first[new].tolist(), (end - first)[new].tolist(), strict=True))
    at = pa.array(np.cumsum(new) - 1)
    return [_of_call(call, columns, frames).take(at) for call in calls]


def _of_call(call: AggregateSpec, columns: Sequence[pa.Array], frames: list[tuple[int, int]]) -> pa.Array:
    """Return one value for each frame. A frame is its first row and its number of rows."""
    assert call.user is not None
    kind, arguments = to_arrow(call.type), [columns[i] for i in call.args]
    values = [aggregated(call.user, [a.slice(*frame) for a in arguments], kind) for frame in frames]
    return pa.concat_arrays([pa.nulls(0, kind), *values])
