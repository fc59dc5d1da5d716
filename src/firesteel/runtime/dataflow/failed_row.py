"""The row in which a function of the user's failed, for the message."""

from __future__ import annotations

from collections.abc import Callable

import pyarrow as pa

from firesteel.changelog import KIND, ORDER, PLACE, SHORT
from firesteel.errors import JobError

_LONG = 300


def in_row(error: JobError, changes: pa.Table, run: Callable[[pa.Table], object]) -> JobError:
    """The error with the row that makes `run` fail; as it is where it is no error of a user's function, or
    the function does not fail again."""
    if not _is_users(error):
        return error
    low, high = 0, changes.num_rows
    while high - low > 1:
        middle = (low + high) // 2
        if _fails(changes.slice(low, middle - low), run):
            high = middle
        else:
            low = middle
    again = high > low and _fails(changes.slice(low, 1), run)
    return with_row(error, changes, low) if again else error


def with_row(error: JobError, changes: pa.Table, index: int) -> JobError:
    """The error with a row, where it is one of a user's function."""
    from firesteel.functions.python.failures import UserFunctionError

    return error.in_row(row_text(changes, index)) if isinstance(error, UserFunctionError) else error


def _is_users(error: JobError) -> bool:
    from firesteel.functions.python.failures import UserFunctionError

    return isinstance(error, UserFunctionError)


def _fails(changes: pa.Table, run: Callable[[pa.Table], object]) -> bool:
    try:
        run(changes)
    except JobError:
        return True
    return False


def _text(cell: pa.Scalar) -> str:
    """A value; a point in time beyond Python's years as Arrow has it."""
    if not cell.is_valid:
        return "NULL"
    try:
        return str(cell.as_py())
    except (ValueError, OverflowError):
        return repr(cell)


def row_text(changes: pa.Table, index: int) -> str:
    """A row as `+I[1, abc]`."""
    row = changes.slice(index, 1)
    cells = [row.column(name)[0] for name in row.column_names if name not in (KIND, ORDER, PLACE)]
    text = ", ".join(map(_text, cells))
    text = text if len(text) <= _LONG else f"{text[:_LONG]}..."
    return f"{SHORT[row.column(KIND)[0].as_py()]}[{text}]"
