"""Casts where DuckDB's results differ from Flink's, and casts of rows, arrays and maps to text."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from firesteel.functions.duckdb.registry import columnar
from firesteel.types import primitive_text
from firesteel.types.codec import decode
from firesteel.types.text import plain_values, writer

text_of_double = primitive_text.double_text
text_of_float = primitive_text.float_text
text_of_day_time = primitive_text.day_time_text
text_of_year_month = primitive_text.year_month_text


def text_of_bytes(value: bytes) -> str:
    """Return the bytes decoded as UTF-8, with U+FFFD for invalid ones as in Java."""
    return value.decode("utf-8", "replace")


def text_of_time(micros: int, precision: int) -> str:
    return primitive_text.time_text(micros * 1000, precision)


def text_of_timestamp(value: int, precision: int, unit: int) -> str:
    """Return the text of the timestamp at `value` times `unit` nanoseconds, with `precision` digits."""
    return primitive_text.timestamp_text(value * unit, precision)


@columnar
def to_float(values: pa.Array) -> pa.Array:
    """Return DOUBLEs as FLOATs. Numbers that are too large become infinite."""
    mask = np.asarray(values.is_null())
    numbers = np.asarray(values.fill_null(0.0), dtype=np.float64)
    with np.errstate(over="ignore"):
        return pa.array(numbers.astype(np.float32), mask=mask)


@columnar
def to_text(values: pa.Array, kind: pa.Array, zone: pa.Array) -> pa.Array:
    """Return rows, arrays and maps as text.

    Args:
        values: The values.
        kind: Their SQL type, encoded as a text that is the same in every row.
        zone: Time zone of the session, the same in every row.
    """
    write = writer(decode(kind[0].as_py()), zone[0].as_py(), cast=True)
    return pa.array([None if v is None else write(v) for v in plain_values(values)], pa.string())
