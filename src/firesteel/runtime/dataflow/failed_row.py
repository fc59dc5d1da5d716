"""Find the row in which an operator failed, for the error message."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import pyarrow as pa

from firesteel.changelog import KIND, SEQUENCE, SHORT, SUB_SEQUENCE
from firesteel.errors import JobError
from firesteel.functions.duckdb.calc_spec import CalcSpec
from firesteel.types.python_values import python_value

_LONG = 300


@dataclass(frozen=True)
class FailedCalc:
    """A Calc and the row for which one of its expressions failed.

    Attributes:
        spec: The Calc.
        row: Table of one row, the Calc's input.
    """

    spec: CalcSpec
    row: pa.Table


def failing_row(changes: pa.Table, run: Callable[[pa.Table], object]) -> pa.Table:
    """Return a table of the first row that makes `run` fail, by bisection. Empty if no row fails again."""
    low, high = 0, changes.num_rows
    while high - low > 1:
        middle = (low + high) // 2
        if _fails(changes.slice(low, middle - low), run):
            high = middle
        else:
            low = middle
    again = high > low and _fails(changes.slice(low, 1), run)
    # The row is copied, not sliced: if an error with a slice is pickled, pickle writes all rows of the table.
    return changes.take([low] if again else pa.array([], pa.int64()))


def with_row(error: JobError, changes: pa.Table, index: int) -> JobError:
    """Return the error with the text of row `index` of `changes` added, unless the error has a row."""
    return error.in_row(row_text(changes, index))


def with_key(error: JobError, columns: Sequence[pa.Array], index: int) -> JobError:
    """Return the error with the text of a key added. An error that has a row or a key stays as it is.

    Use this function if it is not known which row caused the error, but the key of this row is.

    Args:
        error: The error.
        columns: Key columns. Without GROUP BY there are none, and the error stays as it is.
        index: Row of `columns` with the key.
    """
    key = ", ".join(value_text(column[index]) for column in columns)
    return error.in_row(f"of the key [{key}]") if columns else error


def _fails(changes: pa.Table, run: Callable[[pa.Table], object]) -> bool:
    try:
        run(changes)
    except JobError:
        return True
    return False


def value_text(cell: pa.Scalar) -> str:
    """Return a value as text: Python's `str` of it, and `NULL` for NULL."""
    return str(python_value(cell)) if cell.is_valid else "NULL"


def row_text(changes: pa.Table, index: int) -> str:
    """Return a row as text, such as `+I[1, abc]`."""
    row = changes.slice(index, 1)
    cells = [row.column(name)[0] for name in row.column_names if name not in (KIND, SEQUENCE, SUB_SEQUENCE)]
    text = ", ".join(map(value_text, cells))
    text = text if len(text) <= _LONG else f"{text[:_LONG]}..."
    return f"{SHORT[row.column(KIND)[0].as_py()]}[{text}]"
