"""Scalar user-defined functions, called by DuckDB with Arrow columns.

A signature is `<name>|<argument type>|...|<result type>` in DuckDB's type names, as in registry.py. To call a
function without arguments, DuckDB passes one column, of which only the length is used: the number of rows.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import duckdb
import pyarrow as pa

from firesteel.errors import JobError
from firesteel.functions.duckdb.registry import create
from firesteel.functions.python.failures import failed, wrong_type
from firesteel.functions.python.load import function_of
from firesteel.functions.python.series import from_series, to_series
from firesteel.functions.python.values import column_of, is_of_type, values_of
from firesteel.functions.python.wrappers import ScalarUdf
from firesteel.types.arrow_decimals import at_scale
from firesteel.types.arrow_maps import as_maps
from firesteel.types.duckdb import arrow_of
from firesteel.types.user_function import UserFunction

NO_ARGUMENTS = "()"
"""Suffix of the name of a function that is called without arguments."""

_NOT_OF_TYPE = (TypeError, ValueError, ArithmeticError, AttributeError, pa.ArrowException)


def register_user(connection: duckdb.DuckDBPyConnection, signature: str, function: UserFunction) -> None:
    """Register a user-defined function. It is loaded on the first call."""
    name, *types = signature.split("|")
    *arguments, result = types
    counts_rows = name.endswith(NO_ARGUMENTS)
    kind = arrow_of(result)

    def call(*columns: Any) -> pa.Array:
        found = function_of(function)
        assert isinstance(found, ScalarUdf)
        given = () if counts_rows else columns
        if found.func_type == "general":
            return _by_row(function.name, found.call, given, len(columns[0]), kind)
        return _by_column(function.name, found, given, len(columns[0]), kind)

    create(connection, signature, call, arguments, result, side_effects=True)


def _by_row(
    name: str, call: Callable[..., Any], columns: Sequence[Any], count: int, kind: pa.DataType
) -> pa.Array:
    rows = list(zip(*map(values_of, columns), strict=True)) if columns else [()] * count
    results = []
    for row in rows:
        try:
            results.append(call(*row))
        except Exception as error:
            raise failed(name, row, error) from error
    try:
        return column_of(results, kind)
    except _NOT_OF_TYPE:
        at = next(i for i, value in enumerate(results) if not is_of_type(value, kind))
        raise wrong_type(name, rows[at], results[at], kind) from None


def _by_column(
    name: str, found: ScalarUdf, columns: Sequence[Any], count: int, kind: pa.DataType
) -> pa.Array:
    arrays = [as_maps(c.combine_chunks() if isinstance(c, pa.ChunkedArray) else c) for c in columns]
    try:
        if found.func_type == "pandas":
            result = from_series(found.call(*map(to_series, arrays)))
        else:
            result = found.call(*arrays)
    except Exception as error:
        raise failed(name, [f"{array.type}[{count}]" for array in arrays], error) from error
    return _checked(name, result, count, kind)


def _checked(name: str, result: Any, count: int, kind: pa.DataType) -> pa.Array:
    """Return the result of a function over columns as an Arrow array of type `kind`.

    Raises:
        UserFunctionError: The result is not of this type.
        JobError: The result does not have `count` values, one for each row.
    """
    if isinstance(result, pa.ChunkedArray):
        result = result.combine_chunks()
    try:
        if isinstance(result, pa.Array):
            is_decimal = pa.types.is_decimal(kind) and pa.types.is_decimal(result.type)
            array = at_scale(result, kind) if is_decimal else result.cast(kind)
        else:
            array = pa.array(result, kind)
    except _NOT_OF_TYPE:
        raise wrong_type(name, None, getattr(result, "type", type(result).__name__), kind) from None
    if len(array) != count:
        raise JobError(f"Function {name} gave {len(array)} values for {count} rows")
    return array
