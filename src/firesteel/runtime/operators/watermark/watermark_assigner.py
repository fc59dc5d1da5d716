"""Derive watermarks from columns of the rows (Flink: WatermarkAssignerOperator).

The operator sees the rows of one split in one micro-batch. The receiver of its watermarks keeps those of
earlier micro-batches (runtime/dataflow/watermarks.py).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from firesteel.changelog import field
from firesteel.errors import JobError
from firesteel.runtime.dataflow.event_time import milliseconds
from firesteel.runtime.dataflow.failed_row import row_text
from firesteel.runtime.dataflow.operator import (
    LAST_SEQUENCE,
    MAX_WATERMARK,
    MIN_WATERMARK,
    Clock,
    Message,
    Operator,
    Watermark,
    WatermarkedBatch,
)
from firesteel.runtime.dataflow.sequence import sequences, sub_sequences
from firesteel.runtime.operators.calc.calc import Calc
from firesteel.runtime.spec.operators import WatermarkAssignerSpec
from firesteel.runtime.state.base import StateBackend

Numbers = NDArray[np.int64]


class WatermarkAssigner(Operator):
    """Operator that sends watermarks computed from the rows.

    It sends the current watermark in these cases:

    - after a row, if the watermark is then more than the interval (event time) above the last sent one
    - at the end of a micro-batch, which replaces Flink's timer, if the watermark is above the last sent one
    - at the end of each micro-batch with rows, if the spec has an idle timeout

    As in Flink, the watermark begins at 0, so lower ones are not sent. Watermarks of the input are dropped,
    except for MAX_WATERMARK, which ends the input.

    Raises:
        JobError: A row time is NULL. The message is Flink's.
    """

    def __init__(self, spec: WatermarkAssignerSpec) -> None:
        self._spec = spec
        self._calc = Calc(spec.watermark)
        self._current = 0
        self._last = 0
        self._sequence = LAST_SEQUENCE

    def changes(self, table: pa.Table, port: int = 0) -> Iterable[Message]:
        check_row_times(table, self._spec.rowtime, self._spec.name, self._spec.table)
        if not table.num_rows or not (self._spec.marks or self._spec.may_fail):
            return (table,)
        times = self._running(table)
        if not self._spec.marks:
            return (table,)
        at = self._eager(times)
        self._current, sequence = int(times[-1]), sequences(table)
        self._sequence = int(sequence[-1])
        if not len(at):
            return (table,)
        self._last = int(times[at[-1]])
        # A watermark follows all rows of its sequence, so only the last watermark of a sequence is sent.
        last = np.append(sequence[at[1:]] != sequence[at[:-1]], True)
        at = at[last]
        sub_sequence = sub_sequences(table)
        return (
            WatermarkedBatch(
                table,
                times[at],
                sequence[at],
                0 if sub_sequence is None else _all_ones(int(sub_sequence.max())),
            ),
        )

    def watermark(self, watermark: Watermark, port: int = 0) -> Iterable[Message]:
        if watermark.time != MAX_WATERMARK or self._current == MAX_WATERMARK:
            return ()
        self._current = self._last = MAX_WATERMARK
        return (watermark,)

    def watermarked(self, rows: WatermarkedBatch, port: int = 0) -> Iterable[Message]:
        """Process rows. Watermarks among them are dropped, except for MAX_WATERMARK, which ends the input."""
        yield from self.changes(rows.table)
        for time, sequence in zip(rows.times[-1:].tolist(), rows.sequences[-1:].tolist(), strict=True):
            yield from self.watermark(Watermark(time, sequence, rows.sub_sequence))

    def barrier(self) -> Iterable[Message]:
        moved = self._spec.interval > 0 and self._current > self._last
        if not moved and (
            not self._spec.idle or self._sequence == LAST_SEQUENCE
        ):  # Receivers must learn that this channel is not idle, even if its watermark does not advance.
            return ()
        self._last = self._current
        return (Watermark(self._current, self._sequence),)

    def _running(self, table: pa.Table) -> Numbers:
        """Return the watermark after each row, int64[n]. A NULL does not advance it."""
        column = self._calc.process(table).column(field(0))
        times = milliseconds(column)
        if column.null_count:
            times = np.where(column.is_valid().to_numpy(), times, MIN_WATERMARK)
        running: Numbers = np.maximum.accumulate(times)
        return np.maximum(running, self._current)

    def _eager(self, times: Numbers) -> Numbers:
        """Return the positions of the rows that are followed by a watermark.

        Args:
            times: int64[n], watermark after each row, ascending.
        """
        interval = self._spec.interval
        if interval == 0:
            return np.flatnonzero(np.diff(times, prepend=self._last) > 0)
        found, last, row = [], self._last, 0
        find = times.searchsorted  # looked up once: the loop may run thousands of times
        while (row := int(find(last + interval, "right"))) < len(times):
            last = int(times[row])
            found.append(row)
        return np.array(found, np.int64)


def check_row_times(table: pa.Table, rowtime: int, name: str, source: str) -> None:
    """Check that no row time is NULL.

    Args:
        table: Changes table.
        rowtime: Position of the row time.
        name: Name of its column.
        source: Path of the table.

    Raises:
        JobError: A row time is NULL. The message is Flink's.
    """
    times = table.column(field(rowtime))
    if times.null_count:
        row = int(np.argmax(times.is_null().to_numpy()))
        raise JobError(
            "RowTime field should not be null, please convert it to a non-null long value.",
            hint=f"column {name} of {source} is NULL in {row_text(table, row)}; "
            "values that the query does not read show as NULL, too",
        )


def _all_ones(sub_sequence: int) -> int:
    """Return the greatest number with as many bits as the given one: 7 (binary 111) for 5 (binary 101)."""
    return (1 << sub_sequence.bit_length()) - 1


def build(spec: WatermarkAssignerSpec, state: StateBackend | None, clock: Clock) -> WatermarkAssigner:
    return WatermarkAssigner(spec)


def code(spec: WatermarkAssignerSpec) -> Iterator[str]:
    yield f"-- WatermarkAssigner, by {field(spec.rowtime)}"
    yield f"SELECT {spec.watermark.projection[0]}"
