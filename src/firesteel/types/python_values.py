"""Values of Arrow columns as Python values, also where Python has none."""

from __future__ import annotations

from typing import Any

import pyarrow as pa


def python_values(column: pa.Array | pa.ChunkedArray) -> list[Any]:
    """Return n values for a column of n rows. A date or time outside the years 1 to 9999 becomes its text."""
    try:
        values: list[Any] = column.to_pylist()
    except (ValueError, OverflowError):
        return [python_value(cell) for cell in column]
    return values


def python_value(cell: pa.Scalar) -> Any:
    """Return a value; the text of a time outside the years 1 to 9999, the type of a list with one."""
    try:
        return cell.as_py()
    except (ValueError, OverflowError):
        pass
    try:
        return cell.cast(pa.string()).as_py()
    except pa.ArrowNotImplementedError:  # Arrow writes no lists and rows.
        return f"<{cell.type}>"
