"""Casts that DuckDB does otherwise, and casts of rows, arrays and maps."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from firesteel.runtime.duck.registry import columnar


@columnar
def to_float(values: pa.Array) -> pa.Array:
    """DOUBLE to FLOAT: too great a number is infinite."""
    mask = np.asarray(values.is_null())
    numbers = np.asarray(values.fill_null(0.0), dtype=np.float64)
    with np.errstate(over="ignore"):
        return pa.array(numbers.astype(np.float32), mask=mask)
