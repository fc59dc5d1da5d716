"""OVER aggregates ordered by a column that is no time attribute.

A row that is added between others, or removed, changes the results of all later rows. Flink:
NonTimeRowsUnboundedPrecedingFunction, NonTimeRangeUnboundedPrecedingFunction. The frame is unbounded.

A batch reads the stored rows of its partitions. A version of a partition is its rows after some changes of
the batch (versions.py). The results of the rows of all versions are computed together. If all versions
together have more than MOST_ROWS rows, the batch is halved. As in Flink, the cost of a change grows with its
partition, unless the change adds a row after all others.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from firesteel.changelog import KIND, RowKind, field
from firesteel.runtime.aggregate.row_engine.handler import generate
from firesteel.runtime.columns.equal_rows import equal_rows
from firesteel.runtime.columns.keys import Keys, find_keys, one_array
from firesteel.runtime.columns.sorting import stable_order_by
from firesteel.runtime.dataflow.operator import Clock, Message, Operator, RowOperator
from firesteel.runtime.dataflow.retained_watermark import RetainedNumber
from firesteel.runtime.dataflow.sequence import concat, derived
from firesteel.runtime.operators.over.row_lifetimes import RowLifetimes
from firesteel.runtime.operators.over.version_results import VersionRows, changes_of, results_of
from firesteel.runtime.operators.over.versions import SortedRows, Versions
from firesteel.runtime.spec.over import SortedOverSpec
from firesteel.runtime.state.base import StateBackend
from firesteel.runtime.state.memory import memory_backend
from firesteel.runtime.state.order_codes import SortOrder
from firesteel.runtime.state.sort_parts import sort_parts, starts_anew, without_minus_zero
from firesteel.types.arrow import to_arrow
from firesteel.types.internal_values import one_chunk

Index = NDArray[np.int64]
Mask = NDArray[np.bool_]

_ORDERS = (SortOrder(), SortOrder())
_NAMES = ("value", "number")
MOST_ROWS = 1 << 20
"""Maximum rows in all versions of the partitions of a batch together. A batch that has more is halved.

