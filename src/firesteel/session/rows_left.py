"""RowsLeft: the final rows after all changes, which are the result of a batch query."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from firesteel.changelog import KIND, field
from firesteel.runtime.columns.keys import Keys, find_keys
from firesteel.types.arrow import to_arrow
from firesteel.types.sql import BYTES_LIKE, CHARACTER, DATETIME, NUMERIC, SqlType, TypeRoot
from firesteel.types.text import render

_BINARY = (*NUMERIC, *CHARACTER, *BYTES_LIKE, *DATETIME, TypeRoot.BOOLEAN)
"""Types whose values are compared directly. Values of other types are compared by their text."""
_ROWS, _BYTES = 1 << 18, 64 << 20
"""Rows and bytes at which the buffer of changes is full. A full buffer is applied to the remaining rows.

If the remaining rows are more than _ROWS, their number is the limit of rows. The same applies to bytes.
"""
_ADDED = "$added"


class RowsLeft:
    """Rows that remain after the changes applied so far. A row may remain several times, as equal rows.

        +I a, +I a, +I b, +I b, -D b    ->    a, a, b

    The removal of a row that does not exist is ignored, as in Flink's client.

    `most` limits the rows, counting equal rows separately. If too many remain, the most recently added rows
    are dropped. Of equal rows, either all are kept or all are dropped. After the first drop, a change is
    applied only if its row equals a row that is kept. All other changes are ignored.

    Args:
        types: The types of the columns.
        most: Maximum number of rows to keep; fewer if so many rows have more than 64 MiB. None keeps all
            rows, whatever their size.
    """

    def __init__(self, types: Sequence[SqlType], most: int | None = None) -> None:
        self._types = tuple(types)
        self._most = most
        self.is_partial = False
        """Whether rows were left out because of the limit."""
        self._fields = [field(i) for i in range(len(types))]
        schema = pa.schema([(name, to_arrow(t)) for name, t in zip(self._fields, types, strict=True)])
        self._left = schema.append(pa.field(_ADDED, pa.int64())).empty_table()
        """The remaining rows, each with the number of the change that added it, sorted by that number."""
        self._waiting: list[pa.Table] = []
        self._rows = self._bytes = self._count = 0

    def apply(self, changes: pa.Table) -> None:
        """Apply the rows of a changes table (runtime/spec/operators.py)."""
        self._waiting.append(changes.select([KIND, *self._fields]))
        self._rows += changes.num_rows
        self._bytes += changes.nbytes
        if self._rows >= max(_ROWS, self._left.num_rows) or self._bytes >= max(_BYTES, self._left.nbytes):
            self._fold()

    def by_place(self) -> pa.Table:
        """Return the rows in the order of the changes that added them."""
        self._fold()
        return self._left.select(self._fields)

    def by_row(self) -> pa.Table:
        """Return the remaining rows, with equal rows one after the other.

        The groups of equal rows are sorted by the change that added the first row of the group.
        """
        self._fold()
        if not self._left.num_rows:
            return self._left.select(self._fields)
        keys = find_keys(self._compared(self._left), self._left.num_rows)
        first = keys.order[keys.starts]
        order = np.lexsort((np.arange(keys.rows), first[keys.codes]))
        return self._left.select(self._fields).take(pa.array(order))

    def _fold(self) -> None:
        """Apply the buffered changes to the remaining rows."""
        if not self._waiting:
            return
        new = pa.concat_tables(self._waiting, promote_options="none")
        self._waiting.clear()
        added = pa.array(np.arange(self._count, self._count + new.num_rows, dtype=np.int64))
        self._count += new.num_rows
        self._rows = self._bytes = 0
        kinds = np.concatenate([np.zeros(self._left.num_rows, np.int8), np.asarray(new.column(KIND))])
        rows = new.select(self._fields).append_column(_ADDED, added).cast(self._left.schema)
        rows = pa.concat_tables([self._left, rows])
        if rows.num_rows:
            keys = find_keys(self._compared(rows), rows.num_rows)
            kept = self._within(_kept(keys, (kinds == 0) | (kinds == 2)), keys, rows)
            self._left = rows.take(pa.array(kept)).combine_chunks()

    def _within(self, kept: NDArray[np.int64], keys: Keys, rows: pa.Table) -> NDArray[np.int64]:
        """Return the indices of the rows to keep within the limit.

        Args:
            kept: Indices of the rows that remain, ascending.
            keys: Keys of `rows` over all columns: equal rows have the same key.
            rows: The rows kept before, and then the changes.
        """
        if self._most is None:
            return kept
        codes = keys.codes
        if self.is_partial:
            known = np.zeros(len(keys), np.bool_)
            known[codes[: self._left.num_rows]] = True
            kept = kept[known[codes[kept]]]
        most = min(self._most, int(_BYTES / max(1.0, rows.nbytes / rows.num_rows)))
        if len(kept) <= most:
            return kept
        self.is_partial = True
        cut = np.zeros(len(keys), np.bool_)  # of a row, either all copies are kept or none
        cut[codes[kept[most:]]] = True
        return kept[:most][~cut[codes[kept[:most]]]]

    def _compared(self, rows: pa.Table) -> list[pa.Array | pa.ChunkedArray]:
        """Return columns that are equal if and only if the rows are equal."""
        columns = [rows.column(name) for name in self._fields]
        return [
            column if kind.root in _BINARY else pa.array(render(column, kind), pa.string())
            for column, kind in zip(columns, self._types, strict=True)
        ]


def _kept(keys: Keys, adds: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Return the indices of the changes that added the remaining rows, in ascending order.

    The copies of a row form a stack: a removal removes the newest copy. Let c be the height of the stack
    after each change of the row. The copy added at height c remains if the stack is never lower afterwards:

        change   +  +  -  +  -
        c        1  2  1  2  1
        left     x

    Args:
        keys: The changes grouped by equal rows.
        adds: bool[number of changes], whether each change adds its row.
    """
    adds = adds[keys.order]
    # A key stands for one distinct row. There are n changes, sorted by key.
    #
    #     height   added copies minus removed copies after each change, from -n to n. The height c differs: it
    #              is at least 0, because the removal of a row that does not exist is ignored.
    #     lowest   minimum of the key's `height` up to a change. If it is -k, k removals are ignored:
    #              c = height + k.
    #     later    minimum of the key's c from a change on.
    #
    # Both minima are taken over the changes of all keys in one pass. The minimum of one key must not affect
    # the next key. So an offset is added to the values of each key. `apart` grows by n + 1 from key to key:
    #
    #     lowest   first to last change, minimum of height - 2 * apart
    #     later    last to first change, minimum of c + apart
    #
    # With the offset, all values of a key are lower than all values of the keys before it in the pass.
    apart = keys.sorted_codes * (keys.rows + 1)
    total = np.cumsum(np.where(adds, 1, -1))
    before = np.append(0, total)[keys.starts]
    height = total - before[keys.sorted_codes]
    lowest = np.minimum.accumulate(height - 2 * apart) + 2 * apart
    height -= np.minimum(lowest, 0)  # removals of rows that do not exist do not count
    later = np.minimum.accumulate((height + apart)[::-1])[::-1] - apart
    return np.sort(keys.order[adds & (height <= later)])
