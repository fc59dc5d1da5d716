"""Conversion of Arrow columns to Python values. Values that Python cannot hold become texts."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from firesteel.types.arrow_maps import pairs_in
from firesteel.types.sql import SqlType
from firesteel.types.text import render


def python_values(column: pa.Array | pa.ChunkedArray) -> list[Any]:
    """Return n values for a column of n rows. A date or time outside the years 1 to 9999 becomes its text."""
    try:
        values: list[Any] = column.to_pylist()
    except (ValueError, OverflowError):
        return [python_value(cell) for cell in column]
    return values


def python_value(cell: pa.Scalar) -> Any:
    """Return the Python value of a cell.

    A time outside the years 1 to 9999 becomes its text. A list, map or row with such a time becomes the name
    of its Arrow type in angle brackets.
    """
    try:
        return cell.as_py()
    except (ValueError, OverflowError):
        pass
    try:
        return cell.cast(pa.string()).as_py()
    except pa.ArrowNotImplementedError:  # Arrow casts no list, map or row to a string.
        return f"<{cell.type}>"


def python_values_or_texts(column: pa.Array | pa.ChunkedArray, kind: SqlType, time_zone: str) -> list[Any]:
    """Return n values for a column of n rows. A value with a date outside the years 1 to 9999 becomes a text.

    If an ARRAY, MAP or ROW has such a date, the whole value becomes the text that a printed result shows.
    This text has only the last four digits of a year, as in Flink.

    Args:
        column: The column.
        kind: Its type in SQL. A map becomes a list of pairs.
        time_zone: Time zone of TIMESTAMP_LTZ in the texts of ARRAYs, MAPs and ROWs.
    """
    try:
        return pairs_in(column.to_pylist(), column.type)
    except (ValueError, OverflowError):
        pass
    found: list[Any] = []
    for cell, text in zip(column, render(column, kind, time_zone), strict=True):
        try:
            found += pairs_in([cell.as_py()], column.type)
        except (ValueError, OverflowError):
            found.append(text if pa.types.is_nested(cell.type) else python_value(cell))
    return found
