"""Accumulators of windows: lifted from rows, merged, and what they come to, for many windows at once.

A window is a number here; whose it is and when it ends is the operator's. In columns where all calls have
such a form, else through the generated row handler.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from firesteel.runtime.accumulator_state import AccumulatorState
from firesteel.runtime.accumulators import HeapAccumulators
from firesteel.runtime.bundles.accumulators import lift, merge
from firesteel.runtime.bundles.by_row import KeyedRows, LocalRows
from firesteel.runtime.bundles.columns import AccumulatorColumns, arrow_type
from firesteel.runtime.bundles.keyed import KeyedMerge
from firesteel.runtime.handler import INSERT, generate
from firesteel.runtime.keys import Keys
from firesteel.runtime.map_view import Expiry
from firesteel.runtime.row_by_row import no_collections
from firesteel.runtime.running.column import NoRunningForm
from firesteel.runtime.running.net import NetChanges
from firesteel.runtime.running.plan import columnar_aggregates
from firesteel.runtime.sorting import stable_order
from firesteel.runtime.spec import GroupAggregateSpec, field
from firesteel.runtime.state.memory import memory_backend
from firesteel.types.arrow import to_arrow
from firesteel.types.sql import BIGINT

Index = NDArray[np.int64]
Mask = NDArray[np.bool_]


@dataclass(frozen=True)
class Accumulated:
    """m accumulators. windows: int64[m], whose each is. parts: their columns (bundles/columns.py)."""

    windows: Index
    parts: tuple[pa.Array, ...]

    def take(self, at: Index, windows: Index) -> Accumulated:
        """Those of the rows `at`, for other windows."""
        place = pa.array(at)
        return Accumulated(windows, tuple(part.take(place) for part in self.parts))

    def and_then(self, other: Accumulated) -> Accumulated:
        """These, then the others."""
        if not len(other.windows):
            return self
        pairs = zip(self.parts, other.parts, strict=True)
        return Accumulated(
            np.concatenate([self.windows, other.windows]), tuple(pa.concat_arrays(pair) for pair in pairs)
        )

    def table(self) -> pa.Table:
        """As the bundles' kernels take them."""
        columns = [pa.array(self.windows), *self.parts]
        return pa.Table.from_arrays(columns, names=[field(i) for i in range(len(columns))])


class WindowAccumulators:
    """aggregate: the calls over the rows. columnar: False sends everything through the row handler."""

    def __init__(self, aggregate: GroupAggregateSpec, columnar: bool = True) -> None:
        self._number = len(aggregate.input_types)
        self._spec = replace(
            aggregate, keys=(self._number,), input_types=(*aggregate.input_types, BIGINT), ttl=0
        )
        self._columns = AccumulatorColumns.of(self._spec)
        self._generated = generate(self._spec)
        self._aggregates = columnar_aggregates(self._spec) if columnar else None
        self._rows = LocalRows(self._spec, self._generated)
        self._handler = self._generated.create()

    @property
    def types(self) -> list[pa.DataType]:
        """Of the parts."""
        return [arrow_type(slot) for slot in self._columns.slots]

    def lift(self, changes: pa.Table, windows: Index) -> Accumulated:
        """The accumulators of rows, one for each window that has any. windows: int64[n], of each row."""
        if not len(windows):
            return Accumulated(windows, tuple(pa.nulls(0, kind) for kind in self.types))
        changes = changes.append_column(field(self._number), pa.array(windows))
        keys = numbered(windows)
        return Accumulated(keys.hash1.view(np.int64), tuple(self._lifted(changes, keys)))

    def merge(self, accumulated: Accumulated) -> Accumulated:
        """One accumulator for each window, by its number: its own merged as they stand."""
        keys = numbered(accumulated.windows)
        windows = keys.hash1.view(np.int64)
        if len(keys) == keys.rows:
            return accumulated.take(keys.order, windows)
        return Accumulated(windows, tuple(self._merged(accumulated.table(), keys)))

    def results(self, accumulated: Accumulated) -> tuple[Mask, list[pa.Array]]:
        """What the accumulators come to, one for each window and by its number: whether it has records, and
        the results of the calls."""
        if not len(accumulated.windows):
            return np.zeros(0, np.bool_), [pa.nulls(0, to_arrow(call.type)) for call in self._spec.calls]
        keys, table = numbered(accumulated.windows), accumulated.table()
        net = self._in_columns(table, keys)
        if net is None or not net.clean.all():
            heap = HeapAccumulators(Expiry(0))
            rows = KeyedRows(self._spec, self._generated, heap, Expiry(0), len(self._spec.calls))
            net = rows.merge(self._columns, table, keys)
        return net.outcomes == INSERT, list(net.after)

    def _lifted(self, changes: pa.Table, keys: Keys) -> Sequence[pa.Array]:
        if self._aggregates is not None:
            try:
                with np.errstate(over="ignore"):
                    accumulators = lift(self._spec, self._aggregates, changes, keys)
                    return accumulators.columns(self._columns.slots, len(keys))
            except NoRunningForm:
                pass
        return self._columns.from_rows(self._rows.fold(changes, keys), self._generated.slots)

    def _merged(self, table: pa.Table, keys: Keys) -> Sequence[pa.Array]:
        if self._aggregates is not None:
            try:
                with np.errstate(over="ignore"):
                    accumulators = merge(self._columns, self._spec, self._aggregates, table, keys)
                    return accumulators.columns(self._columns.slots, len(keys))
            except NoRunningForm:
                pass
        handler, merged = self._handler, []
        others = self._columns.to_rows(table.take(pa.array(keys.order)), self._generated.slots)
        with no_collections():
            for count in keys.counts.tolist():
                handler.reset_accumulators()
                for _ in range(count):
                    handler.merge(next(others))
                merged.append(handler.get_accumulators())
        return self._columns.from_rows(merged, self._generated.slots)

    def _in_columns(self, table: pa.Table, keys: Keys) -> NetChanges | None:
        """None where the row handler must do it."""
        if self._aggregates is None:
            return None
        state = AccumulatorState(self._spec, self._generated.slots, memory_backend())
        try:
            with np.errstate(over="ignore"):
                accumulators = merge(self._columns, self._spec, self._aggregates, table, keys)
                whole = KeyedMerge(self._spec, self._aggregates, state, keys, accumulators, 0)
                return whole.run(len(self._spec.calls))
        except NoRunningForm:
            return None


def numbered(windows: Index) -> Keys:
    """The windows of n rows as keys: their numbers stand for their hashes."""
    order = stable_order(windows)
    ordered = windows[order]
    starts = np.flatnonzero(np.diff(ordered, prepend=ordered[:1] - 1))
    numbers = ordered[starts]
    return Keys(
        (pa.array(numbers),), numbers.view(np.uint64), np.zeros(len(numbers), np.uint64), order, starts
    )