A version of a partition is its rows after some of the changes of the batch (versions.py).
"""


@dataclass(frozen=True)
class _Batch:
    """n changes with the m stored rows of their partitions.

    Attributes:
        keys: Partitions of the changes.
        adds: bool[n], which changes add a row.
        fields: Fields of the changes, then of the stored rows, n + m rows each.
        owners: int64[n + m], index of each row's partition in `keys`.
        numbers: int64[n + m], arrival number of each row.
        rows: int64[s], number of the row at each place (its position by partition, sort key and arrival).
        lifetimes: Lifetimes of the rows.
        codes: int64[s], equal for rows with equal partitions and sort keys.
        versions: Versions of the partitions: their rows after the changes of the batch (versions.py).
    """

    keys: Keys
    adds: Mask
    fields: tuple[pa.Array, ...]
    owners: Index
    numbers: Index
    rows: Index
    lifetimes: RowLifetimes
    codes: Index
    versions: Versions


class SortedOver(RowOperator):
    """OVER aggregate ordered by a column that is no time attribute.

    Args:
        spec: Settings.
        state: State of the operator. None keeps the rows in this process.
    """

    def __init__(self, spec: SortedOverSpec, state: StateBackend | None) -> None:
        backend = memory_backend() if state is None else state
        self._spec = spec
        self._types = [to_arrow(kind) for kind in spec.aggregate.input_types[: spec.width]]
        kinds = (self._types[spec.sort], pa.int64())
        sub_key = pa.struct(list(zip(_NAMES, kinds, strict=True)))
        self._rows = backend.ordered(f"{spec.state_id}.rows.v1", sub_key, self._types, 0, _ORDERS)
        self._came = RetainedNumber(backend, f"{spec.state_id}.came.v1", 0)

    def changes(self, table: pa.Table, port: int = 0) -> Iterable[Message]:
        return self._pieces(table) if table.num_rows else ()

    def process(self, changes: pa.Table) -> pa.Table:
        pieces = list(self._pieces(changes)) if changes.num_rows else []
        if pieces:
            return concat(pieces)
        results = [to_arrow(call.type) for call in self._spec.aggregate.calls]
        nothing = [pa.nulls(0, kind) for kind in (*self._types, *results)]
        return derived(changes, np.zeros(0, np.int64), pa.array([], pa.int8()), nothing)

    def barrier(self) -> Iterable[Message]:
        self._came.save()
        return ()

    def _pieces(self, changes: pa.Table) -> Iterator[pa.Table]:
        batch = self._batch(changes)
        if batch.versions.size > MOST_ROWS and changes.num_rows > 1:
            half = changes.num_rows // 2
            yield from self._pieces(changes.slice(0, half))
            yield from self._pieces(changes.slice(half))
            return
        self._came.now += changes.num_rows
        rows = VersionRows.of(batch.versions)
        at = pa.array(batch.rows)
        fields = [column.take(at) for column in batch.fields]
        results = results_of(self._spec, rows, fields, batch.codes)
        kinds = one_chunk(changes.column(KIND)).to_numpy()
        sent = changes_of(batch.versions, rows, results, batch.adds, kinds)
        self._store(batch)
        at = pa.array(sent.places)
        columns = [*(column.take(at) for column in fields), *sent.results]
        yield derived(changes, sent.origins, pa.array(sent.kinds), columns)

    def _batch(self, changes: pa.Table) -> _Batch:
        """Read the stored rows, sort all rows and cut the changes into versions."""
        new = [one_array(changes.column(field(i))) for i in range(self._spec.width)]
        kinds = one_chunk(changes.column(KIND)).to_numpy()
        adds = (kinds == RowKind.INSERT) | (kinds == RowKind.UPDATE_AFTER)
        keys = find_keys([new[i] for i in self._spec.partition], changes.num_rows)
        stored = self._rows.entries(keys, np.arange(len(keys)), 0)
        arrivals = stored.sub_keys.field("number").to_numpy() if len(stored.owners) else np.zeros(0, np.int64)
        fields = tuple(
            pa.concat_arrays([mine, old]) if len(old) else mine
            for mine, old in zip(new, stored.columns, strict=True)
        )
        owners = np.concatenate([keys.codes, stored.owners])
        numbers = np.concatenate([self._came.now + np.arange(len(adds)), arrivals])
        lifetimes = RowLifetimes.of(equal_rows(fields, len(owners)), adds, arrivals)
        rows, codes = self._sorted(fields, owners, numbers, adds)
        begins = np.where(rows < len(adds), rows, -1)
        places = np.full(len(owners), -1, np.int64)
        places[rows] = np.arange(len(rows))
        subjects = np.where(lifetimes.subjects >= 0, places[lifetimes.subjects], -1)
        sorted_rows = SortedRows(owners[rows], codes, begins, lifetimes.ends[rows])
        versions = Versions.of(sorted_rows, subjects, adds, by_range=not self._spec.rows)
        return _Batch(keys, adds, fields, owners, numbers, rows, lifetimes, codes, versions)

    def _sorted(
        self, fields: Sequence[pa.Array], owners: Index, numbers: Index, adds: Mask
    ) -> tuple[Index, Index]:
        """Sort the stored and the added rows by partition, sort key and arrival.

        Returns:
            The number of each sorted row, and a code for each sorted row, int64[s] each. The codes ascend.
            They are equal for rows with equal partitions and sort keys.
        """
        there = np.concatenate([np.flatnonzero(adds), np.arange(len(adds), len(owners))])
        by = [owners, *sort_parts([without_minus_zero(fields[self._spec.sort])], _ORDERS[:1])]
        rows = there[stable_order_by(*(part[there] for part in by), numbers[there])]
        return rows, np.cumsum(starts_anew([part[rows] for part in by]), dtype=np.int64)

    def _store(self, batch: _Batch) -> None:
        """Write new rows to the state, and delete removed rows."""
        inputs = len(batch.adds)
        stays = batch.lifetimes.ends == inputs
        written = np.concatenate(
            [np.flatnonzero(batch.adds & stays[:inputs]), inputs + np.flatnonzero(~stays[inputs:])]
        )
        if not len(written):
            return
        at = pa.array(written)
        columns = [column.take(at) for column in batch.fields]
        values = without_minus_zero(columns[self._spec.sort])
        numbers = pa.array(batch.numbers[written])
        sub_keys = pa.StructArray.from_arrays([values, numbers], names=list(_NAMES))
        self._rows.put(batch.keys, batch.owners[written], sub_keys, columns, 0, stays[written])


def build(spec: SortedOverSpec, state: StateBackend | None, clock: Clock) -> Operator:
    return SortedOver(spec, state)


def code(spec: SortedOverSpec) -> Iterator[str]:
    yield f"-- SortedOver by column {spec.sort}, {'ROWS' if spec.rows else 'RANGE'} UNBOUNDED PRECEDING"
    yield generate(spec.aggregate).source.rstrip()
