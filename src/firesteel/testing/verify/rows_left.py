"""Merge of changes tables, and equality of their rows, computed with Arrow and numpy."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from firesteel.changelog import KIND, RowKind, field
from firesteel.runtime.columns.keys import find_keys
from firesteel.types.arrow import to_arrow
from firesteel.types.sql import APPROXIMATE, BYTES_LIKE, CHARACTER, DATETIME, NUMERIC, SqlType, TypeRoot
from firesteel.types.text import render

_BINARY = (*NUMERIC, *CHARACTER, *BYTES_LIKE, *DATETIME, TypeRoot.BOOLEAN)
"""Types whose values are compared directly. Values of other types are compared by their text."""
_DIGITS = 30
"""Significant bits of floating point numbers that are compared, about nine digits.

The lower bits of a sum depend on the order in which its numbers were added.
"""
_NUDGE = 1 + 1e-11
"""Factor that numbers are multiplied by before they are rounded to _DIGITS bits.

Without the factor, a number in the middle between two rounded numbers, such as an odd integer of 31 bits, can
be rounded up, and a number with another last bit down. The factor moves both past the middle.
"""


def as_table(tables: Sequence[pa.Table], types: Sequence[SqlType]) -> pa.Table:
    """Concatenate changes tables. The result has the row kind and the fields, but no sequences.

    Args:
        tables: The tables.
        types: Types of the fields, to which the columns are cast.
    """
    schema = pa.schema([(KIND, pa.int8()), *((field(i), to_arrow(kind)) for i, kind in enumerate(types))])
    parts = [table.select(schema.names).cast(schema) for table in tables if table.num_rows]
    return pa.concat_tables(parts).combine_chunks() if parts else schema.empty_table()


def weights(changes: pa.Table) -> NDArray[np.int64]:
    """Return 1 for each change that adds its row, and -1 for each that takes it away, int64[n]."""
    kinds = np.asarray(changes.column(KIND))
    adds = (kinds == RowKind.INSERT) | (kinds == RowKind.UPDATE_AFTER)
    return np.where(adds, 1, -1).astype(np.int64)


def last_by_key(changes: pa.Table, key: Sequence[int]) -> pa.Table:
    """Return the last change of each key, without the keys that are deleted.

    Args:
        changes: Changes that replace rows by key.
        key: Positions of the key.
    """
    if not changes.num_rows:
        return changes
    keys = find_keys([changes.column(field(i)) for i in key], changes.num_rows)
    last = keys.order[keys.starts + keys.counts - 1]
    rows = changes.take(pa.array(np.sort(last)))
    return rows.filter(pa.array(weights(rows) > 0))


def compared(rows: pa.Table, types: Sequence[SqlType]) -> list[pa.Array | pa.ChunkedArray]:
    """Return a column for each field. Two rows count as equal if and only if they agree in these columns."""
    return [_compared(rows.column(field(i)), kind) for i, kind in enumerate(types)]


def _compared(column: pa.ChunkedArray, kind: SqlType) -> pa.Array | pa.ChunkedArray:
    if kind.root in APPROXIMATE:
        return pa.array(_rounded(np.asarray(column.cast(pa.float64()).fill_null(0))), mask=_nulls(column))
    if kind.root in _BINARY:
        return column
    return pa.array(render(column, kind), pa.string(), mask=_nulls(column))


def _nulls(column: pa.ChunkedArray) -> NDArray[np.bool_]:
    return np.asarray(column.is_null())


def _rounded(values: NDArray[np.float64]) -> NDArray[np.float64]:
    with np.errstate(over="ignore", invalid="ignore"):
        mantissa, exponent = np.frexp(values * _NUDGE)
        rounded = np.ldexp(np.round(np.ldexp(mantissa, _DIGITS)), exponent - _DIGITS)
    return np.where(np.isfinite(rounded), rounded, values) + 0.0  # -0.0 counts as 0.0
