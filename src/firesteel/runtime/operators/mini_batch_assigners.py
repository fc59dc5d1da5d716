"""Where mini-batches end: operators that turn time into the watermarks by which bundles are flushed.

Rows pass at once; only watermarks are made or held.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import pyarrow as pa

from firesteel.runtime.operators.base import MAX_WATERMARK, Clock, Message, Operator, Watermark
from firesteel.runtime.spec import MiniBatchAssignerSpec
from firesteel.runtime.state.base import StateBackend


class ProcTimeMiniBatchAssigner(Operator):
    """A watermark for each `interval` milliseconds of the clock in which rows come. Flink:
    ProcTimeMiniBatchAssignerOperator, whose timer is the barrier here: it flushes all bundles.

    The watermarks of the input mean nothing here and are dropped, but for the last one.
    """

    def __init__(self, interval: int, clock: Clock) -> None:
        self._interval = interval
        self._clock = clock
        self._current_batch = 0

    def changes(self, table: pa.Table, port: int = 0) -> Iterator[Message]:
        """Where the rows are the first of a new batch, its watermark goes before them."""
        now = self._clock()
        batch = now - now % self._interval
        if batch > self._current_batch:
            self._current_batch = batch
            yield Watermark(batch)
        yield table

    def watermark(self, mark: Watermark, port: int = 0) -> Iterable[Message]:
        if mark.time != MAX_WATERMARK or self._current_batch == MAX_WATERMARK:
            return ()
        self._current_batch = MAX_WATERMARK
        return (mark,)


class RowTimeMiniBatchAssigner(Operator):
    """Of the input's watermarks those that reach the end of an interval of `interval` milliseconds.

    What goes on is the watermark itself, not the interval's end. Flink: RowTimeMiniBatchAssginerOperator.
    """

    def __init__(self, interval: int) -> None:
        self._interval = interval
        self._current = 0
        self._next = self._end_of(0)

    def watermark(self, mark: Watermark, port: int = 0) -> Iterable[Message]:
        if mark.time == MAX_WATERMARK:
            if self._current == MAX_WATERMARK:
                return ()
            self._current = MAX_WATERMARK
            return (mark,)
        self._current = max(self._current, mark.time)
        return self._advance() if self._current >= self._next else ()

    def end(self) -> Iterable[Message]:
        """What is held goes on, or the last watermark once more."""
        return self._advance()

    def _advance(self) -> Iterable[Message]:
        end = self._end_of(self._current)
        self._next = end if end > self._current else end + self._interval
        return (Watermark(self._current),)

    def _end_of(self, time: int) -> int:
        """The last moment of the interval that holds a time."""
        return time - (time + self._interval) % self._interval + self._interval - 1


def build(spec: MiniBatchAssignerSpec, state: StateBackend | None, clock: Clock) -> Operator:
    if spec.row_time:
        return RowTimeMiniBatchAssigner(spec.interval)
    return ProcTimeMiniBatchAssigner(spec.interval, clock)


def code(spec: MiniBatchAssignerSpec) -> Iterator[str]:
    yield f"-- MiniBatchAssigner, each {spec.interval} ms of {'row' if spec.row_time else 'processing'} time"
