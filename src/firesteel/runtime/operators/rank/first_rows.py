"""The first rows of each partition in the order of arrival. The input has only inserts.

The state is the number of rows of each partition. Flink: AppendOnlyFirstNFunction, and AppendOnlyTopNFunction
without a sort key (LIMIT).
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from firesteel.changelog import RowKind, field
from firesteel.runtime.columns.keys import Keys, find_keys, one_array
from firesteel.runtime.dataflow.operator import Clock, RowOperator
from firesteel.runtime.dataflow.sequence import derived
from firesteel.runtime.operators.rank.rank_ends import RankEnds
from firesteel.runtime.spec.rank import RankSpec
from firesteel.runtime.state.base import StateBackend
from firesteel.runtime.state.memory import memory_backend
from firesteel.types.arrow import to_arrow

Index = NDArray[np.int64]


class FirstRows(RowOperator):
    """Operator that sends the rows whose rank by arrival is in the range as +I, and drops all others.

    Args:
        spec: Settings. The sort key is empty, and the strategy is APPEND: the input has only inserts.
        state: State of the operator. None keeps the numbers in this process.
        clock: Processing time.
    """

    def __init__(self, spec: RankSpec, state: StateBackend | None, clock: Clock) -> None:
        backend = state if state is not None else memory_backend()
        self._spec = spec
        self._clock = clock
        key_types = [to_arrow(spec.input_types[i]) for i in spec.partition]
        self._counts = backend.value(f"{spec.state_id}.count.v1", key_types, [pa.int64()], spec.ttl)
        self._ends = RankEnds(spec, backend)

    def process(self, changes: pa.Table) -> pa.Table:
        """Return the rows whose rank is in the range, in input order."""
        now, rows = self._clock(), changes.num_rows
        fields = [one_array(changes.column(field(i))) for i in range(len(self._spec.input_types))]
        keys = find_keys([fields[i] for i in self._spec.partition], rows)
        stored = np.array(self._counts.get(keys, now).columns[0].fill_null(0).to_numpy(zero_copy_only=False))
        ends = self._ends.of(keys, fields, now)
        ranks = np.empty(rows, np.int64)
        behind = np.arange(1, rows + 1) + np.repeat(stored - keys.starts, keys.counts)
        ranks[keys.order] = behind
        self._store(keys, stored, ends, now)
        at = np.flatnonzero((ranks >= self._spec.start) & (ranks <= ends[keys.codes]))
        taken = pa.array(at)
        columns = [column.take(taken) for column in fields]
        if self._spec.with_number:
            columns.append(pa.array(ranks[at]))
        return derived(changes, at, pa.array(np.full(len(at), RowKind.INSERT, np.int8)), columns)

    def _store(self, keys: Keys, stored: Index, ends: Index, now: int) -> None:
        counts = np.maximum(np.minimum(stored + keys.counts, ends), stored)
        owners = np.flatnonzero(counts != stored)
        if len(owners):
            self._counts.put(keys, owners, [pa.array(counts[owners])], now)
