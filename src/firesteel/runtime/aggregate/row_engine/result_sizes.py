"""Pieces of a batch whose results have a bounded number of bytes.

LISTAGG, ARRAY_AGG and their like return all values of a key. Record by record, n rows of one key have results
of n*n/2 values together: 20,000 texts of 6 characters have 1.4 GB of results. The results of a batch are
therefore made and sent piece by piece.

The result after a row has at most as many bytes as the key's accumulator before the batch, plus the arguments
of the key's rows in the batch, from the first one to this row. Example: before the batch, the accumulator of
key a has 10 bytes, and key b has no accumulator.

    row  key  argument   result has at most
    1    a    3 bytes    10 + 3 = 13 bytes
    2    b    2 bytes     0 + 2 =  2 bytes
    3    a    4 bytes    13 + 4 = 17 bytes
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from firesteel.changelog import field
from firesteel.runtime.columns.keys import Keys, one_array
from firesteel.runtime.columns.row_bytes import pieces, row_bytes
from firesteel.runtime.spec.operators import GroupAggregateSpec

Bytes = NDArray[np.int64]

RESULT_BYTES = 16 << 20
"""Maximum number of bytes of the results of a piece. A row with a larger result is a piece of its own."""


class GrowingResults:
    """Cutter of batches into pieces whose results have a bounded number of bytes.

    Args:
        spec: Settings of the aggregate.
    """

    def __init__(self, spec: GroupAggregateSpec) -> None:
        self._copies = 2 if spec.emit_update_before else 1
        self._arguments = [position for call in spec.growing_calls for position in spec.calls[call].args]

    def pieces(self, changes: pa.Table, keys: Keys, stored: Bytes) -> Iterator[tuple[int, int]]:
        """Return ranges [start, stop) of rows, so that no range has results of more than RESULT_BYTES.

        Args:
            changes: n rows.
            keys: Keys of the rows.
            stored: int64[g], bytes of the accumulator of each key before the rows.
        """
        columns = [one_array(changes.column(field(position))) for position in self._arguments]
        arguments = row_bytes(columns, changes.num_rows)[keys.order]
        running = np.cumsum(arguments)
        before = np.concatenate(([0], running))[keys.starts]
        by_key = running - before[keys.sorted_codes] + stored[keys.sorted_codes]
        sizes = np.empty_like(by_key)
        sizes[keys.order] = by_key * self._copies
        return pieces(sizes, RESULT_BYTES)


def column_bytes(column: pa.Array) -> Bytes:
    """Return the number of bytes of each value of a column, int64[n].

    A list has the bytes of its elements. (`row_bytes` would give each list the mean of its column.)
    """
    if not (pa.types.is_list(column.type) or pa.types.is_large_list(column.type)):
        return row_bytes([column], len(column))
    ends = np.concatenate(([0], np.cumsum(column_bytes(column.values))))
    offsets = column.offsets.to_numpy()
    sizes: Bytes = ends[offsets[1:]] - ends[offsets[:-1]]
    return sizes


def value_bytes(value: Any) -> int:
    """Return the approximate size in bytes of a Python value, once it is in a result column."""
    if value is None:
        return 0
    if isinstance(value, str | bytes):
        return len(value)
    if isinstance(value, Mapping):
        return sum(map(value_bytes, value.keys())) + 8 * len(value)
    if isinstance(value, list | tuple):
        return sum(map(value_bytes, value)) + 4 * len(value)
    return 8
