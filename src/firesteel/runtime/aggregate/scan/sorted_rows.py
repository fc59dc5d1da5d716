"""Rows of a batch sorted by key."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from firesteel.changelog import KIND, field
from firesteel.runtime.aggregate.scan.column import Column, Mask, from_arrow
from firesteel.runtime.aggregate.scan.segments import Index
from firesteel.runtime.columns.keys import Keys, one_array
from firesteel.runtime.spec.operators import GroupAggregateSpec
from firesteel.types.sql import TypeRoot


class SortedRows:
    """n rows sorted by key. Rows of one key keep their order. All arrays are in this order."""

    def __init__(self, spec: GroupAggregateSpec, changes: pa.Table, keys: Keys) -> None:
        self.spec = spec
        self.keys = keys
        self._changes = changes
        self._arrays: dict[int, pa.Array] = {}
        self._columns: dict[int, Column] = {}

    def __len__(self) -> int:
        return self.keys.rows

    def signs(self) -> Index:
        """Return -1 for each row that is a retraction, 1 for each other row, int64[n]."""
        kinds = one_array(self._changes.column(KIND)).to_numpy()[self.keys.order]
        signs: Index = 1 - 2 * (kinds & 1).astype(np.int64)
        return signs

    def array(self, position: int) -> pa.Array:
        """Return the input field at `position`, with the values sorted by key."""
        if position not in self._arrays:
            column = one_array(self._changes.column(field(position)))
            self._arrays[position] = column.take(pa.array(self.keys.order))
        return self._arrays[position]

    def column(self, position: int) -> Column:
        """Return the input field at `position` as numbers, sorted by key."""
        if position not in self._columns:
            column, kind = one_array(self._changes.column(field(position))), self.spec.input_types[position]
            if kind.root is TypeRoot.DECIMAL:  # Convert from 16 bytes to 8 first, so less is moved.
                self._columns[position] = from_arrow(column, kind).take(self.keys.order)
            else:
                self._columns[position] = from_arrow(self.array(position), kind)
        return self._columns[position]

    def null(self, position: int) -> Mask | None:
        """Return which values of an input field are NULL, or None if no value is."""
        column = one_array(self._changes.column(field(position)))
        if not column.null_count:
            return None
        null: Mask = column.is_null().to_numpy(zero_copy_only=False)[self.keys.order]
        return null

    def passes(self, position: int | None) -> Mask | None:
        """Return the rows for which the field at `position` is TRUE, the condition of a FILTER.

        None if `position` is None, as without FILTER all rows pass.
        """
        if position is None:
            return None
        column = self.column(position)
        passed: Mask = column.values.astype(np.bool_) & ~column.is_null
        return passed
