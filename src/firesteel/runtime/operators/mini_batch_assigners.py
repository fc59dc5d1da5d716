"""Where mini-batches end: operators that turn time into the watermarks by which bundles are flushed.

Rows pass at once; only watermarks are made or held. Both work on one event at a time, as many rows as it
may carry, and give the messages that go on in their order.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import pyarrow as pa

MAX_WATERMARK = (1 << 63) - 1
"""The watermark of an input that has ended (Java's Long.MAX_VALUE)."""


@dataclass(frozen=True)
class Watermark:
    """No row with a time up to this one, in milliseconds, will come."""

    time: int


Message: TypeAlias = "pa.Table | Watermark"
"""What goes on: a changes table, or a watermark."""


class ProcTimeMiniBatchAssigner:
    """A watermark each `interval` milliseconds of the clock. Flink: ProcTimeMiniBatchAssignerOperator.

    The watermarks of the input mean nothing here and are dropped, but for the last one. `timer` is when it
    wants to be called next, in the clock's milliseconds.
    """

    def __init__(self, interval: int, clock: Callable[[], int]) -> None:
        self._interval = interval
        self._clock = clock
        self.current_batch = 0
        self.timer = clock() + interval

    def process(self, changes: pa.Table) -> list[Message]:
        """Rows: where they are the first of a new batch, its watermark goes before them."""
        return [*self._advance(), changes]

    def on_timer(self) -> list[Message]:
        """The time `timer` has come."""
        now = self._clock()
        out = self._advance()
        self.timer = now - now % self._interval + self._interval
        return out

    def watermark(self, mark: Watermark) -> list[Message]:
        """A watermark of the input."""
        if mark.time != MAX_WATERMARK or self.current_batch == MAX_WATERMARK:
            return []
        self.current_batch = MAX_WATERMARK
        return [mark]

    def finish(self) -> list[Message]:
        """End of the input: nothing of its own."""
        return []

    def _advance(self) -> list[Message]:
        now = self._clock()
        batch = now - now % self._interval
        if batch <= self.current_batch:
            return []
        self.current_batch = batch
        return [Watermark(batch)]


class RowTimeMiniBatchAssigner:
    """Of the input's watermarks those that reach the end of an interval of `interval` milliseconds.

    What goes on is the watermark itself, not the interval's end. Flink: RowTimeMiniBatchAssginerOperator.
    """

    def __init__(self, interval: int) -> None:
        self._interval = interval
        self._current = 0
        self._next = self._end_of(0)

    def process(self, changes: pa.Table) -> list[Message]:
        """Rows pass."""
        return [changes]

    def watermark(self, mark: Watermark) -> list[Message]:
        """A watermark of the input."""
        if mark.time == MAX_WATERMARK:
            if self._current == MAX_WATERMARK:
                return []
            self._current = MAX_WATERMARK
            return [mark]
        self._current = max(self._current, mark.time)
        return self._advance() if self._current >= self._next else []

    def finish(self) -> list[Message]:
        """End of the input: what is held goes on, or the last watermark once more."""
        return self._advance()

    def _advance(self) -> list[Message]:
        end = self._end_of(self._current)
        self._next = end if end > self._current else end + self._interval
        return [Watermark(self._current)]

    def _end_of(self, time: int) -> int:
        """The last moment of the interval that holds a time."""
        return time - (time + self._interval) % self._interval + self._interval - 1
