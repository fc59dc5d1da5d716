"""Windows of OVER aggregates: results of rows over their frames, and the rows stored for later frames."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from firesteel.runtime.columns.keys import Keys, find_keys
from firesteel.runtime.columns.sorting import stable_order_by
from firesteel.runtime.operators.over.frames import Events, by_count, by_time, running
from firesteel.runtime.operators.over.results import Results
from firesteel.runtime.operators.over.rows import Index, Mask, TimedRows
from firesteel.runtime.operators.over.series import frames_of, of_series, results
from firesteel.runtime.spec.over import OverAggregateSpec, OverTime
from firesteel.runtime.state.base import Entries, StateBackend
from firesteel.types.arrow import to_arrow

_MORE = 4


@dataclass(frozen=True)
class Ended:
    """n epochs of partitions that have ended.

    An epoch ends when the state of a partition is dropped because no row has come for a long time. The next
    row begins a new epoch, with new accumulators.

    Attributes:
        partitions: Key columns, n rows each.
        epochs: int64[n]. All 0 if partitions never start a new epoch.
    """

    partitions: Sequence[pa.Array]
    epochs: Index


NOTHING = Ended((), np.zeros(0, np.int64))


class Windows:
    """State and results of the windows of an OVER aggregate.

    The rows that later frames may contain are in state, with their keys and arguments. They are sorted by
    partition and by the order in which they got their results. Within an epoch, this is the order of time.
    Pandas functions have no accumulators: their whole frames are in state.

    Args:
        spec: Settings.
        state: State of the operator.
        epochs: Whether a partition may start a new epoch with new accumulators. If True, the input of the
            aggregate calls has the number of the epoch as last column, and the aggregate's last key is this
            column.
    """

    def __init__(self, spec: OverAggregateSpec, state: StateBackend, epochs: bool) -> None:
        self._frame, self._keys, self._epochs = spec.frame, spec.aggregate.keys, epochs
        self._width = spec.width
        self._constants = [pa.array([value], to_arrow(kind)) for value, kind in spec.constants]
        self._calls = spec.aggregate.calls
        self._results = None if of_series(self._calls) else Results(spec.aggregate, state)
        self._bounded = spec.frame.preceding is not None
        self._peers = not spec.frame.rows and spec.order is OverTime.ROWTIME
        self._types = [to_arrow(kind) for kind in spec.aggregate.input_types[: spec.width]]
        self._partition = self._keys[:-1] if epochs else self._keys
        args = {i for call in spec.aggregate.calls for i in call.args if i < spec.width}
        self._used = sorted({*self._partition, *args})
        self._kept = state.ordered(
            f"{spec.state_id}/kept", pa.int64(), [*(self._types[i] for i in self._used), *[pa.int64()] * 2]
        )

    def fire(
        self, rows: TimedRows, first: int, epochs: Index | None = None, ended: Ended = NOTHING
    ) -> tuple[Index, TimedRows, list[pa.Array]]:
        """Return the results of rows that fire: they enter their frames and get their results now.

        Args:
            rows: n rows that fire. If `fire` got rows of the same partition and epoch before, those rows
                have no later times.
            first: Number of rows that `fire` got before, over all partitions. The rows are numbered from it.
            epochs: int64[n], epoch of each row, None for 0.
            ended: Epochs whose state is dropped.

        Returns:
            int64[n] positions in `rows`, sorted by partition, epoch, time and arrival; the rows in this
            order; and the results of these rows, one column for each aggregate call.
        """
        columns = [rows.columns[i] for i in self._partition]
        if len(ended.epochs):
            columns = [pa.concat_arrays(pair) for pair in zip(columns, ended.partitions, strict=True)]
        keys = find_keys(columns, len(rows) + len(ended.epochs))
        codes, last = keys.codes[: len(rows)], np.full(len(keys), -1)
        np.maximum.at(last, keys.codes[len(rows) :], ended.epochs)
        epoch = np.zeros(len(rows), np.int64) if epochs is None else epochs
        order = stable_order_by(codes, epoch, rows.times, rows.numbers)
        rows, codes, epoch = rows.take(order), codes[order], epoch[order]
        if not self._bounded:
            events = running(codes, rows.times, self._peers)
            found = self._after([*rows.columns], epoch, events, codes)
        else:
            found = self._bounded_results(keys, rows, first, codes, epoch, last)
        if len(ended.epochs):
            self._forget_results(ended)
        return order, rows, found

    def _bounded_results(
        self, keys: Keys, rows: TimedRows, first: int, codes: Index, epoch: Index, ended: Index
    ) -> list[pa.Array]:
        """Return the results of n sorted rows over bounded frames, one column for each aggregate call.

        `codes`: partition of each row, as an index into `keys`. `epoch`: epoch of each row. `first`: number
        of the first of these rows, if all rows that have fired are counted from 0. `ended`: last dropped
        epoch of each key, -1 for none.
        """
        kept, owners, kept_epochs = self._read(keys, rows, codes, ended >= 0)
        numbers = first + np.arange(len(rows))
        new = TimedRows(tuple(rows.columns[i] for i in self._used), rows.times, numbers)
        whole = TimedRows.concat([kept, new])
        partitions, epochs = np.concatenate([owners, codes]), np.concatenate([kept_epochs, epoch])
        order = stable_order_by(partitions, epochs, whole.numbers)
        whole, partitions, epochs = whole.take(order), partitions[order], epochs[order]
        fires = order >= len(kept)
        frames, size = _dense(partitions, epochs), self._frame.preceding or 0
        if self._frame.rows:
            events = by_count(frames, np.flatnonzero(fires), size)
        else:
            events = by_time(frames, whole.times, np.flatnonzero(fires), size)
        over = epochs <= ended[partitions]
        over[events.leaving] = True
        changed = np.flatnonzero(over ^ fires)
        self._keep(keys, partitions[changed], whole.take(changed), epochs[changed], fires[changed])
        unread = pa.array(np.zeros(len(whole), np.bool_))
        columns: list[pa.Array] = [unread] * len(self._types)
        for i, column in zip(self._used, whole.columns, strict=True):
            columns[i] = column
        return self._after(columns, epochs, events, frames)

    def _after(
        self, columns: Sequence[pa.Array], epochs: Index, events: Events, frames: Index
    ) -> list[pa.Array]:
        """Return the results of the rows that fire, one column for each aggregate call.

        Args:
            columns: Input fields of r rows, sorted by partition and epoch.
            epochs: int64[r], epoch of each row.
            events: Rows that enter and leave the frames, and the rows that fire.
            frames: int64[r], ascending. Rows of different partitions have different numbers, and so have rows
                of different epochs in a bounded frame. No frame has rows with different numbers.
        """
        if self._results is None:
            nothing = pa.array(np.zeros(len(frames), np.int64))
            columns = [*columns, *(constant.take(nothing) for constant in self._constants)]
            return results(self._calls, columns, *frames_of(events, frames))
        at = pa.array(events.rows)
        changes = [column.take(at) for column in columns]
        nothing = pa.array(np.zeros(len(events.rows), np.int64))
        changes += [constant.take(nothing) for constant in self._constants]
        if self._epochs:
            changes.append(pa.array(epochs[events.rows]))
        return self._results.after(changes, events.kinds, events.results)

    # --- rows that later frames hold ---------------------------------------------------------------
    def _read(self, keys: Keys, rows: TimedRows, codes: Index, whole: Mask) -> tuple[TimedRows, Index, Index]:
        """Return stored rows, the indices of their partitions in `keys`, and their epochs.

        All stored rows of a partition are read if the frame is ROWS, if the functions are pandas functions,
        or if `whole` marks the partition. Otherwise, its oldest rows are read: all rows that leave the frame
        as `rows` enter it, and possibly some more.
        """
        if self._frame.rows or self._results is None:
            whole = np.ones(len(keys), np.bool_)
        parts = [self._rows_of(self._kept.entries(keys, np.flatnonzero(whole), 0))]
        owners = np.flatnonzero(~whole)
        last = np.full(len(keys), np.iinfo(np.int64).min)
        np.maximum.at(last, codes, rows.times)
        counts = keys.counts[owners] + _MORE
        while len(owners):
            found, of, epochs = self._rows_of(self._kept.first(keys, owners, counts, 0))
            ends = np.searchsorted(of, owners, side="right")
            full = ends - np.searchsorted(of, owners) == counts
            full[full] = found.times[ends[full] - 1] < last[owners[full]] - (self._frame.preceding or 0)
            done = np.flatnonzero(~np.isin(of, owners[full]))
            parts.append((found.take(done), of[done], epochs[done]))
            owners, counts = owners[full], counts[full] * _MORE
        kept, of_all, epochs_of_all = zip(*parts, strict=True)
        return TimedRows.concat(kept), np.concatenate(of_all), np.concatenate(epochs_of_all)

    def _rows_of(self, found: Entries) -> tuple[TimedRows, Index, Index]:
        *columns, times, epochs = found.columns
        kept = TimedRows(tuple(columns), times.to_numpy(), found.sub_keys.to_numpy())
        return kept, found.owners, epochs.to_numpy()

    def _keep(self, keys: Keys, owners: Index, rows: TimedRows, epochs: Index, live: Mask) -> None:
        if len(owners):
            columns = [*rows.columns, pa.array(rows.times), pa.array(epochs)]
            self._kept.put(keys, owners, pa.array(rows.numbers), columns, 0, live)

    def forget(self, ended: Ended) -> None:
        """Drop the state of ended epochs. A call of `fire` does this, too, for its argument `ended`."""
        if not len(ended.epochs):
            return
        self._forget_results(ended)
        keys = find_keys(ended.partitions, len(ended.epochs))
        last = np.zeros(len(keys), np.int64)
        np.maximum.at(last, keys.codes, ended.epochs)
        rows, owners, epochs = self._rows_of(self._kept.entries(keys, np.arange(len(keys)), 0))
        gone = np.flatnonzero(epochs <= last[owners])
        self._keep(keys, owners[gone], rows.take(gone), epochs[gone], np.zeros(len(gone), np.bool_))

    def _forget_results(self, ended: Ended) -> None:
        if self._results is None:
            return
        numbers = [pa.array(ended.epochs)] if self._epochs else []
        self._results.forget([*ended.partitions, *numbers], len(ended.epochs))


def _dense(partitions: Index, epochs: Index) -> Index:
    """Return the number of each row's pair of partition and epoch, int64[r], from 0 on without gaps.

    The rows must be sorted by partition and epoch: partitions 3 3 7 7 7, epochs 0 0 0 0 1 -> 0 0 1 1 2.
    """
    new = np.zeros(len(partitions), np.int64)
    new[1:] = (partitions[1:] != partitions[:-1]) | (epochs[1:] != epochs[:-1])
    return np.cumsum(new)
