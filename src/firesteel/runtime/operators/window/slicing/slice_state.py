"""State of open slices: accumulators by end of the slice and by key."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa

from firesteel.changelog import field
from firesteel.runtime.aggregate.scan.column import Mask
from firesteel.runtime.aggregate.scan.segments import Index
from firesteel.runtime.columns.keys import Keys
from firesteel.runtime.state.base import Due, StateBackend
from firesteel.types.internal_values import one_chunk


@dataclass(frozen=True)
class Known:
    """Stored accumulators among g keys.

    Attributes:
        found: bool[g], whether each key is stored.
        table: Accumulators of the stored keys, in the order of the keys.
    """

    found: Mask
    table: pa.Table


class SliceState:
    """State of tables of accumulators whose last key is the slice's end.

    The format of the tables is that of runtime/aggregate/reduce/accumulator_tables.py.

    Args:
        backend: State of the operator.
        name: Name of the state.
        schema: Schema of the tables.
        width: Number of key columns.
    """

    def __init__(self, backend: StateBackend, name: str, schema: pa.Schema, width: int) -> None:
        self._schema, self._width = schema, width
        types = schema.types
        self._state = backend.times(name, types[: width - 1], types[width:])

    def load(self, keys: Keys) -> Known:
        """Return the stored accumulators of some keys."""
        found = self._state.get(_without_end(keys), np.arange(len(keys)), _ends(keys))
        there = pa.array(np.flatnonzero(found.found))
        columns = [column.take(there) for column in (*keys.columns, *found.columns)]
        return Known(found.found, pa.Table.from_arrays(columns, schema=self._schema))

    def put(self, keys: Keys, table: pa.Table) -> None:
        """Write the accumulators of some keys, given in the order of the keys."""
        if len(keys):
            parts = [one_chunk(table.column(i)) for i in range(self._width, table.num_columns)]
            self._state.put(_without_end(keys), np.arange(len(keys)), _ends(keys), parts)

    def read_until(self, end: int) -> pa.Table:
        """Return the accumulators of all slices up to and including an end, sorted by end."""
        return self._table(self._state.read_until(end))

    def next_end(self) -> int | None:
        """Return the end of the first slice, None if there is none."""
        return self._state.next_time()

    def drop_until(self, end: int) -> None:
        """Delete all slices up to and including an end."""
        self._state.drop_until(end)

    def _table(self, due: Due) -> pa.Table:
        columns: Sequence[pa.Array] = [*due.keys, pa.array(due.times), *due.columns]
        return pa.Table.from_arrays(columns, schema=self._schema)


def ends_of(table: pa.Table, width: int) -> Index:
    """Return the ends of the slices of accumulators."""
    ends: Index = one_chunk(table.column(field(width - 1))).to_numpy()
    return ends


def _ends(keys: Keys) -> Index:
    ends: Index = keys.columns[-1].to_numpy()
    return ends


def _without_end(keys: Keys) -> Keys:
    return replace(keys, columns=keys.columns[:-1])
