"""Comparison of rows: each row gets a number, and two rows are equal if they have the same number.

Flink: the RecordEqualiser that EqualiserCodeGenerator writes. `equal_rows` compares whole rows by their
bytes: NULL equals NULL, NaN equals NaN, and 0.0 differs from -0.0.

`equal_keys` compares the columns of an upsert key as values: 0.0 equals -0.0, and NaN equals nothing, not
even itself. Values inside a ROW, ARRAY or MAP are compared by their bytes.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from firesteel.runtime.columns.keys import find_keys


def equal_rows(columns: Sequence[pa.Array], rows: int) -> NDArray[np.int64]:
    """Return a number for each row, int64[rows]. Two rows have the same number if their bytes are equal."""
    return find_keys(columns, rows).codes


def equal_keys(columns: Sequence[pa.Array], rows: int) -> NDArray[np.int64]:
    """Return a number for each row, int64[rows]. Rows have the same number if their upsert keys are equal.

    A key with a NaN equals no other key.
    """
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
