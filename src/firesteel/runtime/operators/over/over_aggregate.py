"""OVER aggregates: send each row with the results of its frame.

By row time, a row waits until a watermark has passed it, and late rows are dropped (Flink:
RowTimeUnboundedPrecedingOverFunctionV2, RowTimeRowsBoundedPrecedingFunction,
RowTimeRangeBoundedPrecedingFunction).

By processing time, a row is sent at once. Only rows of a bounded RANGE wait until the clock advances, at the
end of the micro-batch (ProcTimeUnboundedPrecedingFunction, ProcTimeRowsBoundedPrecedingFunction,
ProcTimeRangeBoundedPrecedingFunction).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np
import pyarrow as pa

from firesteel.changelog import RowKind, field
from firesteel.runtime.aggregate.row_engine.handler import generate
from firesteel.runtime.columns.keys import one_array
from firesteel.runtime.columns.sorting import stable_order_by
from firesteel.runtime.dataflow.operator import Clock, Message, Operator, Watermark, WatermarkedBatch
from firesteel.runtime.dataflow.retained_watermark import RetainedNumber
from firesteel.runtime.dataflow.sequence import concat, derived
from firesteel.runtime.operators.over.idle_key_expiry import IdleKeyExpiry
from firesteel.runtime.operators.over.late_rows import CheckedRows, LateRowCheck
from firesteel.runtime.operators.over.over_windows import Ended, Windows
from firesteel.runtime.operators.over.rows import Index, TimedRows, WaitingRows
from firesteel.runtime.operators.over.series import of_series
from firesteel.runtime.operators.window.fired import inserts
from firesteel.runtime.operators.window.waits_for_watermarks import WaitsForWatermarks
from firesteel.runtime.spec.over import OverAggregateSpec, OverTime
from firesteel.runtime.state.base import StateBackend
from firesteel.runtime.state.memory import memory_backend
from firesteel.types.arrow import to_arrow

_NO_ROWS = np.zeros(0, np.int64)


class RowTimeOver(WaitsForWatermarks):
    """OVER aggregate by row time.

    Args:
        spec: Settings.
        state: State of the operator. None keeps the state in this process.
    """

    def __init__(self, spec: OverAggregateSpec, state: StateBackend | None) -> None:
        backend, name = memory_backend() if state is None else state, spec.state_id
        types = [to_arrow(kind) for kind in spec.aggregate.input_types[: spec.width]]
        super().__init__(backend, types, f"{name}/time", f"{name}/came")
        self.late = 0
        self._spec = spec
        self._went = self.retained_number(f"{name}/went")
        self._waiting = WaitingRows(backend, f"{name}/waiting", types)
        bounded, by_range = spec.frame.preceding is not None, not spec.frame.rows
        self._windows = Windows(spec, backend, epochs=bounded)
        self._partition = spec.aggregate.keys[:-1] if bounded else spec.aggregate.keys
        self._late_rows: LateRowCheck | None = None
        if bounded:
            keys = [types[i] for i in self._partition]
            size = spec.frame.preceding if by_range else None
            self._late_rows = LateRowCheck(backend, f"{name}/keys", keys, size)

    def take(self, message: WatermarkedBatch) -> pa.Table:
        watermarks = np.maximum.accumulate(message.times)
        new, row_watermarks = self._timed(message.table), self._time.at_rows(message)
        end = int(watermarks[-1]) if len(watermarks) else self._time.now
        due = self._waiting.take_until(end) if len(watermarks) else new.take(_NO_ROWS)
        checked = self._check_late(due, new, row_watermarks, end)
        self.drop_late(message.table, ~checked.accepted, new.times, row_watermarks)
        behind = np.searchsorted(message.at, np.arange(len(new)), side="right")
        first = np.maximum(np.searchsorted(watermarks, new.times), behind)
        fires = checked.accepted & (first < len(watermarks))
        self._waiting.add(new.take(np.flatnonzero(checked.accepted & ~fires)))
        self._time.advance(end)
        here = np.flatnonzero(fires)
        fired = TimedRows.concat([due, new.take(here)])
        epochs = checked.epochs[np.concatenate([np.arange(len(due)), len(due) + here])]
        by = np.concatenate([np.searchsorted(watermarks, due.times), first[here]])
        return self._fired(fired, epochs, by, message, Ended(checked.left_keys, checked.left_epochs))

    def _timed(self, table: pa.Table) -> TimedRows:
        return TimedRows.of(table, len(self._types), self._spec.time, self.arrivals(table.num_rows))

    def _check_late(self, due: TimedRows, new: TimedRows, row_watermarks: Index, end: int) -> CheckedRows:
        """Decide which new rows are late: for bounded frames, see late_rows.py.

        With an unbounded frame, a row is late if a watermark had passed its time when the row came.
        """
        if self._late_rows is None:
            return CheckedRows(
                new.times > row_watermarks, np.zeros(len(due) + len(new), np.int64), (), _NO_ROWS
            )
        columns = [[rows.columns[i] for i in self._partition] for rows in (due, new)]
        return self._late_rows.check(
            columns[0], due.times, columns[1], new.times, row_watermarks, self._time.now, end
        )

    def _fired(
        self, rows: TimedRows, epochs: Index, by: Index, message: WatermarkedBatch, ended: Ended
    ) -> pa.Table:
        """Return a changes table with the rows that watermarks release, and their results.

        Args:
            rows: The released rows.
            epochs: Epoch of each row's partition.
            by: Number of the watermark in `message` that releases each row.
            message: Batch with the watermarks.
            ended: Epochs whose state is dropped.
        """
        if not len(rows):
            self._windows.forget(ended)
            results = [to_arrow(call.type) for call in self._spec.aggregate.calls]
            return inserts(_NO_ROWS, 0, [pa.nulls(0, kind) for kind in (*self._types, *results)])
        order, rows, results = self._windows.fire(rows, self._went.now, epochs, ended)
        self._went.now += len(rows)
        by = by[order]
        out = stable_order_by(by, rows.times, rows.numbers)
        at = pa.array(out)
        columns = [column.take(at) for column in (*rows.columns, *results)]
        return inserts(message.sequences[by[out]], message.sub_sequence, columns)


class ProcTimeOver(Operator):
    """OVER aggregate by processing time. Rows go out in arrival order."""

    def __init__(self, spec: OverAggregateSpec, state: StateBackend | None, clock: Clock) -> None:
        backend = memory_backend() if state is None else state
        self._spec, self._clock = spec, clock
        self._width = spec.width
        self._came = RetainedNumber(backend, f"{spec.state_id}/came", 0)
        self._windows = Windows(spec, backend, epochs=False)
        self._idle_keys: IdleKeyExpiry | None = None
        if not spec.frame.rows and spec.frame.preceding is not None:
            keys = [to_arrow(spec.aggregate.input_types[i]) for i in spec.aggregate.keys]
            self._idle_keys = IdleKeyExpiry(backend, spec.state_id, keys, spec.frame.preceding)
        self._held: list[pa.Table] = []

    def changes(self, table: pa.Table, port: int = 0) -> Iterable[Message]:
        if self._idle_keys is not None:
            self._held.append(table)
            return ()
        return (self._fired(table),)

    def watermarked(self, rows: WatermarkedBatch, port: int = 0) -> Iterable[Message]:
        if self._idle_keys is None:
            return (rows.with_rows(self._fired(rows.table)),)
        self._held.append(rows.table)
        return [
            Watermark(time, sequence, rows.sub_sequence)
            for time, sequence in zip(rows.times.tolist(), rows.sequences.tolist(), strict=True)
        ]

    def barrier(self) -> Iterator[Message]:
        if self._idle_keys is not None:
            gone = self._idle_keys.due(self._clock())
            self._windows.forget(Ended(gone.columns, np.zeros(len(gone), np.int64)))
        held, self._held = [table for table in self._held if table.num_rows], []
        if held:
            yield self._fired(concat(held))
        self._came.save()

    def _fired(self, table: pa.Table) -> pa.Table:
        columns = tuple(one_array(table.column(field(i))) for i in range(self._width))
        numbers = self._came.now + np.arange(table.num_rows)
        self._came.now += table.num_rows
        times = np.full(table.num_rows, 0 if self._idle_keys is None else self._clock())
        if not table.num_rows:
            types = [to_arrow(call.type) for call in self._spec.aggregate.calls]
            return inserts(_NO_ROWS, 0, [*columns, *(pa.nulls(0, kind) for kind in types)])
        if self._idle_keys is not None:
            keys = [columns[i] for i in self._spec.aggregate.keys]
            self._idle_keys.heard(keys, table.num_rows, self._clock())
        order, _, results = self._windows.fire(TimedRows(columns, times, numbers), int(numbers[0]))
        back = np.empty_like(order)
        back[order] = np.arange(len(order))
        at = pa.array(back)
        kinds = pa.array(np.full(table.num_rows, RowKind.INSERT, np.int8))
        return derived(
            table, np.arange(table.num_rows), kinds, [*columns, *(each.take(at) for each in results)]
        )


def build(spec: OverAggregateSpec, state: StateBackend | None, clock: Clock) -> Operator:
    if spec.order is OverTime.PROCTIME:
        return ProcTimeOver(spec, state, clock)
    return RowTimeOver(spec, state)


def code(spec: OverAggregateSpec) -> Iterator[str]:
    frame = spec.frame
    size = "UNBOUNDED" if frame.preceding is None else str(frame.preceding)
    yield f"-- OverAggregate by {spec.order.value}, {'ROWS' if frame.rows else 'RANGE'} {size} PRECEDING"
    if of_series(spec.aggregate.calls):
        yield from (f"{call.function}(Series of the frame)" for call in spec.aggregate.calls)
    else:
        yield generate(spec.aggregate).source.rstrip()
