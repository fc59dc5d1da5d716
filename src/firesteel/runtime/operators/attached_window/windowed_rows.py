"""State of rows that have their window's start and end as columns, and wait for the window's end.

A row is late if its window had fired when the row arrived (Flink: TimeWindowUtil.isWindowFired). The
watermark at that moment decides, however the stream was divided into batches.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from firesteel.runtime.dataflow.event_time import milliseconds
from firesteel.runtime.dataflow.operator import MIN_WATERMARK
from firesteel.runtime.operators.over.rows import TimedRows, WaitingRows
from firesteel.runtime.operators.window.zones import to_timers
from firesteel.runtime.spec.attached_window import AttachedWindow
from firesteel.runtime.state.base import StateBackend

Index = NDArray[np.int64]

NO_WINDOW = MIN_WATERMARK
"""Time of a row that is in no window, in place of the watermark that fires its window. It is below all
watermarks, so the row fires at the next one."""


class WindowedRows:
    """The rows of windows that have not fired, by the watermark that fires their window.

    Args:
        window: Columns with the window.
        backend: State of the operator.
        name: Name of the state.
        types: Types of the fields.
    """

    def __init__(
        self, window: AttachedWindow, backend: StateBackend, name: str, types: Sequence[pa.DataType]
    ) -> None:
        self._window = window
        self._width = len(types)
        self._none = tuple(pa.nulls(0, kind) for kind in types)
        self._state = WaitingRows(backend, name, types)

    def arrived(self, table: pa.Table, numbers: Index) -> TimedRows:
        """Return the rows of a changes table. The time of a row is the watermark that fires its window.

        A row whose window_end is NULL (padded by an outer join) is in no window. Its time is NO_WINDOW, so a
        window join fires it at the next watermark.

        Args:
            table: n rows.
            numbers: int64[n], arrival numbers.
        """
        rows = TimedRows.of(table, self._width, self._window.end, numbers)
        times = to_timers(rows.times - 1, self._window.zone)
        ends = rows.columns[self._window.end]
        if ends.null_count:
            times = np.where(ends.is_null().to_numpy(zero_copy_only=False), NO_WINDOW, times)
        return TimedRows(rows.columns, times, numbers)

    def add(self, rows: TimedRows) -> None:
        """Store rows until their window fires."""
        self._state.add(rows)

    def take_until(self, time: int) -> TimedRows:
        """Remove and return the rows of the windows that a watermark fires, in no order."""
        return self._state.take_until(time)

    def none(self) -> TimedRows:
        """Return empty rows with the columns of the input."""
        nothing = np.zeros(0, np.int64)
        return TimedRows(self._none, nothing, nothing)

    def ends(self, rows: TimedRows) -> Index:
        """Return the ends of the windows of some rows, int64[n] in milliseconds of the windows' zone."""
        return milliseconds(rows.columns[self._window.end])

    def borders(self, rows: TimedRows) -> list[pa.Array]:
        """Return the columns with the start and the end of the window of each of some rows."""
        return [rows.columns[self._window.start], rows.columns[self._window.end]]
