"""Registration of Python functions in DuckDB, for functions that DuckDB lacks or computes differently.

Each function is a plain Python function in `library/<module>.py`, named `<module>.<name>`. It receives one
value per argument and returns a value, both in Flink's internal form: DATE in days, TIME and TIMESTAMP in
microseconds (nanoseconds above precision 6), MAP as pairs. It is not called if an argument is NULL, unless it
is marked `@nullable`. A function marked `@columnar` receives and returns Arrow arrays. A function marked
`@in_columns` has a second form for a column whose other arguments are constant.

A CalcSpec refers to a function by its signature, `<module>.<name>|<argument type>|...|<result type>`, in
DuckDB's type names. If the types contain field names, `#` and a number follow the name. The signature is also
the function's name in DuckDB.
"""

from __future__ import annotations

import importlib
import re
import threading
from collections.abc import Callable, Sequence
from functools import partial
from inspect import Parameter, Signature
from typing import Any, TypeVar

import duckdb
import pyarrow as pa
import pyarrow.compute as pc

from firesteel.errors import FiresteelError, JobError
from firesteel.functions.duckdb.macros import BEFORE_2
from firesteel.types.arrow_maps import pairs_in
from firesteel.types.duckdb import arrow_of, quote

F = TypeVar("F", bound=Callable[..., Any])
_raised = threading.local()
_HAS_TEXTS = re.compile(r"VARCHAR|BLOB|STRUCT|MAP|\[")


def nullable(function: F) -> F:
    """Mark a function that receives NULL arguments as None."""
    function.nullable = True  # type: ignore[attr-defined]
    return function


def columnar(function: F) -> F:
    """Mark a function that receives Arrow arrays and returns one."""
    function.columnar = True  # type: ignore[attr-defined]
    return function


def with_result(function: F) -> F:
    """Mark a function that receives the Arrow type of its result as first argument."""
    function.with_result = True  # type: ignore[attr-defined]
    return function


def volatile(function: F) -> F:
    """Mark a function that may return different values for equal arguments."""
    function.volatile = True  # type: ignore[attr-defined]
    return function


def in_columns(form: Callable[..., pa.Array | None]) -> Callable[[F], F]:
    """Mark a function that also has a columnar form for constant arguments.

    Args:
        form: Function of an Arrow array for the first argument and a value for each other argument. It
            returns the results, or None to have the function called row by row. It is not called if a value
            is NULL.
    """

    def mark(function: F) -> F:
        function.form = form  # type: ignore[attr-defined]
        return function

    return mark


def register(connection: duckdb.DuckDBPyConnection, signature: str) -> None:
    """Register the library function of a signature."""
    name, *types = signature.split("|")
    module, _, attribute = name.partition("#")[0].partition(".")
    function = getattr(importlib.import_module(f"firesteel.functions.duckdb.library.{module}"), attribute)
    *arguments, result = types
    run = (
        _by_column(function, result) if getattr(function, "columnar", False) else _by_value(function, result)
    )
    create(connection, signature, run, arguments, result, getattr(function, "volatile", False))


def create(
    connection: duckdb.DuckDBPyConnection,
    signature: str,
    run: Callable[..., pa.Array],
    arguments: Sequence[str],
    result: str,
    side_effects: bool,
) -> None:
    """Register a function of Arrow columns under a signature. Its exceptions are kept for `take_error`.

    Args:
        connection: Connection to register the function with.
        signature: Name of the function in DuckDB.
        run: Function of one Arrow array per argument (one array if there are no arguments).
        arguments: DuckDB types of the arguments.
        result: DuckDB type of the result.
        side_effects: Whether DuckDB must call it for every row, even for equal arguments.
    """
    call = _guarded(run)
    # DuckDB requires a Python function with as many parameters as there are types.
    call.__signature__ = Signature(  # type: ignore[attr-defined]
        [Parameter(f"a{i}", Parameter.POSITIONAL_ONLY) for i in range(len(arguments))]
    )
    has_macro = _has_macro(result)
    connection.create_function(  # type: ignore[call-overload]  # stubs know no columns, no enum names
        _inner(signature) if has_macro else signature,
        call,
        [connection.type(a) for a in arguments],
        connection.type(result),
        type="arrow",
        null_handling="special",
        side_effects=side_effects,
    )
    if has_macro:
        inner, parameters = quote(_inner(signature)), ", ".join(f"a{i}" for i in range(len(arguments)))
        # `[f(x)][1]` is f(x), but DuckDB copies the result into a list. The copy stays valid after DuckDB has
        # freed the result itself (`_has_macro`).
        connection.execute(
            f"CREATE OR REPLACE TEMP MACRO {quote(signature)}({parameters}) AS [{inner}({parameters})][1]"
        )


