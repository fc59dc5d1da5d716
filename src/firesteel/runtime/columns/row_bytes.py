"""Bytes of the rows of columns, to cut tables into pieces of bounded size."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

Index = NDArray[np.int64]

_OF_TEXT = (pa.types.is_string, pa.types.is_binary, pa.types.is_large_string, pa.types.is_large_binary)


def row_bytes(columns: Sequence[pa.Array], rows: int) -> Index:
    """Return about how many bytes each row takes, int64[rows], at least 1.

    The bytes of strings are exact. A nested value counts as the mean of its column.

    Args:
        columns: n rows each.
        rows: Number of rows.
    """
    sizes = np.ones(rows, np.int64)
    for column in columns:
        if any(is_text(column.type) for is_text in _OF_TEXT):
            sizes += pc.binary_length(column).fill_null(0).to_numpy(zero_copy_only=False) + 4
        elif pa.types.is_null(column.type):
            continue
        elif pa.types.is_primitive(column.type) or pa.types.is_decimal(column.type):
            sizes += -(-column.type.bit_width // 8)
        else:
            sizes += column.nbytes // max(1, rows)
    return sizes


def pieces(sizes: Index, most: int) -> Iterator[tuple[int, int]]:
    """Yield ranges [start, stop) of rows, none of them empty, of at most `most` bytes each.

    Args:
        sizes: int64[n], the bytes of each row.
        most: Maximum number of bytes of a range. A row with more bytes has a range of its own.
    """
    ends = np.cumsum(sizes)
    start = 0
    while start < len(sizes):
        before = int(ends[start - 1]) if start else 0
        stop = max(start + 1, int(np.searchsorted(ends, before + most, side="right")))
        yield start, stop
        start = stop
