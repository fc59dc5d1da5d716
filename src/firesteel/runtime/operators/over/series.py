"""The results of aggregate functions over pandas: each is called once a frame, with the frame's rows.

Flink: StreamArrowPythonRowTimeBoundedRowsOperator and the three like it.
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
    """Whether the calls are of functions over pandas; with OVER all of a window are, or none."""
    return any(call.user is not None and call.user.is_pandas for call in calls)


def frames_of(events: Events, partitions: Index) -> tuple[Index, Index]:
    """The places of each result's first row and behind its last. partitions: of all rows, ascending."""
    last = events.rows[events.results]
    taken_back = np.where(events.kinds == RowKind.DELETE, events.rows, -1)
    left = np.maximum.accumulate(taken_back)[events.results]
    starts = np.searchsorted(partitions, partitions[last], side="left")
    return np.maximum(left + 1, starts), last + 1


def results(
    calls: Sequence[AggregateSpec], columns: Sequence[pa.Array], first: Index, end: Index
) -> list[pa.Array]:
    """n values a call. columns: the fields of all rows. first, end: int64[n], the frames as `frames_of` gives
    them; peers, which follow each other, share a result."""
    new = np.ones(len(end), np.bool_)
    new[1:] = (end[1:] != end[:-1]) | (first[1:] != first[:-1])
    frames = list(zip(first[new].tolist(), (end - first)[new].tolist(), strict=True))
    at = pa.array(np.cumsum(new) - 1)
    return [_of_call(call, columns, frames).take(at) for call in calls]


def _of_call(call: AggregateSpec, columns: Sequence[pa.Array], frames: list[tuple[int, int]]) -> pa.Array:
    """A value a frame, given by its first row and how many it has."""
    assert call.user is not None
    kind, arguments = to_arrow(call.type), [columns[i] for i in call.args]
    values = [aggregated(call.user, [a.slice(*frame) for a in arguments], kind) for frame in frames]
    return pa.concat_arrays([pa.nulls(0, kind), *values])
