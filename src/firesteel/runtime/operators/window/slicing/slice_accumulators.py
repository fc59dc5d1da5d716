"""Accumulators of numbered windows: adding rows to them, and merging several into one.

The operator that calls this module numbers the windows, and knows the key and the end of each. Many windows
are processed together (runtime/aggregate/reduce/accumulator_tables.py).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from firesteel.changelog import field
from firesteel.runtime.aggregate.reduce.accumulator_tables import AccumulatorTables, Results
from firesteel.runtime.columns.keys import Keys
from firesteel.runtime.columns.sorting import stable_order
from firesteel.runtime.spec.operators import GroupAggregateSpec
from firesteel.types.internal_values import one_chunk
from firesteel.types.sql import BIGINT

Index = NDArray[np.int64]


@dataclass(frozen=True)
class Accumulated:
    """Accumulators of numbered windows.

    Attributes:
        windows: int64[m], number of each accumulator's window.
        parts: Columns of the accumulators (runtime/aggregate/reduce/columns.py).
    """

    windows: Index
    parts: tuple[pa.Array, ...]


class WindowAccumulators:
    """Accumulators of aggregate calls, one for each numbered window.

    Args:
        aggregate: The aggregate calls.
        columnar: False processes everything with the row handler.
    """

    def __init__(self, aggregate: GroupAggregateSpec, columnar: bool = True) -> None:
        self._number = len(aggregate.input_types)
        by_number = replace(
            aggregate, keys=(self._number,), input_types=(*aggregate.input_types, BIGINT), ttl=0
        )
        self._partials = AccumulatorTables(by_number, len(aggregate.calls), columnar)

    @property
    def types(self) -> list[pa.DataType]:
        """Return the types of the columns of an accumulator."""
        types: list[pa.DataType] = self._partials.schema.types[1:]
        return types

    def add(self, known: Accumulated, changes: pa.Table, windows: Index) -> Accumulated:
        """Merge accumulators, add rows, and return one accumulator for each window, sorted by its number.

        Args:
            known: Accumulators, possibly several for one window.
            changes: n rows.
            windows: int64[n], number of each row's window.
        """
        table = self._table(known)
        table = self._partials.merged(table, numbered(known.windows))
        if not len(windows):
            return self._accumulated(table)
        rows = changes.append_column(field(self._number), pa.array(windows))
        keys = numbered(windows)
        if not table.num_rows:
            return self._accumulated(self._partials.of_rows(rows, keys))
        numbers = one_chunk(table.column(0)).to_numpy()
        place = np.minimum(np.searchsorted(numbers, keys.hash1.view(np.int64)), len(numbers) - 1)
        place = np.where(numbers[place] == keys.hash1.view(np.int64), place, -1)
        more = self._partials.added(rows, keys, table, place)
        left = np.ones(len(numbers), np.bool_)
        left[place[place >= 0]] = False
        whole = pa.concat_tables([table.filter(pa.array(left)), more])
        return self._accumulated(self._partials.merged(whole, numbered(whole.column(0).to_numpy())))

    def results(self, parts: tuple[pa.Array, ...], count: int) -> Results:
        """Return the results of `count` accumulators, one for each window."""
        return self._partials.results(self._table(Accumulated(np.arange(count), parts)))

    def _table(self, accumulated: Accumulated) -> pa.Table:
        columns = [pa.array(accumulated.windows), *accumulated.parts]
        return pa.Table.from_arrays(columns, names=self._partials.schema.names)

    def _accumulated(self, table: pa.Table) -> Accumulated:
        windows, *parts = map(one_chunk, table.columns)
        return Accumulated(windows.to_numpy(), tuple(parts))


def numbered(windows: Index) -> Keys:
    """Return n keys, one for each row, whose only content is the number of the row's window, as `hash1`.

    Args:
        windows: int64[n], number of each row's window.
    """
    order = stable_order(windows)
    ordered = windows[order]
    starts = np.flatnonzero(np.diff(ordered, prepend=ordered[:1] - 1))
    numbers = ordered[starts]
    second = np.zeros(len(numbers), np.uint64)
    return Keys((pa.array(numbers),), numbers.view(np.uint64), second, order, starts)
