"""Errors that name the row and column of a value that a sink's format or driver cannot write."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pyarrow as pa

from firesteel.changelog import field
from firesteel.connectors.print_format import lines
from firesteel.errors import DataError, FiresteelError
from firesteel.types.sql import SqlType

Write = Callable[[pa.Table], object]
_LONG = 300


def is_of_values(error: Exception) -> bool:
    """Return whether a value in the rows may have caused a write error.

    False for MemoryError, OSError and a FiresteelError other than DataError: they mean that the sink or the
    machine failed. True for DataError and for any other exception.
    """
    return not isinstance(error, (FiresteelError, MemoryError, OSError)) or isinstance(error, DataError)


def unwritable(
    error: Exception,
    table: str,
    columns: Sequence[tuple[str, SqlType]],
    changes: pa.Table,
    write: Write,
) -> DataError:
    """Return an error that names the row and column that cannot be written.

    The row is found by binary search: parts of the rows are written again.

    Args:
        error: The error of writing all rows.
        table: The path of the sink's table.
        columns: Name and type of the fields of `changes`.
        changes: The rows.
        write: Function that writes rows and discards the output. It raises an error if they cannot be
            written.

    Returns:
        An error that names the table, the row and, if a single value is the cause, its column.
    """
    low, high = 0, changes.num_rows
    while high - low > 1:
        middle = (low + high) // 2
        if _failure(changes.slice(low, middle - low), write) is not None:
            high = middle
        else:
            low = middle
    row = changes.slice(low, 1)
    found = _failure(row, write) or error
    reason = found.message if isinstance(found, FiresteelError) else f"{type(found).__name__}: {found}"
    shown = row_text(row, columns)
    culprit = _column(row, columns, write)
    column = "" if culprit is None else f", column {culprit}"
    hint = found.hint if isinstance(found, FiresteelError) else None
    return DataError(f"{table or 'the sink'}{column}: the row {shown} cannot be written: {reason}", hint=hint)


def row_text(row: pa.Table, columns: Sequence[tuple[str, SqlType]]) -> str:
    """Return a row as the print connector shows it, cut at 300 characters; "" if it cannot be shown."""
    try:
        (shown,) = lines(row, tuple(kind for _, kind in columns))
    except Exception:  # A value that cannot be written may not be printable either.
        return ""
    return shown if len(shown) <= _LONG else f"{shown[:_LONG]}..."


def _failure(changes: pa.Table, write: Write) -> Exception | None:
    try:
        write(changes)
    except Exception as error:
        return error
    return None


def _column(row: pa.Table, columns: Sequence[tuple[str, SqlType]], write: Write) -> str | None:
    """Return the name of the first column whose value keeps a row from being written; None if there is none.

    Each value in turn is replaced by NULL, and the row is written again. If the write then succeeds, this
    value is the cause. If two values are at fault, no write succeeds, and the result is None.
    """
    for place, (name, _) in enumerate(columns):
        at = row.column_names.index(field(place))
        kind = row.schema.field(at).type
        if row.column(at).null_count:
            continue
        without = row.set_column(at, field(place), pa.nulls(1, kind))
        if _failure(without, write) is None:
            return name
    return None
