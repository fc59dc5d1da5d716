"""Aggregate by TUMBLE and HOP of GROUP BY, row by row (Flink: AggregateWindowOperator).

Windows that slices cannot compute use this operator: windows with results before or after their end, HOP
windows whose size is no multiple of the slide, and windows with a call whose accumulators cannot be merged.

The open windows of a key are one object, which this process keeps in memory after it has created or read it.
At each barrier, changed objects are pickled into keyed state, and new timers are stored there.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np
import pyarrow as pa

from firesteel.changelog import KIND, RowKind, field
from firesteel.runtime.aggregate.row_engine.handler import generate
from firesteel.runtime.aggregate.row_engine.row_loop import no_collections
from firesteel.runtime.columns.keys import find_keys, one_array
from firesteel.runtime.dataflow.event_time import milliseconds
from firesteel.runtime.dataflow.operator import (
    LAST_SEQUENCE,
    Clock,
    Message,
    Operator,
    Watermark,
    WatermarkedBatch,
)
from firesteel.runtime.dataflow.retained_watermark import RetainedWatermark
from firesteel.runtime.dataflow.sequence import ChangeOrigin, origin_of, sequences, sub_sequences
from firesteel.runtime.operators.window.per_row.row_output import RowOutput
from firesteel.runtime.operators.window.per_row.row_state import RowState
from firesteel.runtime.operators.window.per_row.row_windows import Calls, KeyedWindows, WindowLengths
from firesteel.runtime.operators.window.per_row.triggers import (
    EventTimeTrigger,
    OpenWindow,
    ProcessingTimeTrigger,
    Trigger,
)
from firesteel.runtime.operators.window.zones import to_wall_clock
from firesteel.runtime.spec.window import GroupWindowAggregateSpec
from firesteel.runtime.state.base import StateBackend
from firesteel.runtime.state.memory import memory_backend
from firesteel.types.internal_values import to_keys, to_list


class GroupWindowAggregate(Operator):
    """Operator that aggregates by TUMBLE or HOP of GROUP BY, and processes rows one by one.

    Args:
        spec: Settings.
        state: State of the operator. None keeps everything in this process.
        clock: Processing time.
    """

    def __init__(self, spec: GroupWindowAggregateSpec, state: StateBackend | None, clock: Clock) -> None:
        self._spec = spec
        self._clock = clock
        self._is_rowtime = spec.time.column is not None
        self._generated = generate(spec.aggregate)
        self._lengths = WindowLengths(spec)
        self._calls = Calls(spec, self._generated, self._lengths.paned)
        self._trigger: Trigger = (EventTimeTrigger if self._is_rowtime else ProcessingTimeTrigger)(spec.emit)
        self._state = RowState(spec.aggregate, state)
        self._time = RetainedWatermark(state or memory_backend(), f"{spec.aggregate.state_id}/watermark")
        self._output = RowOutput(spec)
        self._origin: ChangeOrigin = (0, 0)
        self.late = 0

    # --- messages ------------------------------------------------------------------------------------
    def changes(self, table: pa.Table, port: int = 0) -> Iterable[Message]:
        if not table.num_rows:
            return
        with no_collections():
            self._by_clock(origin_of(table, 0))
            self._rows(table)
        yield from self._sent()

    def watermark(self, watermark: Watermark, port: int = 0) -> Iterable[Message]:
        with no_collections():
            self._by_clock((watermark.sequence, watermark.sub_sequence))
            self._advance(watermark)
        yield from self._sent()
        yield watermark

    def watermarked(self, rows: WatermarkedBatch, port: int = 0) -> Iterable[Message]:
        with no_collections():
            if rows.table.num_rows:
                self._by_clock(origin_of(rows.table, 0))
            for piece in rows.pieces():
                if isinstance(piece, Watermark):
                    self._advance(piece)
                else:
                    self._rows(piece)
        yield rows.with_rows(self._output.table(self._clock()))

    def barrier(self) -> Iterable[Message]:
        with no_collections():
            self._by_clock((LAST_SEQUENCE, 0))
        yield from self._sent()
        self._state.save()
        self._time.save()

    def next_timer(self) -> int | None:
        return self._state.next_by_clock()

    def _sent(self) -> Iterator[pa.Table]:
        out = self._output.table(self._clock())
        if out.num_rows:
            yield out

    # --- rows ----------------------------------------------------------------------------------------
    def _rows(self, table: pa.Table) -> None:
        keys = find_keys([table.column(field(i)) for i in self._spec.aggregate.keys], table.num_rows)
        known = self._state.load(keys)
        sub_sequence = sub_sequences(table)
        origins = zip(
            sequences(table).tolist(),
            [0] * table.num_rows if sub_sequence is None else sub_sequence.tolist(),
            strict=True,
        )
        kinds = one_array(table.column(KIND)).to_numpy().tolist()
        owners, times = keys.codes.tolist(), self._times(table)
        late = np.zeros(table.num_rows, np.bool_)
        for number, (origin, kind, owner, time, row) in enumerate(
            zip(origins, kinds, owners, times, self._inputs(table), strict=True)
        ):
            self._origin = origin
            late[number] = not self._row(known[owner], time, row, bool(kind & 1))
        if late.any() and self._spec.time.column is not None:
            rowtimes = milliseconds(one_array(table.column(field(self._spec.time.column))))
            self.drop_late(table, late, rowtimes, self._time.now)

    def _times(self, table: pa.Table) -> list[int]:
        """Return the time of each row, in milliseconds of the windows' time zone."""
        time = self._spec.time
        if time.column is None:
            found = np.full(table.num_rows, self._clock())
        else:
            found = milliseconds(one_array(table.column(field(time.column))))
        clocks: list[int] = to_wall_clock(found, time.zone).tolist()
        return clocks

    def _inputs(self, table: pa.Table) -> Iterable[tuple[object, ...]]:
        types = self._spec.aggregate.input_types
        columns = [
            (to_keys if each.key else to_list)(table.column(field(each.position)), types[each.position])
            for each in self._generated.inputs
        ]
        return zip(*columns, strict=True) if columns else iter([()] * table.num_rows)

    def _row(self, mine: KeyedWindows, time: int, row: tuple[object, ...], retracts: bool) -> bool:
        """Add a row to the windows of its key (`mine`). Return False if it is late for all its windows."""
        lengths, watermark = self._lengths, self._time.now
        starts = lengths.starts(time)
        if self._is_rowtime:
            in_time = [start for start in starts if lengths.late_time(start) > watermark]
        else:
            in_time = list(starts)
        if not in_time:
            return len(starts) == 0
        for pane in lengths.panes_of(time, in_time):
            mine.panes[pane] = self._calls.add(mine.panes.get(pane), row, retracts)
        self._state.touch(mine)
        now = self._clock()
        for start in in_time:
            window = mine.windows.get(start) or self._opened(mine, start)
            if self._trigger.on_row(window, self._state.timers(mine), watermark, now):
                self._give(mine, window)
            if self._is_rowtime:
                self._state.timers(mine).at_event_time(window, window.clear_time)
        return True

    def _opened(self, mine: KeyedWindows, start: int) -> OpenWindow:
        window = OpenWindow(start, self._lengths.end_time(start), self._lengths.clear_time(start))
        mine.windows[start] = window
        return window

    # --- time ----------------------------------------------------------------------------------------
    def _advance(self, watermark: Watermark) -> None:
        """Fire the timers up to a watermark."""
        self._origin = (watermark.sequence, watermark.sub_sequence)
        if watermark.time <= self._time.now or not self._is_rowtime:
            return
        self._time.advance(watermark.time)
        for time, mine in self._state.due_in_event_time(watermark.time):
            for window in sorted(mine.windows.values(), key=lambda each: each.start):
                if time in window.event_timers:
                    window.event_timers.remove(time)
                    if self._trigger.on_event_time(window, time):
                        self._give(mine, window)
                    if time == window.clear_time:
                        self._clear(mine, window)

    def _by_clock(self, origin: ChangeOrigin) -> None:
        """Fire the timers up to the processing time. `origin`: sequence and sub-sequence of the changes."""
        self._origin, now = origin, self._clock()
        for time, mine in self._state.due_by_clock(now):
            for window in sorted(mine.windows.values(), key=lambda each: each.start):
                if self._trigger.on_clock(window, self._state.timers(mine), time, now):
                    self._give(mine, window)
                if not self._is_rowtime and time == window.clear_time:
                    self._clear(mine, window)

    def _clear(self, mine: KeyedWindows, window: OpenWindow) -> None:
        del mine.windows[window.start]
        for pane in self._lengths.panes(window.start):
            if self._lengths.last_start(pane) == window.start:
                mine.panes.pop(pane, None)

    # --- results -------------------------------------------------------------------------------------
    def _give(self, mine: KeyedWindows, window: OpenWindow) -> None:
        """Send the result of a window, if it has changed."""
        panes = (mine.panes[p] for p in self._lengths.panes(window.start) if p in mine.panes)
        result = self._calls.result(panes)
        before = window.sent
        if result is None:
            if before is not None:
                self._output.add(RowKind.DELETE, self._origin, mine.key, before, window.start)
                window.sent = None
            return
        if before is None:
            self._output.add(RowKind.INSERT, self._origin, mine.key, result, window.start)
        elif not self._calls.same(before, result):
            if self._spec.aggregate.emit_update_before:
                self._output.add(RowKind.UPDATE_BEFORE, self._origin, mine.key, before, window.start)
            self._output.add(RowKind.UPDATE_AFTER, self._origin, mine.key, result, window.start)
        if self._spec.updates:
            window.sent = result


def build(spec: GroupWindowAggregateSpec, state: StateBackend | None, clock: Clock) -> Operator:
    return GroupWindowAggregate(spec, state, clock)


def code(spec: GroupWindowAggregateSpec) -> Iterator[str]:
    yield f"-- GroupWindowAggregate, {spec.size} ms every {spec.slide} ms, row by row"
    yield generate(spec.aggregate).source.rstrip()
