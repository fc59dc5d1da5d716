"""Casts that DuckDB does otherwise, and casts of rows, arrays and maps."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from firesteel.runtime.duck.registry import columnar
from firesteel.types.codec import decode
from firesteel.types.text import plain_values, writer


@columnar
def to_float(values: pa.Array) -> pa.Array:
    """DOUBLE to FLOAT: too great a number is infinite."""
    mask = np.asarray(values.is_null())
    numbers = np.asarray(values.fill_null(0.0), dtype=np.float64)
    with np.errstate(over="ignore"):
        return pa.array(numbers.astype(np.float32), mask=mask)


@columnar
def to_text(values: pa.Array, kind: pa.Array, zone: pa.Array) -> pa.Array:
    """Rows, arrays and maps as text; `kind` is their encoded type."""
    write = writer(decode(kind[0].as_py()), zone[0].as_py(), cast=True)
    return pa.array([None if v is None else write(v) for v in plain_values(values)], pa.string())
