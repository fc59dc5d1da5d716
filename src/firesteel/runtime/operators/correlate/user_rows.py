"""Call user-defined table functions in Python (PyFlink: TableFunctionOperation).

The user's function is called row by row. Its rows are collected in columns.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from types import GeneratorType
from typing import Any

import numpy as np
import pyarrow as pa

from firesteel.functions.python.failures import UserFunctionError, failed, wrong_row, wrong_type
from firesteel.functions.python.load import function_of
from firesteel.functions.python.values import column_of, is_of_type, values_of
from firesteel.functions.python.wrappers import TableUdf
from firesteel.runtime.dataflow.failed_row import with_row
from firesteel.runtime.operators.correlate.rows import FunctionRows
from firesteel.types.arrow import to_arrow
from firesteel.types.internal_values import one_chunk
from firesteel.types.sql import SqlType
from firesteel.types.user_function import UserFunction

_NOT_OF_TYPE = (TypeError, ValueError, ArithmeticError, AttributeError, pa.ArrowException)


def user_rows(
    function: UserFunction,
    changes: pa.Table,
    arguments: Sequence[pa.ChunkedArray],
    types: Sequence[SqlType],
) -> FunctionRows:
    """Return the rows that a function returns for each row of a batch.

    Args:
        function: The function.
        changes: The batch, n rows, for errors.
        arguments: Columns of the arguments, n values each.
        types: Types of the function's columns.

    Raises:
        JobError: The function fails, or returns a row with a wrong number of values or a wrong type.
    """
    found = function_of(function)
    assert isinstance(found, TableUdf)
    columns = [values_of(_without_zone(one_chunk(column))) for column in arguments]
    calls = list(zip(*columns, strict=True)) if columns else [()] * changes.num_rows
    at: list[int] = []
    rows: list[Sequence[Any]] = []
    for number, args in enumerate(calls):
        try:
            given = [*_rows(function.name, args, found.call(*args), len(types))]
        except UserFunctionError as error:
            raise with_row(error, changes, number) from None
        except Exception as error:
            raise with_row(failed(function.name, args, error), changes, number) from error
        rows += given
        at += [number] * len(given)
    made = []
    for place, kind in enumerate(map(to_arrow, types)):
        values = [row[place] for row in rows]
        try:
            made.append(column_of(values, kind))
        except _NOT_OF_TYPE:
            bad = next(i for i, value in enumerate(values) if not is_of_type(value, kind))
            wrong = wrong_type(function.name, calls[at[bad]], values[bad], kind)
            raise with_row(wrong, changes, at[bad]) from None
    return FunctionRows(np.array(at, np.int64), tuple(made))


def _without_zone(column: pa.Array) -> pa.Array:
    """Return a column without its time zone: user-defined functions get naive datetimes in UTC."""
    if pa.types.is_timestamp(column.type) and column.type.tz is not None:
        column = column.cast(pa.timestamp(column.type.unit))
    return column


def _rows(name: str, args: Sequence[Any], result: Any, width: int) -> Iterator[Sequence[Any]]:
    """Yield the rows in the result of a user-defined table function. None has no rows.

    A list, a range or a generator contains rows. Any other value is one row. A row that is not a tuple has
    one column.

    Args:
        name: Name of the function, for errors.
        args: Arguments of the call, for errors.
        result: Result of the call.
        width: Number of columns of the function.

    Raises:
        UserFunctionError: A row does not have `width` values.
    """
    if result is None:
        return
    several = isinstance(result, (list, range, GeneratorType))
    rows: Iterable[Any] = result if several else (result,)
    for value in rows:
        row = value if isinstance(value, tuple) else (value,)
        if len(row) != width:
            raise wrong_row(name, args, value, width)
        yield row
