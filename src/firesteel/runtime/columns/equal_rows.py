"""Comparison of rows, by numbers that are equal if the rows are equal.

Flink: the RecordEqualiser that EqualiserCodeGenerator writes. Whole rows after an exchange are compared by
their bytes: NULL equals NULL, NaN equals NaN, and 0.0 differs from -0.0.

The columns of an upsert key are compared as values: 0.0 equals -0.0, and NaN equals nothing, not even itself.
Values inside a ROW, ARRAY or MAP are compared by their bytes.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from firesteel.runtime.columns.keys import find_keys


def equal_rows(columns: Sequence[pa.Array], rows: int) -> NDArray[np.int64]:
    """Return numbers that are equal for equal rows, int64[rows]."""
    return find_keys(columns, rows).codes


def equal_keys(columns: Sequence[pa.Array], rows: int) -> NDArray[np.int64]:
    """Return numbers that are equal for rows with equal upsert keys, int64[rows]."""
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
