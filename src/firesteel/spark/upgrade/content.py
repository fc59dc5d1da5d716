"""Content of a sink: the rows that are left after all changes that a query has sent it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from firesteel.changelog import KIND, RowKind, field
from firesteel.runtime.columns.keys import find_keys
from firesteel.types.arrow import to_arrow
from firesteel.types.sql import BYTES_LIKE, CHARACTER, DATETIME, NUMERIC, SqlType, TypeRoot
from firesteel.types.text import render

_BINARY = (*NUMERIC, *CHARACTER, *BYTES_LIKE, *DATETIME, TypeRoot.BOOLEAN)
"""Types whose values are compared directly. Values of other types, such as ARRAY, are compared as text."""
COUNT = "$count"
"""Column with the number of equal rows that a distinct row stands for, int64."""
_ADDS = (int(RowKind.INSERT), int(RowKind.UPDATE_AFTER))
_ROWS = 1 << 20
"""Least number of buffered changes at which they are applied to the distinct rows.

With d distinct rows, max(_ROWS, d) changes are buffered. To apply them, all d rows are copied. The buffer
grows with d, so the average time of a change stays the same.
"""


class Content:
    """Distinct rows that a sink has after all changes that were applied to this object.

    With a key, the sink has at most one row of each key: that of the key's last change, and none if the last
    change is a deletion. Without a key, equal rows are counted.

    Args:
        types: Types of the columns.
        key: Positions of the key's columns; () for none.
    """

    def __init__(self, types: Sequence[SqlType], key: Sequence[int]) -> None:
        self._types, self._key = tuple(types), tuple(key)
        self._fields = [field(i) for i in range(len(types))]
        kinds = [pa.field(name, to_arrow(kind)) for name, kind in zip(self._fields, types, strict=True)]
        self._rows = pa.schema([*kinds, pa.field(COUNT, pa.int64())]).empty_table()
        self._waiting: list[pa.Table] = []

    def apply(self, changes: pa.Table) -> None:
        """Apply the changes of a changes table (runtime/spec/operators.py), in the order of its rows."""
        counts = np.where(np.isin(changes[KIND].to_numpy(), _ADDS), 1, -1)
        rows = changes.select(self._fields).append_column(COUNT, pa.array(counts, pa.int64()))
        self._waiting.append(rows.cast(self._rows.schema))
        if sum(table.num_rows for table in self._waiting) >= max(_ROWS, self._rows.num_rows):
            self._fold()

    def rows(self) -> pa.Table:
        """Return the distinct rows that are left: columns f0, f1, ..., and COUNT.

        COUNT is the number of equal rows in the sink, at least 1. With a key, it is 1.
        """
        self._fold()
        return self._rows.filter(pc.greater(self._rows[COUNT], 0))

    def _fold(self) -> None:
        if not self._waiting:
            return
        rows = pa.concat_tables([self._rows, *self._waiting]).combine_chunks()
        self._waiting = []
        if not rows.num_rows:
            return
        wanted = self._key or range(len(self._types))
        keys = find_keys([compared(rows[field(i)], self._types[i]) for i in wanted], rows.num_rows)
        counts = rows[COUNT].to_numpy()
        last = keys.order[keys.starts + keys.counts - 1]
        left = counts[last].clip(0) if self._key else np.add.reduceat(counts[keys.order], keys.starts)
        kept = np.sort(last[left != 0])
        by_row: NDArray[np.int64] = np.zeros(rows.num_rows, np.int64)
        by_row[last] = left
        self._rows = (
            rows.select(self._fields).take(pa.array(kept)).append_column(COUNT, pa.array(by_row[kept]))
        )


def compared(column: pa.Array | pa.ChunkedArray, kind: SqlType) -> pa.Array | pa.ChunkedArray:
    """Return a column of hashable values that are equal exactly where the values of `column` are equal."""
    return column if kind.root in _BINARY else pa.array(render(column, kind), pa.string())
