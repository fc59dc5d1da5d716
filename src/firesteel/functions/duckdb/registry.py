"""Python functions that DuckDB calls where it has none with Flink's meaning.

A function is a plain Python function in `library/<module>.py`, named
`<module>.<name>`. It is given one value per argument, in Flink's internal form (DATE: days, TIME
and TIMESTAMP: microseconds, or nanoseconds above precision 6; MAP: its pairs), is not called where
an argument is NULL, and gives back a value in the same form. `@nullable` lets NULLs through,
`@columnar` marks one that takes and gives Arrow arrays.

A CalcSpec names them by signature: `<module>.<name>|<argument type>|...|<result type>`, in DuckDB's
type names; after the name come `#` and a number where names of fields are part of these. That text is
also the name under which DuckDB knows the function.
"""

from __future__ import annotations

import importlib
import threading
from collections.abc import Callable, Sequence
from functools import partial
from inspect import Parameter, Signature
from typing import Any, TypeVar

import duckdb
import pyarrow as pa

from firesteel.errors import FiresteelError, JobError
from firesteel.types.arrow_maps import pairs_in
from firesteel.types.duckdb import arrow_of

F = TypeVar("F", bound=Callable[..., Any])
_raised = threading.local()


def nullable(function: F) -> F:
    """Mark a function that wants to see NULLs, as None."""
    function.nullable = True  # type: ignore[attr-defined]
    return function


def columnar(function: F) -> F:
    """Mark a function that takes Arrow arrays and gives one back."""
    function.columnar = True  # type: ignore[attr-defined]
    return function


def with_result(function: F) -> F:
    """Mark a function that wants the Arrow type of its result as its first argument."""
    function.with_result = True  # type: ignore[attr-defined]
    return function


def volatile(function: F) -> F:
    """Mark a function that may give another answer for the same arguments."""
    function.volatile = True  # type: ignore[attr-defined]
    return function


def register(connection: duckdb.DuckDBPyConnection, signature: str) -> None:
    """Make the function of a signature known to the connection."""
    name, *types = signature.split("|")
    module, _, attribute = name.partition("#")[0].partition(".")
    function = getattr(importlib.import_module(f"firesteel.functions.duckdb.library.{module}"), attribute)
    *arguments, result = types
    run = function if getattr(function, "columnar", False) else _by_value(function, arrow_of(result))
    create(connection, signature, run, arguments, result, getattr(function, "volatile", False))


def create(
    connection: duckdb.DuckDBPyConnection,
    signature: str,
    run: Callable[..., pa.Array],
    arguments: Sequence[str],
    result: str,
    side_effects: bool,
) -> None:
    """Make a function over Arrow columns known under its signature; what it raises is kept for
    `take_error`."""
    call = _guarded(run)
    # DuckDB counts the parameters of a Python function: it wants as many as there are types
    call.__signature__ = Signature(  # type: ignore[attr-defined]
        [Parameter(f"a{i}", Parameter.POSITIONAL_ONLY) for i in range(len(arguments))]
    )
    connection.create_function(  # type: ignore[call-overload]  # which know no columns, and no names of kinds
        signature,
        call,
        [connection.type(a) for a in arguments],
        connection.type(result),
        type="arrow",
        null_handling="special",
        side_effects=side_effects,
    )


def take_error() -> FiresteelError | None:
    """The error that a Python function raised last in this thread; DuckDB itself keeps only its text."""
    error: FiresteelError | None = getattr(_raised, "error", None)
    _raised.error = None
    return error


def _guarded(run: Callable[..., pa.Array]) -> Callable[..., pa.Array]:
    def call(*columns: pa.Array) -> pa.Array:
        try:
            return run(*columns)
        except FiresteelError as error:
            _raised.error = error
            raise
        except MemoryError:
            _raised.error = JobError(
                "A function's result is larger than the memory", hint="WHERE can leave such rows out"
            )
            raise
        except (ArithmeticError, LookupError, TypeError, ValueError, pa.ArrowException) as error:
            _raised.error = JobError(
                f"A function cannot compute a value: {str(error) or type(error).__name__}",
                hint="a value is outside what Firesteel holds; TRY_CAST and WHERE can leave it out",
            )
            raise

    return call


def _by_value(function: Callable[..., Any], result: pa.DataType) -> Callable[..., pa.Array]:
    sees_nulls = getattr(function, "nullable", False)
    if getattr(function, "with_result", False):
        function = partial(function, result)

    def call(*columns: pa.Array) -> pa.Array:
        rows = zip(*map(_values, columns), strict=True)
        if sees_nulls:
            return _array([function(*row) for row in rows], result)
        return _array([None if None in row else function(*row) for row in rows], result)

    return call


def _values(column: pa.Array | pa.ChunkedArray) -> list[Any]:
    kind = column.type
    if pa.types.is_timestamp(kind) or pa.types.is_time(kind):
        column = column.cast(pa.int64())
    elif pa.types.is_date(kind):
        column = column.cast(pa.int32())
    return pairs_in(column.to_pylist(), kind)


def _array(values: list[Any], kind: pa.DataType) -> pa.Array:
    inner = all(v is None or isinstance(v, int) for v in values)  # else Python's own, out of an array
    if inner and (pa.types.is_timestamp(kind) or pa.types.is_time(kind)):
        return pa.array(values, pa.int64()).cast(kind)
    if inner and pa.types.is_date(kind):
        return pa.array(values, pa.int32()).cast(kind)
    return pa.array(values, kind)
