"""Rank: the first rows of each partition. Flink: AbstractTopNFunction and its subclasses.

All rows of a batch and the stored rows of their partitions are sorted once, by partition, sort key and
arrival. The position of a row in this order is its place. Then a kernel processes the batch row by row, and
writes which row is sent with which kind and rank (kernels/rank.py, kernels/rank_updates.py). At the end,
columns are taken by row number.

In these cases, the changes sent here lead to the answer of a batch query, and Flink's changes do not
(docs/compatibility.md):

- The first rank is above 1 (OFFSET), and the input has retractions or the output has no -U.
- The only row of a Top-1 is updated, and its sort key stays the same.
- The last rank is the value of a field of the rows, and it is above 100 or the input has updates.
- A row is retracted that does not exist.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from firesteel.changelog import KIND, RowKind, field
from firesteel.kernels.places import mask_of
from firesteel.runtime.columns.equal_rows import equal_rows
from firesteel.runtime.columns.keys import Keys, find_keys, one_array
from firesteel.runtime.dataflow.operator import Clock, Message, RowOperator
from firesteel.runtime.dataflow.retained_watermark import RetainedNumber
from firesteel.runtime.dataflow.sequence import concat, derived
from firesteel.runtime.operators.rank.current_top_n import (
    CurrentTopN,
    Sent,
    changes_of_rows,
    changes_of_updated_rows,
)
from firesteel.runtime.operators.rank.rank_ends import RankEnds
from firesteel.runtime.operators.rank.rank_places import RankPlaces
from firesteel.runtime.operators.rank.stored_rows import RankState, Retractions, StoredRows, TopRows
from firesteel.runtime.spec.rank import RankSpec, RankStrategy
from firesteel.runtime.state.base import StateBackend
from firesteel.runtime.state.memory import memory_backend
from firesteel.types.internal_values import one_chunk

Index = NDArray[np.int64]


class Rank(RowOperator):
    """Operator that sends the changes of the rows whose ranks are in a range.

    Args:
        spec: Settings.
        state: State of the operator. None keeps the rows in this process.
        clock: Processing time.
    """

    def __init__(self, spec: RankSpec, state: StateBackend | None, clock: Clock) -> None:
        backend = state if state is not None else memory_backend()
        self._spec = spec
        self._clock = clock
        self._ends = RankEnds(spec, backend)
        self._stored = _state(spec, backend)
        self._came = RetainedNumber(backend, f"{spec.state_id}.came.v1", 0)

    def changes(self, table: pa.Table, port: int = 0) -> Iterable[Message]:
        return self._pieces(table) if table.num_rows else ()

    def process(self, changes: pa.Table) -> pa.Table:
        """Return the changes to send for a batch, in the order of the input rows that cause them."""
        pieces = list(self._pieces(changes)) if changes.num_rows else []
        if pieces:
            return concat(pieces)
        fields = tuple(one_array(changes.column(field(i))) for i in range(len(self._spec.input_types)))
        return self._table(changes, fields, np.empty((0, 4), np.int64))

    def barrier(self) -> Iterable[Message]:
        self._came.save()
        return ()

    def _pieces(self, changes: pa.Table) -> Iterator[pa.Table]:
        now = self._clock()
        fields = [one_array(changes.column(field(i))) for i in range(len(self._spec.input_types))]
        keys = find_keys([fields[i] for i in self._spec.partition], changes.num_rows)
        kinds = one_chunk(changes.column(KIND)).to_numpy()
        adds = (kinds == RowKind.INSERT) | (kinds == RowKind.UPDATE_AFTER)
        ends = self._ends.of(keys, fields, now)
        gone = np.flatnonzero(~adds) if self._spec.strategy is RankStrategy.RETRACT else np.zeros(0, np.int64)
        at = pa.array(gone)
        taken = Retractions(keys.codes[gone], tuple(column.take(at) for column in fields))
        stored = self._stored.read(keys, ends, taken, now)
        places = RankPlaces.of(self._spec, fields, adds, keys, self._came.now, stored)
        self._came.now += changes.num_rows
        current = CurrentTopN.of(places, ends)
        for sent in self._changed(places, current, retracts=len(gone) > 0):
            yield self._table(changes, places.fields, sent)
        self._store(keys, places, current, now)

    def _changed(self, places: RankPlaces, current: CurrentTopN, retracts: bool) -> Iterator[Sent]:
        spec, rows = self._spec, len(places.slots)
        if spec.strategy is RankStrategy.UPDATE:
            identities = equal_rows([places.fields[i] for i in spec.row_key], rows)
            return changes_of_updated_rows(spec, places, current, identities)
        alike = equal_rows(places.fields, rows) if retracts else None
        return changes_of_rows(spec, places, current, alike)

    def _table(self, changes: pa.Table, fields: tuple[pa.Array, ...], sent: Sent) -> pa.Table:
        """Return the changes in `sent` as a changes table. `fields`: the input rows, then the stored rows."""
        at = pa.array(np.ascontiguousarray(sent[:, 2]))
        columns = [column.take(at) for column in fields]
        if self._spec.with_number:
            columns.append(pa.array(np.ascontiguousarray(sent[:, 3])))
        return derived(changes, sent[:, 0], pa.array(sent[:, 1].astype(np.int8)), columns)

    def _store(self, keys: Keys, places: RankPlaces, current: CurrentTopN, now: int) -> None:
        """Write new and updated rows to the state, and delete removed rows."""
        there = mask_of(current.words, len(places.rows))
        was = places.rows >= places.inputs
        changed = there & (current.rows < places.inputs)
        written = np.flatnonzero(changed | (was & ~there))
        if not len(written):
            return
        of, contents = places.rows[written], pa.array(current.rows[written])
        rows = StoredRows(
            places.owners[of], places.numbers[of], tuple(column.take(contents) for column in places.fields)
        )
        self._stored.write(keys, rows, now, there[written])


def _state(spec: RankSpec, backend: StateBackend) -> RankState:
    if spec.strategy is not RankStrategy.RETRACT:
        return TopRows(spec, backend)
    from firesteel.runtime.operators.rank.all_rows import AllRows

    return AllRows(spec, backend)


def build(spec: RankSpec, state: StateBackend | None, clock: Clock) -> RowOperator:
    if spec.strategy is RankStrategy.APPEND and not spec.sort:
        from firesteel.runtime.operators.rank.first_rows import FirstRows

        return FirstRows(spec, state, clock)
    return Rank(spec, state, clock)


def code(spec: RankSpec) -> Iterator[str]:
    sort = [f"{field(key)} {order}" for key, order in zip(spec.sort, spec.orders, strict=True)]
    by = ", ".join(map(field, spec.partition)) or "no key"
    end = spec.end if spec.end_field is None else field(spec.end_field)
    how = f" ({spec.strategy.value})"
    yield f"-- Rank {spec.start} to {end} of {by}, sorted by {', '.join(sort) or 'arrival'}{how}"
