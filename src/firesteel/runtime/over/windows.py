"""The windows of rows that fire: their frames, and what stays in state for the frames of later rows."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from firesteel.runtime.keys import Keys, find_keys
from firesteel.runtime.over.frames import Events, by_count, by_time, running
from firesteel.runtime.over.results import Results
from firesteel.runtime.over.rows import Index, Mask, TimedRows
from firesteel.runtime.over_spec import OverAggregateSpec, OverTime
from firesteel.runtime.state.base import StateBackend
from firesteel.runtime.state.order_codes import SortOrder
from firesteel.types.arrow import to_arrow

_SUB_KEY = pa.struct([("time", pa.int64()), ("number", pa.int64())])


class Windows:
    """epochs: whether a partition may begin anew, with accumulators of its own each time; the number of the
    epoch is then the last of the columns and of the keys of the spec's aggregate."""

    def __init__(self, spec: OverAggregateSpec, state: StateBackend, epochs: bool) -> None:
        self._frame, self._keys, self._epochs = spec.frame, spec.aggregate.keys, epochs
        self._width = spec.width
        self._constants = [pa.array([value], to_arrow(kind)) for value, kind in spec.constants]
        self._results = Results(spec.aggregate, state)
        self._bounded = spec.frame.preceding is not None
        self._peers = not spec.frame.rows and spec.order is OverTime.ROWTIME
        types = [to_arrow(kind) for kind in spec.aggregate.input_types[: spec.width]]
        self._partition = self._keys[:-1] if epochs else self._keys
        orders = (SortOrder(), SortOrder())
        self._kept = state.ordered(f"{spec.state_id}/kept", _SUB_KEY, [*types, pa.int64()], orders=orders)

    def fire(self, rows: TimedRows, epochs: Index | None = None) -> tuple[Index, TimedRows, list[pa.Array]]:
        """The order by partition, time and arrival, the rows in it, and the results of the calls for them.
        epochs: of the rows; each row is above all that have fired in its partition's epoch."""
        keys = find_keys([rows.columns[i] for i in self._partition], len(rows))
        epoch = np.zeros(len(rows), np.int64) if epochs is None else epochs
        order = np.lexsort((rows.numbers, rows.times, epoch, keys.codes))
        rows, codes, epoch = rows.take(order), keys.codes[order], epoch[order]
        if not self._bounded:
            events = running(codes, rows.times, self._peers)
            return order, rows, self._after(rows, epoch, events)
        return order, rows, self._bounded_results(keys, rows, codes, epoch)

    def _bounded_results(self, keys: Keys, rows: TimedRows, codes: Index, epoch: Index) -> list[pa.Array]:
        kept, owners, kept_epochs = self._read(keys, rows, codes)
        whole = TimedRows.concat([kept, rows])
        partitions, epochs = np.concatenate([owners, codes]), np.concatenate([kept_epochs, epoch])
        order = np.lexsort((whole.numbers, whole.times, epochs, partitions))
        whole, partitions, epochs = whole.take(order), partitions[order], epochs[order]
        fires = order >= len(kept)
        frames, size = _dense(partitions, epochs), self._frame.preceding or 0
        if self._frame.rows:
            events = by_count(frames, np.flatnonzero(fires), size)
        else:
            events = by_time(frames, whole.times, np.flatnonzero(fires), size)
        leaves = np.zeros(len(whole), np.bool_)
        leaves[events.leaving] = True
        changed = np.flatnonzero(leaves ^ fires)
        self._keep(keys, partitions[changed], whole.take(changed), epochs[changed], ~leaves[changed])
        return self._after(whole, epochs, events)

    def _after(self, rows: TimedRows, epochs: Index, events: Events) -> list[pa.Array]:
        at = pa.array(events.rows)
        columns = [column.take(at) for column in rows.columns]
        nothing = pa.array(np.zeros(len(events.rows), np.int64))
        columns += [constant.take(nothing) for constant in self._constants]
        if self._epochs:
            columns.append(pa.array(epochs[events.rows]))
        return self._results.after(columns, events.kinds, events.results)

    # --- rows that later frames hold ---------------------------------------------------------------
    def _read(self, keys: Keys, rows: TimedRows, codes: Index) -> tuple[TimedRows, Index, Index]:
        """The rows, their partitions and their epochs: of a RANGE those that leave now, of ROWS all."""
        owners = np.arange(len(keys))
        if self._frame.rows:
            found = self._kept.entries(keys, owners, 0)
        else:
            last = np.zeros(len(keys), np.int64) + rows.times.min(initial=0)
            np.maximum.at(last, codes, rows.times)
            found = self._kept.range(keys, owners, None, _sub_keys(last - (self._frame.preceding or 0)), 0)
        times, numbers = (found.sub_keys.field(i).to_numpy() for i in range(2))
        *columns, epochs = found.columns
        return TimedRows(tuple(columns), times, numbers), found.owners, epochs.to_numpy()

    def _keep(self, keys: Keys, owners: Index, rows: TimedRows, epochs: Index, live: Mask) -> None:
        if len(owners):
            sub_keys = _sub_keys(rows.times, rows.numbers)
            self._kept.put(keys, owners, sub_keys, [*rows.columns, pa.array(epochs)], 0, live)

    def forget(self, partitions: Sequence[pa.Array], ended: Index) -> None:
        """Epochs of partitions that have ended."""
        if not len(ended):
            return
        self._results.forget([*partitions, pa.array(ended)])
        keys = find_keys(partitions, len(ended))
        last = np.zeros(len(keys), np.int64)
        np.maximum.at(last, keys.codes, ended)
        found = self._kept.entries(keys, np.arange(len(keys)), 0)
        *columns, epochs = found.columns
        gone = np.flatnonzero(epochs.to_numpy() <= last[found.owners])
        times, numbers = (found.sub_keys.field(i).to_numpy() for i in range(2))
        rows = TimedRows(tuple(columns), times, numbers).take(gone)
        nothing = np.zeros(len(gone), np.int64)
        self._keep(keys, found.owners[gone], rows, nothing, np.zeros(len(gone), np.bool_))


def _sub_keys(times: Index, numbers: Index | None = None) -> pa.Array:
    if numbers is None:
        numbers = np.full(len(times), -1)
    return pa.StructArray.from_arrays([pa.array(times), pa.array(numbers)], fields=list(_SUB_KEY))


def _dense(partitions: Index, epochs: Index) -> Index:
    """Numbers for the pairs, ascending as they do."""
    new = np.zeros(len(partitions), np.int64)
    new[1:] = (partitions[1:] != partitions[:-1]) | (epochs[1:] != epochs[:-1])
    return np.cumsum(new)
