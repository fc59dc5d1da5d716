"""ORDER BY a time attribute, then other columns.

By row time, rows wait until a watermark has passed them. A row is late if its time is not above the last time
sent (Flink: RowTimeSortOperator). By processing time, rows are sorted when the clock advances, at the end of
the micro-batch (ProcTimeSortOperator).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from firesteel.changelog import KIND, field
from firesteel.runtime.columns.keys import one_array
from firesteel.runtime.columns.sorting import stable_order_by
from firesteel.runtime.dataflow.operator import MIN_WATERMARK, Clock, Message, Operator, WatermarkedBatch
from firesteel.runtime.dataflow.sequence import concat, derived
from firesteel.runtime.operators.over.rows import Index, TimedRows, WaitingRows
from firesteel.runtime.operators.window.fired import inserts
from firesteel.runtime.operators.window.waits_for_watermarks import WaitsForWatermarks
from firesteel.runtime.spec.over import OverTime, TemporalSortSpec
from firesteel.runtime.state.base import StateBackend
from firesteel.runtime.state.memory import memory_backend
from firesteel.runtime.state.order_codes import order_codes
from firesteel.types.arrow import to_arrow

_NO_ROWS = np.zeros(0, np.int64)


class RowTimeSort(WaitsForWatermarks):
    """Operator that sorts rows by row time.

    Args:
        spec: Settings.
        state: State of the operator. None keeps it in this process.
    """

    def __init__(self, spec: TemporalSortSpec, state: StateBackend | None) -> None:
        backend, name = memory_backend() if state is None else state, spec.state_id
        types = [to_arrow(kind) for kind in spec.input_types]
        super().__init__(backend, types, f"{name}/time", f"{name}/came")
        self.late = 0
        self._spec = spec
        self._sent = self.retained_number(f"{name}/sent", MIN_WATERMARK)
        self._waiting = WaitingRows(backend, f"{name}/waiting", types)

    def take(self, message: WatermarkedBatch) -> pa.Table:
        watermarks = np.maximum.accumulate(message.times)
        rows = message.table
        new = TimedRows.of(rows, len(self._types), self._spec.time, self.arrivals(rows.num_rows))
        due = self._waiting.take_until(int(watermarks[-1])) if len(watermarks) else new.take(_NO_ROWS)
        behind = np.searchsorted(message.at, np.arange(len(new)), side="right")
        first = np.maximum(np.searchsorted(watermarks, new.times), behind)
        by_due = np.searchsorted(watermarks, due.times)
        sent = self._sent_until(
            len(watermarks), np.concatenate([by_due, first]), np.concatenate([due.times, new.times])
        )
        accepted = new.times > sent[behind]
        self.drop_late(rows, ~accepted, new.times, self._time.at_rows(message))
        fires = accepted & (first < len(watermarks))
        self._waiting.add(new.take(np.flatnonzero(accepted & ~fires)))
        if len(watermarks):
            self._time.advance(int(watermarks[-1]))
        here = np.flatnonzero(fires)
        fired = TimedRows.concat([due, new.take(here)])
        by = np.concatenate([by_due, first[here]])
        order = stable_order_by(by, fired.times, ranks(self._spec, fired.columns), fired.numbers)
        self._sent.now = max(self._sent.now, int(fired.times.max(initial=MIN_WATERMARK)))
        return inserts(message.sequences[by[order]], message.sub_sequence, fired.take(order).columns)

    def _sent_until(self, watermarks: int, by: Index, times: Index) -> Index:
        """Return the greatest row time sent before each watermark, then after the last one, int64[m + 1].

        `times` may contain late rows. They do not change the result, because a row with an equal or later
        time was sent before.

        Args:
            watermarks: Number of watermarks m.
            by: Number of the watermark that releases each row unless it is late, m for none.
            times: Time of each row.
        """
        found = np.full(watermarks + 1, self._sent.now)
        out = by < watermarks
        np.maximum.at(found, by[out] + 1, times[out])
        last: Index = np.maximum.accumulate(found)
        return last


class ProcTimeSort(Operator):
    """Operator that sorts rows by processing time."""

    def __init__(self, spec: TemporalSortSpec) -> None:
        self._spec = spec
        self._held: list[pa.Table] = []

    def changes(self, table: pa.Table, port: int = 0) -> Iterable[Message]:
        self._held.append(table)
        return ()

    def watermarked(self, rows: WatermarkedBatch, port: int = 0) -> Iterable[Message]:
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
        last = np.full(len(order), len(order) - 1)  # All rows are sent at once, with the last one's sequence.
        kinds = one_array(table.column(KIND)).take(at)
        yield derived(table, last, kinds, [column.take(at) for column in columns])


def ranks(spec: TemporalSortSpec, columns: Sequence[pa.Array]) -> Index:
    """Return numbers that sort like the ORDER BY columns other than the time attribute, int64[n]."""
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
