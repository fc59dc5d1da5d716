"""When the rows that a window operator of Flink's holds back reach its state.

Flink: RecordsWindowBuffer, TimeWindowUtil.getNextTriggerWatermarkWithOffset. The first watermark at or past a
trigger empties the buffer, if it ends the earliest slice in it. Triggers are a slice apart: by the clock of a
zone that has daylight saving time, and in UTC for every other zone. Where the clock is not ahead of UTC by
whole slices, windows end hours before their rows are there; so they do in the hour that a clock shows twice.
What such rows come to is Flink's answer too, so operators ask here.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass

import numpy as np

from firesteel.runtime.operators.window.slicing.slices import Index, Slices, Times, window_starts
from firesteel.runtime.operators.window.zones import END_OF_TIME, to_timers, to_wall_clock
from firesteel.types.zones import has_daylight_time, was_aligned


def may_delay(slices: Slices) -> bool:
    """Whether a window can end before its rows have come to the state. Those of GROUP BY have no buffer
    (Flink: AggregateWindowOperator)."""
    if slices.windows.of_group_by:
        return False
    return has_daylight_time(slices.zone) or not was_aligned(slices.zone, slices.interval)


def next_triggers(marks: Times, slices: Slices) -> Times:
    """For each watermark at which a buffer was looked at, from which one on it will be again."""
    interval, offset = slices.interval, slices.windows.offset
    if has_daylight_time(slices.zone):
        starts = window_starts(to_wall_clock(marks, slices.zone), offset, interval)
        found = to_timers(starts + interval - 1, slices.zone)
    else:
        found = window_starts(marks, offset, interval) + interval - 1
    found = np.where(found > marks, found, found + interval)
    return np.where(marks == END_OF_TIME, marks, found)


@dataclass(frozen=True)
class Flushed:
    """rows: int64[n], which of m watermarks brings each row to the state; m where none has yet. held: the
    same for all that came before."""

    rows: Index
    held: int


class Flushes:
    """Of one buffer. now: the watermark up to which nothing is asked."""

    def __init__(self, slices: Slices, now: int) -> None:
        self._slices = slices
        self._trigger = now + 1
        self._least = END_OF_TIME

    def clear(self) -> None:
        """The buffer is emptied, as by a checkpoint."""
        self._least = END_OF_TIME

    def of(self, marks: Times, at: Index, ends: Times) -> Flushed:
        """marks: int64[m], ascending; at: how many rows come before each. ends: int64[n], of the slices to
        which rows are added; the end of time for a row that is not."""
        triggers = self._triggered(marks)
        parts = np.searchsorted(at[triggers], np.arange(len(ends)), side="right")
        least = np.full(len(triggers) + 1, END_OF_TIME)
        np.minimum.at(least, parts, ends)
        fired = self._slices.fired(marks)[triggers].tolist()
        emptied = []
        for number, (lowest, end) in enumerate(zip(least.tolist(), fired, strict=False)):
            self._least = min(self._least, lowest)
            if self._least <= end:
                emptied.append(number)
                self._least = END_OF_TIME
        self._least = min(self._least, int(least[-1]))
        places = np.append(triggers[emptied], len(marks))
        return Flushed(places[np.searchsorted(emptied, parts)], int(places[0]))

    def _triggered(self, marks: Times) -> Index:
        """Which watermarks pass a trigger."""
        times, following = marks.tolist(), next_triggers(marks, self._slices).tolist()
        found = []
        place = bisect_left(times, self._trigger)
        while place < len(times):
            found.append(place)
            self._trigger = following[place]
            place = bisect_left(times, self._trigger, place + 1)
        return np.array(found, np.int64)
