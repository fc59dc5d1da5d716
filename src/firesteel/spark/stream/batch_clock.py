"""Processing time of micro-batches. Offsets contain it, so that a repeated micro-batch has the same time.

A tick is a micro-batch in which all tasks with timers get the new time, so that due timers fire. It may begin
without rows. The driver writes the time of the next timer to a file (timers.py). A micro-batch at or after
this time is a tick. After a restart, the file lacks the timers that are in the state. So the first
micro-batch after a restart is a tick, too: all tasks with timers then report their next ones to the driver.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime, timezone

import pyarrow as pa

from firesteel.connectors.base import Offset, ReadLimit, Source, Split
from firesteel.runtime.dataflow.chain import wall_clock
from firesteel.spark.stream.timers import next_timer

_NOW, _TICKED = "$now", "$ticked"
"""Keys of an offset besides the source's own: processing time and last tick, both in milliseconds."""

_BEHIND = 1000
"""Milliseconds by which the machine's clock may lag behind processing time before the user is notified."""
_WITHOUT_DRIVER = 1000
"""Milliseconds between two ticks if no driver collects the timers of tasks."""


@dataclass(frozen=True)
class Ticks:
    """Settings by which a source makes the timers of its job fire."""

    file: str
    """File with the time of the next timer; "" if the driver does not write it."""
    alone: bool
    """Whether a due timer starts a micro-batch without rows. If not, it fires in the next one with rows."""


class BatchClock:
    """Processing time of the micro-batches of one source. It never goes back.

    If the machine's clock is set back, processing time continues at the pace of a monotonic clock. So a timer
    fires after the same wait as if the clock had not been set back, as in Flink.

    Args:
        ticks: Settings of ticks; None for a job without timers.
        interval: Milliseconds of a mini-batch; 0 reads rows as soon as they arrive.
        clock: The machine's clock, in milliseconds since 1970.
        monotonic: A monotonic clock, in seconds.
    """

    def __init__(
        self,
        ticks: Ticks | None,
        interval: int = 0,
        clock: Callable[[], int] = wall_clock,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self._ticks = ticks
        self._interval = interval
        self._clock = clock
        self._monotonic = monotonic
        self._last: tuple[int, float] | None = None
        self._told = 0
        self._notices: list[str] = []
        self._knows_all = False

    def notices(self) -> list[str]:
        """Return new messages about the clock for the user."""
        found, self._notices = self._notices, []
        return found

    def _now(self, start: Offset) -> int:
        """Return the processing time of a micro-batch that would begin now, in milliseconds."""
        wall, elapsed = self._clock(), self._monotonic()
        # Timers of the millisecond time_of(start) may have fired. So this micro-batch gets a later time.
        now = max(wall, time_of(start) + 1)
        if self._last is not None:
            then, began = self._last
            now = max(now, then + int((elapsed - began) * 1000))
        if self._last is None or now > self._last[0]:
            self._last = now, elapsed
        if now - wall > self._told + _BEHIND:
            self._told = now - wall
            self._notices.append(
                f"the clock of this machine shows {_shown(wall)}, but processing time is at {_shown(now)}: "
                "the clock was set back, or an earlier run was on a machine whose clock is ahead. Processing "
                "time goes on from there, ahead of the clock, and so do its windows and timers"
            )
        return now

    def first(self, offset: Offset) -> Offset:
        """Return the first offset of a new query. No earlier run has left timers, so no tick is needed."""
        self._knows_all = True
        return {**offset, _NOW: 0, _TICKED: 0}

    def next(self, start: Offset, latest: Callable[[Offset], Offset]) -> Offset:
        """Return the offset at which a micro-batch from `start` ends; `start` if none is to begin now.

        Args:
            start: Offset with processing time.
            latest: Function that takes the source's own offset at the start of the micro-batch, and returns
                the source's own offset at its end.
        """
        now = self._now(start)
        is_due = self._is_due(start, now)
        if not is_due and self._interval and now // self._interval == time_of(start) // self._interval:
            return start
        own = without_time(start)
        moved = latest(own)
        if moved == own and not (is_due and self._ticks is not None and self._ticks.alone):
            return start
        self._knows_all |= is_due
        return {**moved, _NOW: now, _TICKED: now if is_due else _ticked(start)}

    def _is_due(self, start: Offset, now: int) -> bool:
        """Return whether a micro-batch at time `now` is a tick, which makes due timers fire."""
        if self._ticks is None:
            return False
        if not self._knows_all:
            return True
        if not self._ticks.file:
            return now >= _ticked(start) + _WITHOUT_DRIVER
        due = next_timer(self._ticks.file)
        return due is not None and due <= now


def _shown(milliseconds: int) -> str:
    return datetime.fromtimestamp(milliseconds / 1000, timezone.utc).strftime("%Y-%m-%d %H:%M:%S UTC")


def without_time(offset: Offset) -> Offset:
    """Return the source's own offset, without processing time."""
    return {key: value for key, value in offset.items() if key not in (_NOW, _TICKED)}


def time_of(offset: Offset) -> int:
    """Return the processing time of the micro-batch that ends at an offset, in milliseconds; 0 if unset."""
    found: int = offset.get(_NOW, 0)
    return found


def ticks_between(start: Offset, end: Offset) -> bool:
    """Return whether the micro-batch between two offsets is a tick."""
    return _ticked(end) > _ticked(start)


def _ticked(offset: Offset) -> int:
    found: int = offset.get(_TICKED, 0)
    return found


class NoRows(Source):
    """A source without rows, for the ticks of a job whose rows all come from DataFrames."""

    bounded = False

    def initial_offset(self) -> Offset:
        return {}

    def latest_offset(self, start: Offset, limit: ReadLimit) -> Offset:
        return start

    def splits(self, parallelism: int) -> list[Split]:
        return []

    def splits_between(self, start: Offset, end: Offset, parallelism: int) -> list[Split]:
        return []

    def is_finished(self, offset: Offset) -> bool:
        return False

    def read(self, split: Split) -> Iterator[pa.Table]:
        return iter(())
