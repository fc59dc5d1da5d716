"""Which rows are equal to each other, as numbers.

Flink: the RecordEqualiser that EqualiserCodeGenerator writes. Whole rows behind an exchange are compared by
their bytes: NULL is equal to NULL, NaN to NaN, 0.0 not to -0.0. Of a part of them, an upsert key, each
one is compared as a value: 0.0 is equal to -0.0, and NaN to nothing, not even to itself. (What lies within a
ROW, ARRAY or MAP is compared by its bytes.)
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from firesteel.runtime.columns.keys import find_keys


def equal_rows(columns: Sequence[pa.Array], rows: int) -> NDArray[np.int64]:
    """int64[rows]: numbers that are equal where whole rows of `columns` are."""
    return find_keys(columns, rows).codes


def equal_keys(columns: Sequence[pa.Array], rows: int) -> NDArray[np.int64]:
    """int64[rows]: the same for rows of which `columns` are a part."""
    alike = [_without_minus_zero(column) for column in columns]
    codes = find_keys(alike, rows).codes
    for column in columns:
        if pa.types.is_floating(column.type):
            nan = np.flatnonzero(pc.fill_null(pc.is_nan(column), False).to_numpy(zero_copy_only=False))
            codes[nan] = -1 - nan
    return codes


def _without_minus_zero(column: pa.Array) -> pa.Array:
    if not pa.types.is_floating(column.type):
        return column
    return pc.add(column, pa.scalar(0, column.type))