def remove(connection: duckdb.DuckDBPyConnection, signature: str) -> None:
    """Remove what `create` has registered under a signature, so that it may be registered again."""
    connection.remove_function(_inner(signature) if _has_macro(signature.rpartition("|")[2]) else signature)


def _has_macro(result: str) -> bool:
    """Return whether a function must be wrapped in a macro that copies its results (`create`).

    True before DuckDB 2.0 if the result type contains texts or bytes: such a DuckDB frees the texts that a
    Python function returns although COALESCE still reads them.
    """
    return BEFORE_2 and _HAS_TEXTS.search(result) is not None


def _inner(signature: str) -> str:
    """Return the name of a function that a macro with the signature calls."""
    return f"{signature}|"


def take_error() -> FiresteelError | None:
    """Return and clear the last error of a Python function in this thread. DuckDB keeps only the text."""
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


def _by_column(function: Callable[..., pa.Array], result: str) -> Callable[..., pa.Array]:
    return partial(function, arrow_of(result)) if getattr(function, "with_result", False) else function


def _by_value(function: Callable[..., Any], result_type: str) -> Callable[..., pa.Array]:
    result = arrow_of(result_type)
    sees_nulls = getattr(function, "nullable", False)
    form = getattr(function, "form", None)
    if getattr(function, "with_result", False):
        function = partial(function, result)

    def call(*columns: pa.Array) -> pa.Array:
        if form is not None and (constants := _constants(columns[1:])) is not None:
            found = form(_one_array(columns[0]), *constants)
            if found is not None:
                return found
        rows = zip(*map(_values, columns), strict=True)
        if sees_nulls:
            return _array([function(*row) for row in rows], result)
        return _array([None if None in row else function(*row) for row in rows], result)

    return call


def _constants(columns: Sequence[pa.Array]) -> list[Any] | None:
    """Return one value for each column if it is the same in all rows of the column.

    The result is None if any column has different values or NULL, or no rows.
    """
    if not all(len(column) and column[0].is_valid for column in columns):
        return None
    values = [column[0] for column in columns]
    same = all(
        pc.all(pc.equal(*pair), skip_nulls=False).as_py() for pair in zip(columns, values, strict=True)
    )
    return [value.as_py() for value in values] if same else None


def _one_array(column: pa.Array | pa.ChunkedArray) -> pa.Array:
    return column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column


def _values(column: pa.Array | pa.ChunkedArray) -> list[Any]:
    kind = column.type
    if pa.types.is_timestamp(kind) or pa.types.is_time(kind):
        column = column.cast(pa.int64())
    elif pa.types.is_date(kind):
        column = column.cast(pa.int32())
    return pairs_in(column.to_pylist(), kind)


def _array(values: list[Any], kind: pa.DataType) -> pa.Array:
    # Dates and times in `values` are ints (days, microseconds), with one exception: elements that a function
    # takes out of an array argument. `_values` converts no dates within arrays, so they are datetime.date.
    inner = all(v is None or isinstance(v, int) for v in values)
    if inner and (pa.types.is_timestamp(kind) or pa.types.is_time(kind)):
        return pa.array(values, pa.int64()).cast(kind)
    if inner and pa.types.is_date(kind):
        return pa.array(values, pa.int32()).cast(kind)
    return pa.array(values, kind)
