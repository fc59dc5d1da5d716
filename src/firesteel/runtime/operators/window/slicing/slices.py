"""Slices: time ranges that no window border divides, as functions over columns of times.

A row belongs to one slice, identified by its end. A TUMBLE window is one slice. HOP and CUMULATE windows
share slices. Times are wall clocks in milliseconds (runtime/operators/window/zones.py). Flink:
SliceAssigners.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from firesteel.changelog import field
from firesteel.runtime.dataflow.event_time import milliseconds
from firesteel.runtime.operators.window.zones import END_OF_TIME, to_timers, to_wall_clock
from firesteel.runtime.spec.window import LocalWindowAggregateSpec, WindowAggregateSpec, WindowsSpec
from firesteel.types.internal_values import one_chunk

Times = NDArray[np.int64]
Index = NDArray[np.int64]

_HOUR = 3_600_000
_FIRST = -(1 << 46)
NONE_FIRED = -(1 << 62)
"""End of the last fired windows if no window has fired yet."""


def window_starts(times: Times, offset: int, size: int) -> Times:
    """Return the start of the window of this size that contains each time.

    Flink: TimeWindow.getWindowStartWithOffset.
    """
    return times - np.mod(times - offset, size)


@dataclass(frozen=True)
class Slices:
    """Slices of some windows.

    Attributes:
        windows: The windows.
        zone: Time zone whose wall clock cuts the slices.
        shared: Whether a slice is part of several windows. If False, each slice is a window.
    """

    windows: WindowsSpec
    zone: str
    shared: bool

    @classmethod
    def of(cls, spec: LocalWindowAggregateSpec | WindowAggregateSpec) -> Slices:
        """Return the slices of a spec. If a window table function has assigned windows, each is a slice."""
        shared = spec.windows.function != "TUMBLE" and spec.window_end is None
        return cls(spec.windows, spec.time.zone, shared)

    @property
    def interval(self) -> int:
        """Return the milliseconds between the ends of two successive slices.

        The ends of two successive windows have the same distance.
        """
        return self.windows.step

    def ends(self, times: Times) -> Times:
        """Return the end of the slice that contains each time."""
        return window_starts(times, self.windows.offset, self.interval) + self.interval

    def last_windows(self, ends: Times) -> Times:
        """Return the end of the last window that contains each slice."""
        if not self.shared:
            return ends
        if self.windows.function == "HOP":
            return ends - self.interval + self.windows.size
        return self.starts(ends) + self.windows.size

    def starts(self, window_ends: Times) -> Times:
        """Return the starts of windows, given their ends."""
        if self.windows.function == "CUMULATE":
            return window_starts(window_ends - 1, self.windows.offset, self.windows.size)
        return window_ends - self.windows.size

    def first_slices(self, ends: Times) -> Times:
        """Return, for slices of CUMULATE windows, the end of the first slice with the same window start."""
        return self.starts(ends) + self.interval

    def kept_in(self, ends: Times) -> Times:
        """Return the ends of the slices to which the late rows of some slices are added.

        For CUMULATE, this is the first slice of the window, into which fired slices are merged. Otherwise, it
        is the row's own slice.
        """
        return self.first_slices(ends) if self.shared and self.windows.function == "CUMULATE" else ends

    def last_fired(self, ends: Times, fired: int) -> Times:
        """Return, for each slice, the end of the last window that contains it and ends by `fired`."""
        bound = np.minimum(self.last_windows(ends), fired)
        return window_starts(bound, self.windows.offset, self.interval) if self.shared else bound

    def first_unfired(self, ends: Times, fired: Times) -> Times:
        """Return, for each slice, the end of the first window that contains it and ends after `fired`.

        If all windows of the slice end at or before `fired`, return a time after the end of the last one.
        """
        if not self.shared:
            return np.where(ends > fired, ends, ends + self.interval)
        bound = np.minimum(np.maximum(fired, ends - self.interval), self.last_windows(ends))
        return window_starts(bound, self.windows.offset, self.interval) + self.interval

    def any_between(self, before: int, after: int) -> bool:
        """Return whether a window may end after `before` and up to `after`."""
        if not self.shared:
            return after > before
        return after - (after - self.windows.offset) % self.interval > before

    def fired(self, instants: Times) -> Times:
        """Return, for each instant, the end of the last windows that have fired by then.

        Flink: TimeWindowUtil.isWindowFired.
        """
        moments = np.maximum(instants, _FIRST)
        clocks = to_wall_clock(moments, self.zone)
        if self.zone != "UTC":  # Of an hour that a clock shows twice, windows fire only the second time.
            again = to_timers(clocks, self.zone) > moments
            clocks = np.where(again, clocks - np.mod(clocks, _HOUR) - 1, clocks)
        fired = np.minimum(clocks, END_OF_TIME - 1) + 1
        return np.where(instants < _FIRST, NONE_FIRED, fired)


def row_ends(
    changes: pa.Table, spec: LocalWindowAggregateSpec | WindowAggregateSpec, slices: Slices, now: int = 0
) -> Times:
    """Return the end of each row's slice, int64[n]. `now` is the processing time."""
    if spec.window_end is not None:
        return milliseconds(one_chunk(changes.column(field(spec.window_end))))
    if spec.time.column is None:
        times = np.full(changes.num_rows, now, np.int64)
    else:
        times = milliseconds(one_chunk(changes.column(field(spec.time.column))))
    return slices.ends(to_wall_clock(times, slices.zone))
