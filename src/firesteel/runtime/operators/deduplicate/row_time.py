"""Deduplication that keeps the first or the last row of each key by row time.

The state is the kept row of each key. If the first row is kept, a row with an earlier time replaces it. If
the last row is kept, a row with an equal or later time replaces it. Each replacement is sent as an update.
Flink: RowTimeDeduplicateFunction, RowTimeMiniBatchDeduplicateFunction and
RowTimeMiniBatchLatestChangeDeduplicateFunction.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from firesteel.changelog import RowKind, field
from firesteel.kernels.deduplicate import DROPPED, NONE, keep_rows
from firesteel.kernels.types import given
from firesteel.runtime.columns.keys import Keys, find_keys, one_array
from firesteel.runtime.dataflow.event_time import milliseconds
from firesteel.runtime.dataflow.operator import Clock, RowOperator
from firesteel.runtime.dataflow.sequence import derived
from firesteel.runtime.spec.rank import DeduplicateSpec
from firesteel.runtime.state.base import Found, StateBackend
from firesteel.runtime.state.memory import memory_backend
from firesteel.types.arrow import to_arrow

Index = NDArray[np.int64]


class RowTimeDeduplicate(RowOperator):
    """Operator that sends +I for a new key, and -U and +U when another row is kept.

    Among rows of equal time, the order of arrival decides.

    Args:
        spec: Settings.
        state: State of the operator. None keeps the rows in this process.
        clock: Processing time.
    """

    def __init__(self, spec: DeduplicateSpec, state: StateBackend | None, clock: Clock) -> None:
        backend = state if state is not None else memory_backend()
        self._spec = spec
        self._clock = clock
        types = [to_arrow(kind) for kind in spec.input_types]
        self._kept = backend.value(f"{spec.state_id}.kept.v1", [types[i] for i in spec.keys], types, spec.ttl)

    def process(self, changes: pa.Table) -> pa.Table:
        """Return the changes that some rows cause, in the order of the rows."""
        if not changes.num_rows:
            return changes
        now, rows = self._clock(), changes.num_rows
        fields = self._fields(changes)
        keys = find_keys([fields[i] for i in self._spec.keys], rows)
        found = self._kept.get(keys, now)
        stored = np.where(found.found, rows + np.arange(len(keys)), NONE)
        before, kept = self._kept_rows(fields, keys, stored, found)
        new = np.flatnonzero((kept != NONE) & (kept < rows))
        if len(new):
            taken = pa.array(kept[new])
            self._kept.put(keys, new, [column.take(taken) for column in fields], now)
        return self._sent(changes, fields, found, before)

    def finish_bundle(self, changes: pa.Table) -> pa.Table:
        """Return the changes that a bundle causes.

        If spec.compact, only the first or last row of each key in the bundle is processed, else all rows are.
        """
        if not self._spec.compact:
            return self.process(changes)
        fields = self._fields(changes)
        keys = find_keys([fields[i] for i in self._spec.keys], changes.num_rows)
        _, kept = self._kept_rows(fields, keys, np.full(len(keys), NONE), None)
        return self.process(changes.take(pa.array(np.sort(kept))))

    def _fields(self, changes: pa.Table) -> list[pa.Array]:
        return [one_array(changes.column(field(i))) for i in range(len(self._spec.input_types))]

    def _kept_rows(
        self, fields: Sequence[pa.Array], keys: Keys, stored: Index, found: Found | None
    ) -> tuple[Index, Index]:
        """Decide which of n new rows become the kept row of their key, and which row each of these replaces.

        Args:
            fields: Columns of the new rows. The new rows have the numbers 0 to n - 1.
            keys: The g keys of the new rows.
            stored: int64[g], number of the row that each key has in the state, from n on. NONE for a key
                without a row in the state.
            found: The rows in the state, None if the state is not used.

        Returns:
            int64[n], for each new row the number of the row that it replaces. NONE if it is the first row of
            its key, DROPPED if it is not kept. Then int64[g], number of the row that each key keeps after
            all new rows.
        """
        time = self._spec.time
        stored_times = np.zeros(len(keys), np.int64) if found is None else milliseconds(found.columns[time])
        before, kept = np.empty(keys.rows, np.int64), np.empty(len(keys), np.int64)
        last = np.array([self._spec.keep_last])
        keep_rows(
            before, kept,
            *given(keys.order, keys.starts, milliseconds(fields[time]), stored, stored_times, last),
        )  # fmt: skip
        return before, kept

    def _sent(self, changes: pa.Table, fields: Sequence[pa.Array], found: Found, before: Index) -> pa.Table:
        spec = self._spec
        rows = np.flatnonzero(before != DROPPED)
        pairs = before[rows] != NONE if spec.emit_update_before else np.zeros(len(rows), np.bool_)
        origins = np.repeat(rows, 1 + pairs)
        first = np.cumsum(1 + pairs) - (1 + pairs)
        old = np.zeros(len(origins), np.bool_)
        old[first[pairs]] = True
        kinds = np.where(before[origins] == NONE, RowKind.INSERT, RowKind.UPDATE_AFTER).astype(np.int8)
        if not (spec.emit_update_before or spec.emit_insert):
            kinds[:] = RowKind.UPDATE_AFTER
        kinds[old] = RowKind.UPDATE_BEFORE
        contents = pa.array(np.where(old, before[origins], origins))
        columns = [
            (pa.concat_arrays([new, stored]) if old.any() else new).take(contents)
            for new, stored in zip(fields, found.columns, strict=True)
        ]
        return derived(changes, origins, pa.array(kinds), columns)
