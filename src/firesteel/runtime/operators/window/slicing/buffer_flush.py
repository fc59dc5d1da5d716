"""Times at which buffered rows of a Flink window operator reach its state.

Flink: RecordsWindowBuffer, TimeWindowUtil.getNextTriggerWatermarkWithOffset. Flink checks its buffer at the
first watermark at or after a time that is called trigger. If this watermark is at or after the end of the
earliest slice in the buffer, all rows go from the buffer to the state. Triggers are one slice apart. They
follow the wall clock in a zone with daylight saving time, and UTC in all others.

If the offset of a zone is no multiple of the slice, a window may end hours before its rows are flushed. The
same happens in the hour that a clock shows twice. Flink's results depend on this, so operators use this
module.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass

import numpy as np

from firesteel.runtime.operators.window.slicing.slices import Index, Slices, Times, window_starts
from firesteel.runtime.operators.window.zones import END_OF_TIME, to_timers, to_wall_clock
from firesteel.types.zones import has_daylight_time, was_aligned


def may_delay(slices: Slices) -> bool:
    """Return whether a window can end before its rows reach the state.

    Windows of GROUP BY have no buffer (Flink: AggregateWindowOperator).
    """
    if slices.windows.of_group_by:
        return False
    return has_daylight_time(slices.zone) or not was_aligned(slices.zone, slices.interval)


def next_triggers(watermarks: Times, slices: Slices) -> Times:
    """Return, for each watermark, the next trigger after it.

    Flink checks the buffer at the first watermark at or after a trigger.
    """
    interval, offset = slices.interval, slices.windows.offset
    if has_daylight_time(slices.zone):
        starts = window_starts(to_wall_clock(watermarks, slices.zone), offset, interval)
        found = to_timers(starts + interval - 1, slices.zone)
    else:
        found = window_starts(watermarks, offset, interval) + interval - 1
    found = np.where(found > watermarks, found, found + interval)
    return np.where(watermarks == END_OF_TIME, watermarks, found)


@dataclass(frozen=True)
class Flushed:
    """Which of m watermarks flush n new rows and the buffered rows.

    Attributes:
        rows: int64[n], number of the watermark that brings each new row to the state, m for none.
        held: Number of the watermark that flushes the rows that were buffered before, m for none.
    """

    rows: Index
    held: int


class BufferFlushes:
    """Flushes of one buffer. `now`: last watermark so far. Only a watermark above it can flush."""

    def __init__(self, slices: Slices, now: int) -> None:
        self._slices = slices
        self._trigger = now + 1
        self._least = END_OF_TIME

    def clear(self) -> None:
        """Note that the buffer is empty. A checkpoint empties it."""
        self._least = END_OF_TIME

    def of(self, watermarks: Times, at: Index, ends: Times) -> Flushed:
        """Add n rows to the buffer, and return which watermarks flush them and the rows buffered before.

        Args:
            watermarks: int64[m], ascending watermarks.
            at: int64[m], number of rows before each watermark.
            ends: int64[n], end of each row's slice. END_OF_TIME for a row that is not added.
        """
        triggers = self._triggered(watermarks)
        parts = np.searchsorted(at[triggers], np.arange(len(ends)), side="right")
        least = np.full(len(triggers) + 1, END_OF_TIME)
        np.minimum.at(least, parts, ends)
        fired = self._slices.fired(watermarks)[triggers].tolist()
        emptied = []
        for number, (lowest, end) in enumerate(zip(least.tolist(), fired, strict=False)):
            self._least = min(self._least, lowest)
            if self._least <= end:
                emptied.append(number)
                self._least = END_OF_TIME
        self._least = min(self._least, int(least[-1]))
        places = np.append(triggers[emptied], len(watermarks))
        return Flushed(places[np.searchsorted(emptied, parts)], int(places[0]))

    def _triggered(self, watermarks: Times) -> Index:
        """Return the positions of the watermarks that reach a trigger, ascending."""
        times, following = watermarks.tolist(), next_triggers(watermarks, self._slices).tolist()
        found = []
        place = bisect_left(times, self._trigger)
        while place < len(times):
            found.append(place)
            self._trigger = following[place]
            place = bisect_left(times, self._trigger, place + 1)
        return np.array(found, np.int64)
