"""Build the changes that windows send when they fire: results and window columns."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from firesteel.changelog import KIND, SEQUENCE, SUB_SEQUENCE, RowKind, field
from firesteel.runtime.operators.window.zones import to_instants
from firesteel.runtime.spec.window import WindowColumn, WindowTime
from firesteel.types.arrow import to_arrow
from firesteel.types.sql import timestamp, timestamp_ltz

Index = NDArray[np.int64]


def window_columns(
    columns: Iterable[WindowColumn], starts: Index, ends: Index, time: WindowTime, now: int
) -> list[pa.Array]:
    """Return the columns with start, end or time of n windows, as the query asks for them.

    Args:
        columns: Kinds of the wanted columns.
        starts: int64[n], starts in the time zone of the windows, in milliseconds.
        ends: int64[n], ends in the time zone of the windows, in milliseconds.
        time: Time attribute of the windows.
        now: Processing time in milliseconds, the value of a PROCTIME column.
    """
    found = []
    for column in columns:
        if column is WindowColumn.START:
            found.append(moments(starts, to_arrow(timestamp(3))))
        elif column is WindowColumn.END:
            found.append(moments(ends, to_arrow(timestamp(3))))
        elif column is WindowColumn.TIME:
            found.append(moments(to_instants(ends - 1, time.zone), to_arrow(time.type)))
        else:
            found.append(moments(np.full(len(ends), now), to_arrow(timestamp_ltz(3))))
    return found


def moments(millis: Index, kind: pa.DataType) -> pa.Array:
    """Return milliseconds as a column of an Arrow timestamp type in microseconds or nanoseconds."""
    return pa.array(millis * (1000 if kind.unit == "us" else 1_000_000)).cast(kind)


def inserts(sequences: Index, sub_sequence: int, columns: Sequence[pa.Array]) -> pa.Table:
    """Return a changes table of inserts.

    Args:
        sequences: int64[n], sequences of the watermarks that cause the rows.
        sub_sequence: Sub-sequence of these watermarks.
        columns: The fields.
    """
    return changes(
        sequences, sub_sequence, pa.array(np.full(len(sequences), RowKind.INSERT, np.int8)), columns
    )


def changes(sequences: Index, sub_sequence: int, kinds: pa.Array, columns: Sequence[pa.Array]) -> pa.Table:
    """Return a changes table.

    Args:
        sequences: int64[n], sequences of the watermarks that cause the rows.
        sub_sequence: Sub-sequence of these watermarks.
        kinds: int8[n], row kinds.
        columns: The fields.
    """
    arrays, names = [kinds, pa.array(sequences), *columns], [KIND, SEQUENCE, *map(field, range(len(columns)))]
    if sub_sequence:
        arrays, names = [*arrays, pa.array(np.full(len(sequences), sub_sequence))], [*names, SUB_SEQUENCE]
    return pa.Table.from_arrays(arrays, names=names)
