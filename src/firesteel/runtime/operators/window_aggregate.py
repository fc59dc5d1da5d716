"""WindowAggregate and GlobalWindowAggregate: results of windows that the clock cuts, when they are over.

Flink: WindowAggOperator with the processors SliceShared- and SliceUnsharedSyncStateWindowAggProcessor.
Rows, or the accumulators of a local phase, are reduced by key and slice for a whole table at once, however
many watermarks are in it: which windows a row is late for is known from the watermark before it alone. What
the watermarks have passed is then read from the state in one range.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property

import numpy as np
import pyarrow as pa

from firesteel.runtime.bundles.partials import Partials
from firesteel.runtime.handler import generate
from firesteel.runtime.keys import find_keys
from firesteel.runtime.operators.base import LAST_ORDER, Clock, Marked, Message, Operator, Watermark
from firesteel.runtime.operators.kept_watermark import KeptWatermark
from firesteel.runtime.orders import Numbers
from firesteel.runtime.spec import field
from firesteel.runtime.state.base import StateBackend
from firesteel.runtime.state.memory import memory_backend
from firesteel.runtime.values import one_chunk
from firesteel.runtime.window_spec import WindowAggregateSpec, sliced
from firesteel.runtime.windows.fired import inserts, window_columns
from firesteel.runtime.windows.open_slices import Late, OpenSlices
from firesteel.runtime.windows.slice_state import ends_of
from firesteel.runtime.windows.slices import NONE_FIRED, Slices, row_ends
from firesteel.runtime.windows.zones import to_timers


class WindowAggregate(Operator):
    """late: how many rows (of a global phase: accumulators) were late for all of their windows.

    state: None keeps the slices in this process. columnar: False sends everything through the row handler.
    """

    def __init__(
        self, spec: WindowAggregateSpec, state: StateBackend | None, clock: Clock, columnar: bool = True
    ) -> None:
        self._spec = spec
        self._clock = clock
        self._is_event_time = spec.is_rowtime
        self._slices = Slices.of(spec)
        self._partials = Partials(sliced(spec.aggregate), spec.results, columnar)
        backend = memory_backend() if state is None else state
        self._open = OpenSlices(self._slices, self._partials, backend, spec.aggregate.state_id)
        self._time = KeptWatermark(backend, f"{spec.aggregate.state_id}/time")
        self._fired = int(self._slices.fired(np.array([self._time.now]))[0])
        self.late = 0

    # --- messages ------------------------------------------------------------------------------------
    def changes(self, table: pa.Table, port: int = 0) -> Iterable[Message]:
        fired = self._fired if self._is_event_time else NONE_FIRED
        late = self._take(table, np.full(table.num_rows, fired))
        self._open.settle()
        self._open.add_late(late, fired)
        return ()

    def watermark(self, mark: Watermark, port: int = 0) -> Iterable[Message]:
        if self._is_event_time:
            marks = Marked(self._none, np.array([mark.time]), np.array([mark.order]), mark.place)
            yield from self._rows(marks)
        yield mark

    def marked(self, rows: Marked, port: int = 0) -> Iterable[Message]:
        if not self._is_event_time:
            self.changes(rows.table)
            return (rows.with_rows(self._none),)
        if not len(rows.times):
            return self.changes(rows.table)
        fired = self._fired_by(rows)
        counts = np.diff(rows.at, prepend=0, append=rows.table.num_rows)
        late = self._take(rows.table, np.repeat(np.append(self._fired, fired), counts))
        return (rows.with_rows(self._out(rows, late)),)

    def barrier(self) -> Iterable[Message]:
        """Windows by processing time end with the clock, which has stood since the micro-batch began."""
        if not self._is_event_time:
            yield from self._rows(Marked(self._none, np.array([self._clock()]), np.array([LAST_ORDER])))
        self._time.save()

    def next_timer(self) -> int | None:
        end = None if self._is_event_time else self._open.next_end(self._fired)
        if end is None:
            return None
        return int(to_timers(np.array([end - 1]), self._spec.time.zone)[0])

    # --- rows ----------------------------------------------------------------------------------------
    def _take(self, table: pa.Table, fired: Numbers) -> Late:
        """Put rows in their slices; those that are late for some windows only come back. fired: for each, up
        to which end windows had fired when it came."""
        ends = self._ends(table)
        late = ends <= fired
        if not late.any():
            self._add(table, ends)
            return Late.none(self._partials)
        dropped = self._slices.last_windows(ends) <= fired
        self.late += int(dropped.sum())
        self._add(table.filter(pa.array(~late)), ends[~late])
        first = self._slices.first_unfired(ends, fired)
        joins = late & ~dropped
        return self._late(table.filter(pa.array(joins)), ends[joins], first[joins])

    def _ends(self, table: pa.Table) -> Numbers:
        """The end of each row's slice."""
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
        """By key, slice and first window."""
        if not table.num_rows:
            return Late.none(self._partials)
        rows = table if self._spec.is_global else self._with_ends(table, ends)
        keys = find_keys([*self._key_columns(rows), pa.array(first)], rows.num_rows)
        return self._open.late(rows, keys, self._spec.is_global)

    def _with_ends(self, table: pa.Table, ends: Numbers) -> pa.Table:
        return table.append_column(field(len(self._spec.aggregate.input_types)), pa.array(ends))

    def _key_columns(self, rows: pa.Table) -> list[pa.ChunkedArray]:
        keys = self._partials.columns.keys if self._spec.is_global else sliced(self._spec.aggregate).keys
        return [rows.column(field(i)) for i in keys]

    # --- windows -------------------------------------------------------------------------------------
    def _fired_by(self, marks: Marked) -> Numbers:
        """Up to which end windows have fired behind each watermark."""
        found: Numbers = np.maximum.accumulate(np.maximum(self._slices.fired(marks.times), self._fired))
        return found

    def _rows(self, marks: Marked) -> Iterator[pa.Table]:
        out = self._out(marks, Late.none(self._partials))
        if out.num_rows:
            yield out

    def _out(self, marks: Marked, late: Late) -> pa.Table:
        """The results of the windows that these watermarks end, each as its watermark's."""
        fired = self._fired_by(marks)
        self._time.advance(int(marks.times.max()))
        before, self._fired = self._fired, int(fired[-1])
        windows = self._open.fire(before, self._fired, late)
        if not windows.num_rows:
            return self._none
        ends = ends_of(windows, len(self._partials.columns.keys))
        counts = np.diff(np.searchsorted(ends, fired, side="right"), prepend=0)
        return self._results(windows, ends, np.repeat(marks.orders, counts), marks.place)

    def _results(self, windows: pa.Table, ends: Numbers, orders: Numbers, place: int) -> pa.Table:
        """windows: their accumulators, ascending by end."""
        spec = self._spec
        results = self._partials.results(windows)
        keys = [one_chunk(windows.column(i)) for i in range(len(spec.aggregate.keys))]
        borders = window_columns(spec.columns, self._slices.starts(ends), ends, spec.time, 0)
        table = inserts(orders, place, [*keys, *results.columns, *borders])
        return table if results.there.all() else table.filter(pa.array(results.there))

    @cached_property
    def _none(self) -> pa.Table:
        """No rows."""
        nothing = np.zeros(0, np.int64)
        return self._results(self._partials.schema.empty_table(), nothing, nothing, 0)


def build(spec: WindowAggregateSpec, state: StateBackend | None, clock: Clock) -> WindowAggregate:
    return WindowAggregate(spec, state, clock)


def code(spec: WindowAggregateSpec) -> Iterator[str]:
    name = "GlobalWindowAggregate" if spec.is_global else "WindowAggregate"
    yield f"-- {name}, {spec.windows.function} of {spec.windows.size} ms"
    yield generate(sliced(spec.aggregate)).source.rstrip()
