"""The first row of each key by row time, sent once, when a watermark passes it.

Flink: RowTimeDeduplicateKeepFirstRowFunction. The first row of a key waits for a watermark that passes its
time. If a row with a lower time arrives meanwhile, it replaces the waiting row. A row that arrives below the
watermark is late and dropped. After a row of the key has been sent, all other rows of the key are dropped,
until the state's time to live has passed.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from firesteel.kernels.deduplicate import NONE, first_rows
from firesteel.kernels.types import given
from firesteel.runtime.columns.keys import Keys, find_keys
from firesteel.runtime.columns.sorting import stable_order_by
from firesteel.runtime.dataflow.operator import Clock, WatermarkedBatch
from firesteel.runtime.operators.over.rows import TimedRows
from firesteel.runtime.operators.window.fired import inserts
from firesteel.runtime.operators.window.waits_for_watermarks import WaitsForWatermarks
from firesteel.runtime.spec.rank import DeduplicateSpec
from firesteel.runtime.state.base import StateBackend
from firesteel.runtime.state.memory import memory_backend
from firesteel.types.arrow import to_arrow

Index = NDArray[np.int64]


@dataclass(frozen=True)
class _Watermarks:
    """The m watermarks of a message that advance event time.

    Attributes:
        times: int64[m], ascending.
        sequences: int64[m], sequence of the changes that each watermark causes.
        at: int64[m], number of rows before each watermark.
    """

    times: Index
    sequences: Index
    at: Index

    @classmethod
    def of(cls, message: WatermarkedBatch, now: int) -> _Watermarks:
        """Return the watermarks that advance event time, which is `now` before the message."""
        before = np.maximum.accumulate(np.concatenate([[now], message.times]))[:-1]
        new = message.times > before
        return cls(message.times[new], message.sequences[new], message.at[new])


class FirstByWatermark(WaitsForWatermarks):
    """Operator that sends the first row of each key at a watermark.

    Args:
        spec: Settings.
        state: State of the operator. None keeps it in this process.
        clock: Processing time.
    """

    def __init__(self, spec: DeduplicateSpec, state: StateBackend | None, clock: Clock) -> None:
        backend, name = memory_backend() if state is None else state, spec.state_id
        types = [to_arrow(kind) for kind in spec.input_types]
        super().__init__(backend, types, f"{name}/time", f"{name}/came")
        self.late = 0
        self._spec = spec
        self._clock = clock
        key_types = [types[i] for i in spec.keys]
        self._sent = backend.value(f"{name}/sent", key_types, [pa.bool_()], spec.ttl)
        self._first = backend.value(f"{name}/first", key_types, [pa.int64()])
        self._waiting = backend.times(f"{name}/waiting", key_types, [pa.int64(), *types])

    def take(self, message: WatermarkedBatch) -> pa.Table:
        now = self._clock()
        watermarks = _Watermarks.of(message, self._time.now)
        rows = message.table
        new = TimedRows.of(rows, len(self._types), self._spec.time, self.arrivals(rows.num_rows))
        row_watermarks = self._time.at_rows(message)
        late = new.times < row_watermarks
        self.drop_late(rows, late, new.times, row_watermarks)
        in_time = np.flatnonzero(~late)
        behind = np.searchsorted(watermarks.at, in_time, side="right")
        new = new.take(in_time)
        due = self._due(watermarks)
        if len(watermarks.times):
            self._time.advance(int(watermarks.times[-1]))
        both = TimedRows.concat([due, new])
        if not len(both):
            return inserts(np.zeros(0, np.int64), message.sub_sequence, both.columns)
        keys = find_keys([both.columns[i] for i in self._spec.keys], len(both))
        first = np.searchsorted(watermarks.times, both.times)
        first[len(due) :] = np.maximum(first[len(due) :], behind)
        behind = np.concatenate([np.full(len(due), -1), behind])
        sent, by = self._sent_rows(keys, both, first, behind, len(due), len(watermarks.times), now)
        order = stable_order_by(by, both.times[sent], both.numbers[sent])
        return inserts(watermarks.sequences[by[order]], message.sub_sequence, both.take(sent[order]).columns)

    def _due(self, watermarks: _Watermarks) -> TimedRows:
        """Remove from the state, and return, the waiting rows whose time a watermark passes."""
        if not len(watermarks.times):
            columns = tuple(pa.nulls(0, kind) for kind in self._types)
            return TimedRows(columns, np.zeros(0, np.int64), np.zeros(0, np.int64))
        due = self._waiting.take_until(int(watermarks.times[-1]))
        return TimedRows(due.columns[1:], due.times, due.columns[0].to_numpy())

    def _sent_rows(
        self, keys: Keys, rows: TimedRows, first: Index, behind: Index, due: int, watermarks: int, now: int
    ) -> tuple[Index, Index]:
        """Find the rows to send, and write the state.

        Args:
            keys: Keys of the rows.
            rows: n rows: the `due` rows that come from the state, then the new rows.
            first: int64[n], number of the first watermark that passes each row, `watermarks` for none.
            behind: int64[n], number of watermarks before each new row, -1 for a stored row.
            due: Number of rows that come from the state, at most one of each key.
            watermarks: Number of watermarks.
            now: Processing time in milliseconds.

        Returns:
            The numbers of the rows to send, and for each the number of the watermark that sends it.
        """
        known = self._first.get(keys, now)
        elsewhere = known.columns[0].fill_null(0).to_numpy(zero_copy_only=False)
        done = self._sent.get(keys, now).found.copy()
        heads = keys.order[keys.starts]
        here = heads < due  # a stored row precedes all new rows of its key
        stored = np.where(here, heads, np.where(known.found, len(rows), NONE))
        times = np.where(here, rows.times[heads], elsewhere)
        passed = np.where(here, first[heads], watermarks)
        skip = here.astype(np.int64)
        order = np.delete(keys.order, keys.starts[here])
        starts = keys.starts - np.concatenate([[0], np.cumsum(skip)[:-1]])
        sent, waiting = np.full(len(keys), NONE), np.full(len(keys), NONE)
        was_done = done.copy()
        first_rows(
            sent, waiting, done,
            *given(order, starts, rows.times, first, behind, stored, times, passed),
        )  # fmt: skip
        # `rows` lacks the rows that waited in the state before the batch and that no watermark of it passes.
        # The number len(rows) stands for such a row in `waiting`.
        mine = np.append(first, watermarks)
        fires = (waiting != NONE) & (mine[waiting] < watermarks) & ~was_done
        sent[fires], waiting[fires], done[fires] = waiting[fires], NONE, True
        self._store(keys, rows, stored, waiting, elsewhere, now)
        new = np.flatnonzero(done & ~was_done)
        if len(new):
            self._sent.put(keys, new, [pa.array(np.ones(len(new), np.bool_))], now)
        at = sent[sent != NONE]
        return at, first[at]

    def _store(
        self, keys: Keys, rows: TimedRows, stored: Index, waiting: Index, elsewhere: Index, now: int
    ) -> None:
        """Store the rows that begin to wait, and delete stored rows that no longer wait.

        Args:
            keys: The g keys of the rows.
            rows: The rows.
            stored: int64[g], number in `rows` of the row of each key that waited before this batch.
                len(rows) if that row is in the state, but not in `rows`, since no watermark passes it. NONE
                if no row waited.
            waiting: int64[g], the row of each key that waits after this batch, numbered as in `stored`.
            elsewhere: int64[g], time of the row of each key that waited before this batch, 0 for none. The
                times are those in the state, because `rows` lacks some of these rows.
            now: Processing time in milliseconds.
        """
        kept = len(rows)  # the number of a waiting row that is in the state, but not in `rows`
        gone = np.flatnonzero((stored == kept) & (waiting != kept))
        if len(gone):
            nothing = [pa.nulls(len(gone), kind) for kind in (pa.int64(), *self._types)]
            self._waiting.put(keys, gone, elsewhere[gone], nothing, np.zeros(len(gone), np.bool_))
        new = np.flatnonzero((waiting != NONE) & (waiting != kept))
        if len(new):
            row = rows.take(waiting[new])
            self._waiting.put(keys, new, row.times, [pa.array(row.numbers), *row.columns])
        changed = np.flatnonzero(waiting != stored)
        if len(changed):
            waits = waiting[changed] != NONE
            times = np.where(waits, rows.times[waiting[changed]], 0)
            self._first.put(keys, changed, [pa.array(times)], now, waits)
