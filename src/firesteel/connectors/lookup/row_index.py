"""Index of a table's rows by key, in memory."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from firesteel.kernels.column_hashes import hash_columns
from firesteel.runtime.columns.keys import find_keys, one_array
from firesteel.runtime.operators.lookup_join.lookup import FoundRows, Index


class RowIndex:
    """Rows of a table, indexed by some of their columns.

    Args:
        columns: Columns of the rows, n values each.
        keys: Positions of the key columns.
    """

    def __init__(self, columns: Sequence[pa.Array], keys: Sequence[int]) -> None:
        rows = len(columns[0]) if columns else 0
        self._columns = tuple(columns)
        self._keys = find_keys([columns[key] for key in keys], rows)

    def find(self, keys: Sequence[pa.Array]) -> FoundRows:
        """Return the rows of each key, key by key, and within a key in the order of the table."""
        asked = [one_array(column) for column in keys]
        hash1, hash2 = hash_columns(asked, len(asked[0]))
        known = self._keys
        places = np.minimum(np.searchsorted(known.hash1, hash1), max(len(known) - 1, 0))
        is_there = np.zeros(len(places), np.bool_)
        if len(known):
            is_there = (known.hash1[places] == hash1) & (known.hash2[places] == hash2)
        asking = np.flatnonzero(is_there)
        return self._rows_of(asking, places[asking])

    def _rows_of(self, asking: Index, places: Index) -> FoundRows:
        """Return the table's rows for k keys. The index contains each of these keys.

        Args:
            asking: int64[k], ascending: position of each key among all keys of the request. The request may
                have more than k keys, as those that the index lacks are left out.
            places: int64[k], position of each key among the distinct keys of the index.
        """
        sizes = self._keys.counts[places]
        key = np.repeat(np.arange(len(places), dtype=np.int64), sizes)
        within = np.arange(len(key)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        rows = self._keys.order[self._keys.starts[places][key] + within]
        index = pa.array(rows)
        return FoundRows(asking[key], tuple(column.take(index) for column in self._columns))
