"""ORDER BY a time attribute, then other columns.

By row time rows wait until a watermark has passed them; one is late where its time is not above the last one
that has gone out (Flink: RowTimeSortOperator). By processing time they are sorted when the clock moves on,
which is when the micro-batch ends (ProcTimeSortOperator).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from firesteel.runtime.event_time import milliseconds
from firesteel.runtime.keys import one_array
from firesteel.runtime.operators.base import MIN_WATERMARK, Clock, Marked, Message, Operator, Watermark
from firesteel.runtime.operators.kept_watermark import KeptNumber, KeptWatermark
from firesteel.runtime.orders import caused, concat
from firesteel.runtime.over.rows import Index, TimedRows, WaitingRows
from firesteel.runtime.over_spec import OverTime, TemporalSortSpec
from firesteel.runtime.sorting import stable_order_by
from firesteel.runtime.spec import KIND, field
from firesteel.runtime.state.base import StateBackend
from firesteel.runtime.state.memory import memory_backend
from firesteel.runtime.state.order_codes import order_codes
from firesteel.runtime.windows.fired import inserts
from firesteel.types.arrow import to_arrow

_NO_ROWS = np.zeros(0, np.int64)


class RowTimeSort(Operator):
    """By row time. late: how many rows were dropped. state: None keeps it in this process."""

    def __init__(self, spec: TemporalSortSpec, state: StateBackend | None) -> None:
        backend = memory_backend() if state is None else state
        self.late = 0
        self._spec = spec
        self._types = [to_arrow(kind) for kind in spec.input_types]
        self._time = KeptWatermark(backend, f"{spec.state_id}/time")
        self._came = KeptNumber(backend, f"{spec.state_id}/came", 0)
        self._sent = KeptNumber(backend, f"{spec.state_id}/sent", MIN_WATERMARK)
        self._waiting = WaitingRows(backend, f"{spec.state_id}/waiting", self._types)

    def changes(self, table: pa.Table, port: int = 0) -> Iterable[Message]:
        self._take(Marked(table, _NO_ROWS, _NO_ROWS))
        return ()

    def watermark(self, mark: Watermark, port: int = 0) -> Iterable[Message]:
        if not self._time.is_new(mark):
            return (mark,)
        none = inserts(_NO_ROWS, 0, [pa.nulls(0, kind) for kind in self._types])
        out = self._take(Marked(none, np.array([mark.time]), np.array([mark.order]), mark.place))
        return (out, mark) if out.num_rows else (mark,)

    def marked(self, rows: Marked, port: int = 0) -> Iterable[Message]:
        return (rows.with_rows(self._take(rows)),)

    def barrier(self) -> Iterable[Message]:
        for each in (self._time, self._came, self._sent):
            each.save()
        return ()

    def _take(self, message: Marked) -> pa.Table:
        """The rows that the watermarks of a message send out."""
        marks = np.maximum.accumulate(message.times)
        new = self._timed(message.table)
        due = self._waiting.take_until(int(marks[-1])) if len(marks) else new.take(_NO_ROWS)
        behind = np.searchsorted(message.at, np.arange(len(new)), side="right")
        first = np.maximum(np.searchsorted(marks, new.times), behind)
        by_due = np.searchsorted(marks, due.times)
        sent = self._sent_until(
            len(marks), np.concatenate([by_due, first]), np.concatenate([due.times, new.times])
        )
        accepted = new.times > sent[behind]
        self.late += len(new) - int(np.count_nonzero(accepted))
        fires = accepted & (first < len(marks))
        self._waiting.add(new.take(np.flatnonzero(accepted & ~fires)))
        if len(marks):
            self._time.advance(int(marks[-1]))
        here = np.flatnonzero(fires)
        rows = TimedRows.concat([due, new.take(here)])
        by = np.concatenate([by_due, first[here]])
        order = stable_order_by(by, rows.times, self._ranks(rows.columns), rows.numbers)
        self._sent.now = max(self._sent.now, int(rows.times.max(initial=MIN_WATERMARK)))
        return inserts(message.orders[by[order]], message.place, rows.take(order).columns)

    def _sent_until(self, marks: int, by: Index, times: Index) -> Index:
        """The last time that has gone out, before each watermark and behind all. by: with which of them rows
        of these times would go out. A late row counts too: one of a later time has gone out before it."""
        found = np.full(marks + 1, self._sent.now)
        out = by < marks
        np.maximum.at(found, by[out] + 1, times[out])
        last: Index = np.maximum.accumulate(found)
        return last

    def _timed(self, table: pa.Table) -> TimedRows:
        columns = tuple(one_array(table.column(field(i))) for i in range(len(self._types)))
        numbers = self._came.now + np.arange(table.num_rows)
        self._came.now += table.num_rows
        return TimedRows(columns, milliseconds(columns[self._spec.time]), numbers)

    def _ranks(self, columns: Sequence[pa.Array]) -> Index:
        return ranks(self._spec, columns)


class ProcTimeSort(Operator):
    """By processing time."""

    def __init__(self, spec: TemporalSortSpec) -> None:
        self._spec = spec
        self._held: list[pa.Table] = []

    def changes(self, table: pa.Table, port: int = 0) -> Iterable[Message]:
        self._held.append(table)
        return ()

    def marked(self, rows: Marked, port: int = 0) -> Iterable[Message]:
        self._held.append(rows.table)
        return (rows.with_rows(rows.table.slice(0, 0)),)

    def barrier(self) -> Iterator[Message]:
        held, self._held = [table for table in self._held if table.num_rows], []
        if not held:
            return
        table = concat(held)
        columns = [one_array(table.column(field(i))) for i in range(len(self._spec.input_types))]
        order = np.argsort(ranks(self._spec, columns), kind="stable")
        at = pa.array(order)
        last = np.full(len(order), len(order) - 1)  # sorted rows have one cause: the clock
        kinds = one_array(table.column(KIND)).take(at)
        yield caused(table, last, kinds, [column.take(at) for column in columns])


def ranks(spec: TemporalSortSpec, columns: Sequence[pa.Array]) -> Index:
    """int64[n]: numbers that compare as the rows do by the columns after the time."""
    rows = len(columns[spec.time])
    if not spec.keys or not rows:
        return np.zeros(rows, np.int64)
    keys = pa.StructArray.from_arrays(
        [columns[i] for i in spec.keys], names=[str(i) for i in range(len(spec.keys))]
    )
    codes = order_codes(keys, spec.directions).dictionary_encode()
    order = pc.sort_indices(codes.dictionary).to_numpy()
    rank = np.empty(len(order), np.int64)
    rank[order] = np.arange(len(order))
    found: Index = rank[codes.indices.to_numpy()]
    return found


def build(spec: TemporalSortSpec, state: StateBackend | None, clock: Clock) -> Operator:
    return RowTimeSort(spec, state) if spec.order is OverTime.ROWTIME else ProcTimeSort(spec)


def code(spec: TemporalSortSpec) -> Iterator[str]:
    keys = [f"f{key} {way}" for key, way in zip(spec.keys, spec.directions, strict=True)]
    yield f"-- TemporalSort by {', '.join([f'f{spec.time} ({spec.order.value})', *keys])}"
