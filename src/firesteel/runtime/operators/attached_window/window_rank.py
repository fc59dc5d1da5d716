"""WindowRank and WindowDeduplicate: the first rows of each window and partition, sent at the window's end.

Flink: SyncStateWindowRankProcessor, RowTimeWindowDeduplicateProcessor. Of a batch, only rows that are among
the first of their window in the batch are stored. When windows fire, their rows are sorted together.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from firesteel.runtime.columns.keys import find_keys
from firesteel.runtime.columns.sorting import stable_order_by
from firesteel.runtime.dataflow.operator import MAX_WATERMARK, Clock, WatermarkedBatch
from firesteel.runtime.operators.attached_window.windowed_rows import WindowedRows
from firesteel.runtime.operators.over.rows import TimedRows
from firesteel.runtime.operators.window.fired import inserts
from firesteel.runtime.operators.window.waits_for_watermarks import WaitsForWatermarks
from firesteel.runtime.spec.attached_window import WindowRankSpec
from firesteel.runtime.state.base import StateBackend
from firesteel.runtime.state.memory import memory_backend
from firesteel.runtime.state.sort_parts import sort_parts, without_minus_zero
from firesteel.types.arrow import to_arrow

Index = NDArray[np.int64]

FEW = 1 << 12
"""Number that limits the stored rows: more than 2 * n + FEW rows start a removal.

A removal drops the rows that can no longer be sent. n is the number of rows that the last removal has left,
or the number of stored rows if it is lower by now.
"""


class WindowRank(WaitsForWatermarks):
    """Operator that sends the first rows of each window and partition.

    `late` counts the rows whose window had fired when they came.

    Args:
        spec: Settings.
        state: State of the operator. None keeps the rows in this process.
    """

    def __init__(self, spec: WindowRankSpec, state: StateBackend | None) -> None:
        backend, name = memory_backend() if state is None else state, spec.state_id
        types = [to_arrow(kind) for kind in spec.input_types]
        out = [*types, pa.int64()] if spec.with_number else types
        super().__init__(backend, out, f"{name}/time", f"{name}/came")
        self.late = 0
        self._spec = spec
        self._waiting = WindowedRows(spec.window, backend, f"{name}/waiting", types)
        self._stored = self.retained_number(f"{name}/stored")
        self._needed = self.retained_number(f"{name}/needed")

    @property
    def stored(self) -> int:
        """Number of rows in the state."""
        return self._stored.now

    def take(self, message: WatermarkedBatch) -> pa.Table:
        watermarks = np.maximum.accumulate(message.times)
        table = message.table
        new = self._waiting.arrived(table, self.arrivals(table.num_rows))
        row_watermarks = self._time.at_rows(message)
        in_time = new.times > row_watermarks
        self.drop_late(table, ~in_time, new.times, row_watermarks)
        fires = in_time & (np.searchsorted(watermarks, new.times) < len(watermarks))
        due = self._due(watermarks)
        self._keep(new.take(np.flatnonzero(in_time & ~fires)))
        fired = TimedRows.concat([due, new.take(np.flatnonzero(fires))])
        rows, numbers = self._ranked(fired, self._spec.start)
        by = np.searchsorted(watermarks, rows.times)
        order = stable_order_by(by, rows.times, self._waiting.ends(rows))
        columns = list(rows.take(order).columns)
        if self._spec.with_number:
            columns.append(pa.array(numbers[order]))
        return inserts(message.sequences[by[order]], message.sub_sequence, columns)

    def _due(self, watermarks: Index) -> TimedRows:
        """Return the stored rows of the windows that fire, and remove them."""
        if not len(watermarks):
            return self._waiting.none()
        self._time.advance(int(watermarks[-1]))
        due = self._waiting.take_until(int(watermarks[-1]))
        self._stored.now -= len(due)
        self._needed.now = min(self._needed.now, self._stored.now)
        return due

    def _keep(self, rows: TimedRows) -> None:
        """Store rows that may be sent. If about half of the stored rows can no longer be sent, drop them."""
        rows, _ = self._ranked(rows)
        self._waiting.add(rows)
        self._stored.now += len(rows)
        if self._stored.now <= 2 * self._needed.now + FEW:
            return
        rows, _ = self._ranked(self._waiting.take_until(MAX_WATERMARK))
        self._waiting.add(rows)
        self._stored.now = self._needed.now = len(rows)

    def _ranked(self, rows: TimedRows, first: int = 1) -> tuple[TimedRows, Index]:
        """Return the rows whose rank is from `first` to the last rank to send, with their ranks.

        The returned rows are sorted by window and partition, then by rank.
        """
        spec = self._spec
        if not len(rows):
            return rows, rows.numbers
        partition = [rows.columns[i] for i in spec.partition]
        codes = find_keys([*partition, *self._waiting.borders(rows)], len(rows)).codes
        parts = sort_parts([without_minus_zero(rows.columns[i]) for i in spec.sort], spec.orders)
        arrival = -rows.numbers if spec.last_first else rows.numbers
        order = stable_order_by(codes, *parts, arrival)
        ordered = codes[order]
        begins = np.flatnonzero(np.diff(ordered, prepend=-1))
        ranks = np.arange(1, len(order) + 1) - np.repeat(begins, np.diff(begins, append=len(order)))
        kept = np.flatnonzero((ranks >= first) & (ranks <= spec.end))
        return rows.take(order[kept]), ranks[kept]


def build(spec: WindowRankSpec, state: StateBackend | None, clock: Clock) -> WindowRank:
    return WindowRank(spec, state)


def code(spec: WindowRankSpec) -> Iterator[str]:
    keys = ", ".join(f"f{i}" for i in spec.partition) or "no key"
    sort = ", ".join(f"f{i} {order}" for i, order in zip(spec.sort, spec.orders, strict=True))
    yield f"-- WindowRank, {spec.start} to {spec.end} by {keys}, ordered by {sort or 'arrival'}"
