"""Rows of an aggregate of windows until they are in Flink's state (buffer_flush.py).

Which windows a row is late for is decided when it comes, and what it is part of when it reaches the state: of
a window that fires in between it is not.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from firesteel.runtime.aggregate.scan.column import Mask
from firesteel.runtime.dataflow.sequence import Numbers, concat
from firesteel.runtime.operators.window.slicing.buffer_flush import Flushed, Flushes
from firesteel.runtime.operators.window.slicing.slices import Slices


@dataclass(frozen=True)
class SlicedRows:
    """n rows of an input, none late for all of its windows. ends: int64[n], of their slices. due: the first
    window that each is in time for, its slice's own where that is one."""

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
    """Rows that have reached the state. in_time: for the window of their own slice. late: for some windows.
    slept: no timer waits for them; their `due` is the first window that they can be in, their `ends` are of
    the slices in which they are kept."""

    in_time: SlicedRows
    late: SlicedRows
    slept: SlicedRows


class HeldRows:
    """now: the watermark."""

    def __init__(self, slices: Slices, now: int) -> None:
        self._slices = slices
        self._flushes = Flushes(slices, now)
        self._rows: SlicedRows | None = None

    @property
    def some_are_late(self) -> bool:
        """Whether some of the rows that are held are late for some of their windows."""
        return self._rows is not None and bool((self._rows.due > self._rows.ends).any())

    def released(self, rows: SlicedRows, marks: Numbers, at: Numbers, fired: Numbers) -> Released:
        """marks: int64[m], ascending; at: how many of the rows come before each. fired: int64[m + 1], up to
        which end windows have fired before each, and behind the last."""
        flushed = self._flushes.of(marks, at, self._kept_in(rows))
        rows, by = self._with_held(rows, flushed)
        done = by < len(marks)
        self._rows = rows.those(~done)
        return self._sorted(rows.those(done), by[done], fired)

    def all(self, fired: int) -> Released | None:
        """What is still held, as a checkpoint releases it. fired: up to which end windows have."""
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
        """The slice to which each row is added."""
        return np.where(rows.due > rows.ends, self._slices.kept_in(rows.ends), rows.ends)

    def _sorted(self, rows: SlicedRows, by: Numbers, fired: Numbers) -> Released:
        """by: the watermark that releases each row."""
        stood = fired[by]
        awake, late = rows.due > stood, rows.due > rows.ends
        slices = self._kept_in(rows)
        seen = self._slices.shared & ~awake
        if self._slices.windows.function == "CUMULATE" and self._slices.shared:
            seen &= slices == self._slices.first_slices(slices)
        due = self._slices.first_unfired(slices, stood)
        seen &= due <= self._slices.last_windows(slices)
        slept = SlicedRows(rows.table, slices, due).those(seen)
        return Released(rows.those(awake & ~late), rows.those(awake & late), slept)
