"""Buffer of a window aggregate's rows until they reach Flink's state (buffer_flush.py).

Whether a row is late for a window is decided when the row comes. If it is not late, it waits in the buffer. A
window that fires before the row reaches the state does not contain the row, although the row was in time.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from firesteel.runtime.aggregate.scan.column import Mask
from firesteel.runtime.dataflow.sequence import Numbers, concat
from firesteel.runtime.operators.window.slicing.buffer_flush import BufferFlushes, Flushed
from firesteel.runtime.operators.window.slicing.slices import Slices


@dataclass(frozen=True)
class SlicedRows:
    """Rows with their slices. No row is late for all of its windows.

    Attributes:
        table: The rows.
        ends: int64[n], end of each row's slice.
        due: int64[n], end of each row's first window that had not fired when the row came.
    """

    table: pa.Table
    ends: Numbers
    due: Numbers

    def those(self, chosen: Mask) -> SlicedRows:
        return SlicedRows(self.table.filter(pa.array(chosen)), self.ends[chosen], self.due[chosen])

    def and_more(self, more: SlicedRows) -> SlicedRows:
        if not more.table.num_rows:
            return self
        table = concat([self.table, more.table])
        return SlicedRows(table, np.append(self.ends, more.ends), np.append(self.due, more.due))


@dataclass(frozen=True)
class Released:
    """Rows that have reached the state.

    Attributes:
        in_time: Rows that are late for none of their windows.
        late: Rows that are late for some of their windows.
        without_timer: Rows whose first window fired while they were in the buffer. Later windows may still
            contain such a row. As in Flink, the row does not make them fire. For these rows,
            `SlicedRows.due` is the end of the first window that may still contain the row, and
            `SlicedRows.ends` is the end of the slice to which the row is added.
    """

    in_time: SlicedRows
    late: SlicedRows
    without_timer: SlicedRows


class BufferedRows:
    """Rows that wait in a buffer before they reach the state.

    `now` is the watermark before the first row.
    """

    def __init__(self, slices: Slices, now: int) -> None:
        self._slices = slices
        self._flushes = BufferFlushes(slices, now)
        self._rows: SlicedRows | None = None

    @property
    def some_are_late(self) -> bool:
        """Return whether some buffered rows are late for some of their windows."""
        return self._rows is not None and bool((self._rows.due > self._rows.ends).any())

    def released(self, rows: SlicedRows, watermarks: Numbers, at: Numbers, fired: Numbers) -> Released:
        """Add rows and return those that watermarks release.

        Args:
            rows: New rows.
            watermarks: int64[m], ascending watermarks.
            at: int64[m], number of new rows before each watermark.
            fired: int64[m + 1], end of the last windows that have fired: before each watermark, and after
                the last one.
        """
        flushed = self._flushes.of(watermarks, at, self._kept_in(rows))
        rows, by = self._with_held(rows, flushed)
        done = by < len(watermarks)
        self._rows = rows.those(~done)
        return self._sorted(rows.those(done), by[done], fired)

    def all(self, fired: int) -> Released | None:
        """Empty the buffer for a checkpoint. Return the buffered rows, None if there are none.

        `fired` is the end of the last fired windows.
        """
        rows, self._rows = self._rows, None
        self._flushes.clear()
        if rows is None or not rows.table.num_rows:
            return None
        return self._sorted(rows, np.zeros(rows.table.num_rows, np.int64), np.array([fired]))

    def _with_held(self, rows: SlicedRows, flushed: Flushed) -> tuple[SlicedRows, Numbers]:
        if self._rows is None or not self._rows.table.num_rows:
            return rows, flushed.rows
        by = np.append(np.full(self._rows.table.num_rows, flushed.held), flushed.rows)
        return self._rows.and_more(rows), by

    def _kept_in(self, rows: SlicedRows) -> Numbers:
        """Return the end of the slice to which each row is added (`Slices.kept_in` for a late row)."""
        return np.where(rows.due > rows.ends, self._slices.kept_in(rows.ends), rows.ends)

    def _sorted(self, rows: SlicedRows, by: Numbers, fired: Numbers) -> Released:
        """Divide the rows that leave the buffer into those in time, late for some windows, without a timer.

        Rows that the result of no window contains are left out. Their first window has fired. Either it was
        their only one, or they are in a CUMULATE window but not in its first slice.

        `by`: int64[n], position of the watermark that releases each row. `fired` is as in `released`.
        """
        fired_before = fired[by]
        awake, late = rows.due > fired_before, rows.due > rows.ends
        slices = self._kept_in(rows)
        seen = self._slices.shared & ~awake
        if self._slices.windows.function == "CUMULATE" and self._slices.shared:
            seen &= slices == self._slices.first_slices(slices)
        due = self._slices.first_unfired(slices, fired_before)
        seen &= due <= self._slices.last_windows(slices)
        without_timer = SlicedRows(rows.table, slices, due).those(seen)
        return Released(rows.those(awake & ~late), rows.those(awake & late), without_timer)
