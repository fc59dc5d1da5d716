"""Lookups in a table that is read whole each time, such as files without an index."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pyarrow as pa

from firesteel.changelog import field
from firesteel.connectors.base import Source
from firesteel.connectors.lookup.row_index import RowIndex
from firesteel.runtime.columns.keys import one_array
from firesteel.runtime.operators.lookup_join.lookup import FoundRows
from firesteel.runtime.spec.lookup_join import LookupTable
from firesteel.types.arrow import to_arrow


class ScannedTable:
    """Lookup that reads all rows of a source at each call.

    Args:
        table: The table and its keys.
        open_source: Function that returns a new source of the table, which reads the table's current rows.
    """

    def __init__(self, table: LookupTable, open_source: Callable[[], Source]) -> None:
        self._table = table
        self._open = open_source

    def find(self, keys: Sequence[pa.Array]) -> FoundRows:
        return self.read().find(keys)

    def read(self) -> RowIndex:
        """Return all rows that the table has now, indexed by key."""
        source = self._open()
        tables = [changes for split in source.splits(1) for changes in source.read(split)]
        kinds = [to_arrow(kind) for kind in self._table.types]
        return RowIndex([_column(tables, i, kind) for i, kind in enumerate(kinds)], self._table.keys)


def _column(tables: Sequence[pa.Table], position: int, kind: pa.DataType) -> pa.Array:
    if not tables:
        return pa.nulls(0, kind)
    return one_array(pa.chunked_array([c for t in tables for c in t.column(field(position)).chunks], kind))
