"""WindowAggregate and GlobalWindowAggregate: send the results of time windows when they end.

Flink: WindowAggOperator with the processors SliceShared- and SliceUnsharedSyncStateWindowAggProcessor. A
table has rows, or accumulators of a local phase, with watermarks among them. All its rows are reduced
together by key and slice. Which windows a row is late for depends only on the watermark before it. Then all
windows that the watermarks have passed are read from the state as one range.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property

import numpy as np
import pyarrow as pa

from firesteel.changelog import field
from firesteel.runtime.aggregate.reduce.accumulator_tables import AccumulatorTables
from firesteel.runtime.aggregate.row_engine.handler import generate
from firesteel.runtime.columns.keys import find_keys, one_array
from firesteel.runtime.dataflow.event_time import milliseconds
from firesteel.runtime.dataflow.operator import (
    LAST_SEQUENCE,
    Clock,
    Flags,
    Message,
    Operator,
    Watermark,
    WatermarkedBatch,
)
from firesteel.runtime.dataflow.retained_watermark import RetainedWatermark
from firesteel.runtime.dataflow.sequence import Numbers
from firesteel.runtime.operators.window.fired import inserts, window_columns
from firesteel.runtime.operators.window.slicing.buffer_flush import may_delay
from firesteel.runtime.operators.window.slicing.buffered_rows import BufferedRows, Released, SlicedRows
from firesteel.runtime.operators.window.slicing.open_slices import Late, OpenSlices
from firesteel.runtime.operators.window.slicing.slice_state import ends_of
from firesteel.runtime.operators.window.slicing.slices import NONE_FIRED, Slices, row_ends
from firesteel.runtime.operators.window.slicing.slices_without_timer import SlicesWithoutTimer
from firesteel.runtime.operators.window.zones import to_timers
from firesteel.runtime.spec.window import WindowAggregateSpec, sliced
from firesteel.runtime.state.base import StateBackend
from firesteel.runtime.state.memory import memory_backend
from firesteel.types.internal_values import one_chunk

NO_WATERMARKS: Numbers = np.zeros(0, np.int64)


class WindowAggregate(Operator):
    """Operator that sends the results of windows.

    Its attribute `late` counts the rows that were late for all of their windows. In a global phase, it counts
    accumulators instead.

    Args:
        spec: Settings.
        state: State of the operator. None keeps the slices in this process.
        clock: Processing time.
        columnar: False processes everything with the row handler.
    """

    def __init__(
        self, spec: WindowAggregateSpec, state: StateBackend | None, clock: Clock, columnar: bool = True
    ) -> None:
        self._spec = spec
        self._clock = clock
        self._is_event_time = spec.is_rowtime
        self._slices = Slices.of(spec)
        self._partials = AccumulatorTables(sliced(spec.aggregate), spec.results, columnar)
        backend = memory_backend() if state is None else state
        state_id, delayed = spec.aggregate.state_id, self._is_event_time and may_delay(self._slices)
        self._open = OpenSlices(self._slices, self._partials, backend, state_id, delayed)
        self._time = RetainedWatermark(backend, f"{state_id}/time")
        self._fired = int(self._slices.fired(np.array([self._time.now]))[0])
        self._held = self._without_timer = None
        if delayed:
            self._held = BufferedRows(self._slices, self._time.now)
            self._without_timer = SlicesWithoutTimer(
                self._slices, self._partials, self._open, backend, state_id
            )
        # In columns, late rows become accumulators of their own, which are merged with their slices later.
        # The row handler cannot do so: if a late row retracts a value, an accumulator of late rows alone
        # lacks the value. So it adds late rows to the accumulators of their slices at once.
        self._by_row = not self._partials.in_columns and not spec.is_global
        self.late = 0

    # --- messages ------------------------------------------------------------------------------------
    def changes(self, table: pa.Table, port: int = 0) -> Iterable[Message]:
        fired = self._fired if self._is_event_time else NONE_FIRED
        rows = WatermarkedBatch(table, NO_WATERMARKS, NO_WATERMARKS)
        if self._held is not None:
            self._take_held(rows, np.array([fired]), self._held)
            return ()
        late = self._take(rows, np.full(table.num_rows, fired))
        self._open.settle()
        self._open.add_late(late, fired)
        return ()

    def watermark(self, watermark: Watermark, port: int = 0) -> Iterable[Message]:
        if self._is_event_time:
            watermarks = WatermarkedBatch(
                self._none, np.array([watermark.time]), np.array([watermark.sequence]), watermark.sub_sequence
            )
            late = Late.none(self._partials)
            if self._held is not None:
                late = self._take_held(
                    watermarks, np.append(self._fired, self._fired_by(watermarks)), self._held
                )
            yield from self._rows(watermarks, late)
        yield watermark

    def watermarked(self, rows: WatermarkedBatch, port: int = 0) -> Iterable[Message]:
        if not self._is_event_time:
            self.changes(rows.table)
            return (rows.with_rows(self._none),)
        if not len(rows.times):
            return self.changes(rows.table)
        fired = np.append(self._fired, self._fired_by(rows))
        if self._by_row and self._some_join(rows, fired):
            return super().watermarked(rows)
        if self._held is not None:
            late = self._take_held(rows, fired, self._held)
        else:
            late = self._take(rows, _fired_before(rows, fired))
        return (rows.with_rows(self._out(rows, late)),)

    def barrier(self) -> Iterable[Message]:
        """End the micro-batch.

        Windows by processing time end now: the clock is constant within a micro-batch.
        """
        if not self._is_event_time:
            watermarks = WatermarkedBatch(self._none, np.array([self._clock()]), np.array([LAST_SEQUENCE]))
            yield from self._rows(watermarks, Late.none(self._partials))
        if self._held is not None and self._without_timer is not None:
            late = self._put(self._held.all(self._fired))
            self._open.settle()
            self._open.add_late(late, self._fired)
            self._without_timer.save()
        self._time.save()

    def next_timer(self) -> int | None:
        end = None if self._is_event_time else self._open.next_end(self._fired)
        if end is None:
            return None
        return int(to_timers(np.array([end - 1]), self._spec.time.zone)[0])

    # --- rows ----------------------------------------------------------------------------------------
    def _take(self, batch: WatermarkedBatch, fired: Numbers) -> Late:
        """Add rows to their slices, and return those that are late for only some windows.

        `fired`: int64[n], end of the last windows that had fired when each row came.
        """
        table = batch.table
        ends = self._ends(table)
        late = ends <= fired
        if not late.any():
            self._add(table, ends)
            return Late.none(self._partials)
        dropped = self._slices.last_windows(ends) <= fired
        self._drop(batch, dropped, ends)
        self._add(table.filter(pa.array(~late)), ends[~late])
        first = self._slices.first_unfired(ends, fired)
        joins = late & ~dropped
        if self._by_row:
            self._add(table.filter(pa.array(joins)), self._slices.kept_in(ends[joins]))
            return Late.none(self._partials)
        return self._late(table.filter(pa.array(joins)), self._slices.kept_in(ends[joins]), first[joins])

    def _some_join(self, rows: WatermarkedBatch, fired: Numbers) -> bool:
        """Return whether a row, new or buffered, is late for some of its windows, but not for all."""
        if self._held is not None and self._held.some_are_late:
            return True
        fired_before, ends = _fired_before(rows, fired), self._ends(rows.table)
        return bool(np.any((ends <= fired_before) & (self._slices.last_windows(ends) > fired_before)))

    def _take_held(self, rows: WatermarkedBatch, fired: Numbers, held: BufferedRows) -> Late:
        """Add rows to the buffer `held`, and rows that leave it to their slices.

        Return the accumulators of the rows that left the buffer and are late for some of their windows.

        `fired`: int64[m + 1], end of the last windows that have fired: before each watermark, and after the
        last one.
        """
        table = rows.table
        fired_before = _fired_before(rows, fired)
        ends = self._ends(table) if table.num_rows else NO_WATERMARKS
        dropped = self._slices.last_windows(ends) <= fired_before
        self._drop(rows, dropped, ends)
        kept = ~dropped
        at = np.append(0, np.cumsum(kept))[rows.at]
        due = np.where(ends <= fired_before, self._slices.first_unfired(ends, fired_before), ends)
        taken = SlicedRows(table, ends, due).those(kept)
        watermarks = np.maximum.accumulate(np.maximum(rows.times, self._time.now))
        return self._put(held.released(taken, watermarks, at, fired))

    def _drop(self, batch: WatermarkedBatch, dropped: Flags, ends: Numbers) -> None:
        """Count the rows that are late for all of their windows (`drop_late`). The caller drops them.

        `dropped`: bool[n], True for these rows. `ends`: int64[n], end of each row's slice.
        """
        if dropped.any():
            column, times = self._spec.time.column, ends - 1
            if column is not None and not self._spec.is_global:
                times = milliseconds(one_array(batch.table.column(field(column))))
            self.drop_late(batch.table, dropped, times, self._time.at_rows(batch))

    def _put(self, rows: Released | None) -> Late:
        """Add rows that leave the buffer, and return accumulators of the late rows. None adds nothing."""
        if rows is None or self._without_timer is None:
            return Late.none(self._partials)
        self._add(rows.in_time.table, rows.in_time.ends)
        self._without_timer.add(
            self._late(rows.without_timer.table, rows.without_timer.ends, rows.without_timer.due)
        )
        if self._by_row:
            self._add(rows.late.table, self._slices.kept_in(rows.late.ends))
            return Late.none(self._partials)
        # `_late` makes one accumulator for each key, slice and first window. For CUMULATE, `_take` passes the
        # first slice of the window for all late rows. So one accumulator gets them in arrival order. Here,
        # late rows of different slices may have left the buffer at different watermarks. So this call
        # passes each row's own slice, and each slice has an accumulator of its own.
        return self._late(rows.late.table, rows.late.ends, rows.late.due)

    def _ends(self, table: pa.Table) -> Numbers:
        """Return the end of each row's slice."""
        if self._spec.is_global:
            return ends_of(table, len(self._partials.columns.keys))
        return row_ends(table, self._spec, self._slices, self._clock())

    def _add(self, table: pa.Table, ends: Numbers) -> None:
        if not table.num_rows:
            return
        if self._spec.is_global:
            self._open.add(table.select(self._partials.schema.names))
        else:
            rows = self._with_ends(table, ends)
            self._open.add_rows(rows, find_keys(self._key_columns(rows), rows.num_rows))

    def _late(self, table: pa.Table, ends: Numbers, first: Numbers) -> Late:
        """Reduce late rows by key, slice and first window."""
        if not table.num_rows:
            return Late.none(self._partials)
        rows = self._with_ends(table, ends)
        keys = find_keys([*self._key_columns(rows), pa.array(first)], rows.num_rows)
        return self._open.late(rows, keys, self._spec.is_global)

    def _with_ends(self, table: pa.Table, ends: Numbers) -> pa.Table:
        if not self._spec.is_global:
            return table.append_column(field(len(self._spec.aggregate.input_types)), pa.array(ends))
        name = self._partials.columns.keys[-1]
        return table.set_column(table.column_names.index(field(name)), field(name), pa.array(ends))

    def _key_columns(self, rows: pa.Table) -> list[pa.ChunkedArray]:
        keys = self._partials.columns.keys if self._spec.is_global else sliced(self._spec.aggregate).keys
        return [rows.column(field(i)) for i in keys]

    # --- windows -------------------------------------------------------------------------------------
    def _fired_by(self, watermarks: WatermarkedBatch) -> Numbers:
        """Return, for each watermark, the end of the last windows that have fired once it has come."""
        found: Numbers = np.maximum.accumulate(np.maximum(self._slices.fired(watermarks.times), self._fired))
        return found

    def _rows(self, watermarks: WatermarkedBatch, late: Late) -> Iterator[pa.Table]:
        out = self._out(watermarks, late)
        if out.num_rows:
            yield out

    def _out(self, watermarks: WatermarkedBatch, late: Late) -> pa.Table:
        """Return the results of the windows that the watermarks end, each with its watermark's sequence."""
        fired = self._fired_by(watermarks)
        self._time.advance(int(watermarks.times.max()))
        before, self._fired = self._fired, int(fired[-1])
        windows = (self._without_timer or self._open).fire(before, self._fired, late)
        if not windows.num_rows:
            return self._none
        ends = ends_of(windows, len(self._partials.columns.keys))
        counts = np.diff(np.searchsorted(ends, fired, side="right"), prepend=0)
        return self._results(windows, ends, np.repeat(watermarks.sequences, counts), watermarks.sub_sequence)

    def _results(self, windows: pa.Table, ends: Numbers, sequences: Numbers, sub_sequence: int) -> pa.Table:
        """Return the results of windows as inserts.

        `windows`: n accumulators, sorted by end. `ends`, `sequences`: int64[n], end of each window and
        sequence of its result. `sub_sequence`: sub-sequence of all results.
        """
        spec = self._spec
        results = self._partials.results(windows)
        keys = [one_chunk(windows.column(i)) for i in range(len(spec.aggregate.keys))]
        borders = window_columns(spec.columns, self._slices.starts(ends), ends, spec.time, 0)
        table = inserts(sequences, sub_sequence, [*keys, *results.columns, *borders])
        return table if results.there.all() else table.filter(pa.array(results.there))

    @cached_property
    def _none(self) -> pa.Table:
        """Return an empty table."""
        nothing = np.zeros(0, np.int64)
        return self._results(self._partials.schema.empty_table(), nothing, nothing, 0)


def _fired_before(rows: WatermarkedBatch, fired: Numbers) -> Numbers:
    """Return the end of the last windows that had fired when each row came, int64[n].

    `fired`: int64[m + 1], end of the last windows that had fired before each of m watermarks and after the
    last one.
    """
    found: Numbers = np.repeat(fired, np.diff(rows.at, prepend=0, append=rows.table.num_rows))
    return found


def build(spec: WindowAggregateSpec, state: StateBackend | None, clock: Clock) -> WindowAggregate:
    return WindowAggregate(spec, state, clock)


def code(spec: WindowAggregateSpec) -> Iterator[str]:
    name = "GlobalWindowAggregate" if spec.is_global else "WindowAggregate"
    yield f"-- {name}, {spec.windows.function} of {spec.windows.size} ms"
    yield generate(sliced(spec.aggregate)).source.rstrip()
