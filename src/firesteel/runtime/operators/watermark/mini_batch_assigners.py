"""Operators that send watermarks at the end of mini-batches, where bundles are flushed.

Rows pass at once. Only watermarks are created or dropped.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np
import pyarrow as pa

from firesteel.runtime.dataflow.event_time import ends_interval
from firesteel.runtime.dataflow.operator import (
    BEFORE_ALL,
    MAX_WATERMARK,
    Clock,
    Message,
    Operator,
    Watermark,
    WatermarkedBatch,
)
from firesteel.runtime.spec.operators import MiniBatchAssignerSpec
from firesteel.runtime.state.base import StateBackend

_NO_ROWS = pa.table({})


class ProcTimeMiniBatchAssigner(Operator):
    """Operator that sends a watermark for each interval of processing time in which rows come.

    Flink: ProcTimeMiniBatchAssignerOperator. Flink's timer for intervals without rows is not needed: the
    barrier at the end of a micro-batch flushes all bundles. Watermarks of the input are dropped, except for
    MAX_WATERMARK, which ends the input.

    Args:
        interval: Milliseconds.
        clock: Processing time.
    """

    def __init__(self, interval: int, clock: Clock) -> None:
        self._interval = interval
        self._clock = clock
        self._current_batch = 0

    def changes(self, table: pa.Table, port: int = 0) -> Iterator[Message]:
        """Send the rows. If they are the first of a mini-batch, send its watermark before them."""
        now = self._clock()
        batch = now - now % self._interval
        if batch > self._current_batch:
            self._current_batch = batch
            yield Watermark(batch, BEFORE_ALL)
        yield table

    def watermarked(self, rows: WatermarkedBatch, port: int = 0) -> Iterable[Message]:
        yield from self.changes(rows.table)
        if len(rows.times) and rows.times[-1] == MAX_WATERMARK:
            yield from self.watermark(Watermark(MAX_WATERMARK, int(rows.sequences[-1]), rows.sub_sequence))

    def watermark(self, watermark: Watermark, port: int = 0) -> Iterable[Message]:
        if watermark.time != MAX_WATERMARK or self._current_batch == MAX_WATERMARK:
            return ()
        self._current_batch = MAX_WATERMARK
        return (watermark,)


class RowTimeMiniBatchAssigner(Operator):
    """Operator that sends only the input watermarks that reach the end of an interval.

    It sends the watermark itself, not the end of the interval. Flink: RowTimeMiniBatchAssginerOperator.

    Args:
        interval: Milliseconds.
    """

    def __init__(self, interval: int) -> None:
        self._interval = interval
        self._current = 0
        self._passed = 0

    def watermark(self, watermark: Watermark, port: int = 0) -> Iterable[Message]:
        given = WatermarkedBatch(
            _NO_ROWS, np.array([watermark.time]), np.array([watermark.sequence]), watermark.sub_sequence
        )
        return [
            Watermark(t, watermark.sequence, watermark.sub_sequence)
            for t in self._filtered(given).times.tolist()
        ]

    def watermarked(self, rows: WatermarkedBatch, port: int = 0) -> Iterable[Message]:
        return (self._filtered(rows),)

    def end(self) -> Iterable[Message]:
        """Send the last watermark, even if it was sent before."""
        return (Watermark(self._current),)

    def _filtered(self, rows: WatermarkedBatch) -> WatermarkedBatch:
        """Return the rows, with only those watermarks that are the first to reach the end of an interval."""
        if not len(rows.times):
            return rows
        reached = np.maximum(np.maximum.accumulate(rows.times), self._current)
        goes_on = ends_interval(reached, self._passed, self._interval)
        self._current = int(reached[-1])
        self._passed = max([self._passed, *reached[goes_on][-1:].tolist()])
        return WatermarkedBatch(rows.table, reached[goes_on], rows.sequences[goes_on], rows.sub_sequence)


def build(spec: MiniBatchAssignerSpec, state: StateBackend | None, clock: Clock) -> Operator:
    if spec.row_time:
        return RowTimeMiniBatchAssigner(spec.interval)
    return ProcTimeMiniBatchAssigner(spec.interval, clock)


def code(spec: MiniBatchAssignerSpec) -> Iterator[str]:
    yield f"-- MiniBatchAssigner, each {spec.interval} ms of {'row' if spec.row_time else 'processing'} time"
