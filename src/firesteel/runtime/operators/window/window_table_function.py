"""WindowTableFunction: append the windows of TUMBLE, HOP or CUMULATE to every row.

Flink: AlignedWindowTableFunctionOperator. No row is late, and none is buffered. A row is sent once for each
of its windows: for HOP the latest first, for CUMULATE the shortest first.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pyarrow as pa

from firesteel.changelog import KIND, field
from firesteel.runtime.dataflow.event_time import milliseconds
from firesteel.runtime.dataflow.operator import Clock, RowOperator
from firesteel.runtime.dataflow.sequence import Numbers, derived
from firesteel.runtime.operators.window.fired import window_columns
from firesteel.runtime.operators.window.slicing.slices import window_starts
from firesteel.runtime.operators.window.zones import to_wall_clock
from firesteel.runtime.spec.window import WindowColumn, WindowTableFunctionSpec
from firesteel.runtime.state.base import StateBackend
from firesteel.types.internal_values import one_chunk

_COLUMNS = (WindowColumn.START, WindowColumn.END, WindowColumn.TIME)


class WindowTableFunction(RowOperator):
    """Operator that appends window columns. Rows keep their kinds, and rows with a NULL time are dropped."""

    def __init__(self, spec: WindowTableFunctionSpec, clock: Clock) -> None:
        self._spec = spec
        self._clock = clock

    def process(self, changes: pa.Table) -> pa.Table:
        """Return each row once for each of its windows, with window_start, window_end and window_time."""
        spec = self._spec
        there, times = self._times(changes)
        place, starts, ends = self._windows(to_wall_clock(times, spec.time.zone))
        rows = there[place]
        at = pa.array(rows)
        fields = sum(name.startswith("f") for name in changes.column_names)
        columns = [one_chunk(changes.column(field(i))).take(at) for i in range(fields)]
        borders = window_columns(_COLUMNS, starts, ends, spec.time, 0)
        kinds = one_chunk(changes.column(KIND)).take(at)
        return derived(changes, rows, kinds, [*columns, *borders])

    def _times(self, changes: pa.Table) -> tuple[Numbers, Numbers]:
        """Return the rows that have a time, and their times."""
        if self._spec.time.column is None:
            rows = np.arange(changes.num_rows)
            return rows, np.full(changes.num_rows, self._clock(), np.int64)
        column = one_chunk(changes.column(field(self._spec.time.column)))
        rows = np.flatnonzero(column.is_valid().to_numpy(zero_copy_only=False))
        return rows, milliseconds(column.take(pa.array(rows)))

    def _windows(self, times: Numbers) -> tuple[Numbers, Numbers, Numbers]:
        """Return all windows that contain each time: position in `times`, start and end of each window."""
        windows = self._spec.windows
        if windows.function == "CUMULATE":
            start = window_starts(times, windows.offset, windows.size)
            first = window_starts(times, windows.offset, windows.step) + windows.step
            place, nth = _copies((start + windows.size - first) // windows.step + 1)
            return place, start[place], first[place] + nth * windows.step
        last = window_starts(times, windows.offset, windows.step)
        place, nth = _copies(-((times - windows.size - last) // windows.step))
        starts = last[place] - nth * windows.step
        return place, starts, starts + windows.size


def _copies(counts: Numbers) -> tuple[Numbers, Numbers]:
    """Return, for each copy of a row, the position of the row and the number of the copy, from 0.

    `counts`: int64[n], number of copies of each row. The copies of a row are adjacent.
    """
    place = np.repeat(np.arange(len(counts)), counts)
    return place, np.arange(len(place)) - np.repeat(np.cumsum(counts) - counts, counts)


def build(spec: WindowTableFunctionSpec, state: StateBackend | None, clock: Clock) -> WindowTableFunction:
    return WindowTableFunction(spec, clock)


def code(spec: WindowTableFunctionSpec) -> Iterator[str]:
    yield f"-- WindowTableFunction, {spec.windows.function} of {spec.windows.size} ms"
