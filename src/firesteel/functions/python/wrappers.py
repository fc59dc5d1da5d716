"""`udf`, `udtf` and `udaf`: user-defined functions with their properties for the planner."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from firesteel.errors import ValidationError
from firesteel.functions.python.bases import AggregateFunction, ScalarFunction, TableFunction, TypeName
from firesteel.types.sql import SqlType

FUNC_TYPES = ("general", "arrow", "pandas")
AGGREGATE_FUNC_TYPES = ("general", "pandas")


@dataclass(frozen=True)
class ScalarUdf:
    """Scalar function, made by `udf`."""

    function: Any
    """ScalarFunction, or a callable of the arguments."""
    result_type: TypeName
    func_type: str = "general"
    """Way in which the function is called: `general`, `arrow` or `pandas`.

    `general`: for each row, with Python values. `arrow`: for each batch, with Arrow arrays; it returns an
    array. `pandas`: for each batch, with Series; it returns a Series.
    """
    deterministic: bool = True
    name: str = ""

    @property
    def call(self) -> Callable[..., Any]:
        """Return the function to call: the `eval` method of a ScalarFunction, else the callable itself."""
        found: Callable[..., Any] = (
            self.function.eval if isinstance(self.function, ScalarFunction) else self.function
        )
        return found

    def __call__(self, *args: Any) -> Any:
        """Call the function, for tests."""
        return self.call(*args)


@dataclass(frozen=True)
class TableUdf:
    """Table function, made by `udtf`."""

    function: Any
    """TableFunction, or a callable of the arguments."""
    result_types: TypeName | tuple[TypeName, ...]
    """Types of the columns. Or one type: if it is a ROW, its fields are the columns."""
    deterministic: bool = True
    name: str = ""

    @property
    def call(self) -> Callable[..., Any]:
        """Return the function to call: the `eval` method of a TableFunction, else the callable itself."""
        found: Callable[..., Any] = (
            self.function.eval if isinstance(self.function, TableFunction) else self.function
        )
        return found

    def __call__(self, *args: Any) -> Any:
        """Call the function, for tests."""
        return self.call(*args)


@dataclass(frozen=True)
class AggregateUdf:
    """Aggregate function, made by `udaf`."""

    function: AggregateFunction
    result_type: TypeName
    deterministic: bool = True
    name: str = ""
    func_type: str = "general"
    """Way in which the function accumulates.

    `general`: row by row. `pandas`: Series of all rows.
    """

    @property
    def is_pandas(self) -> bool:
        """Return whether the function accumulates Series."""
        return self.func_type == "pandas"

    @property
    def retracts(self) -> bool:
        """Return whether rows can be retracted: the class defines `retract`, or `is_pandas` is True.

        For pandas, Firesteel keeps a list of a group's rows. A retraction removes the equal row from it.
        """
        return self.is_pandas or type(self.function).retract is not AggregateFunction.retract

    @property
    def merges(self) -> bool:
        """Return whether accumulators can be merged: the class defines `merge`, or `is_pandas` is True.

        For pandas, an accumulator is a list of rows, and Firesteel appends one list to the other.
        """
        return self.is_pandas or type(self.function).merge is not AggregateFunction.merge


class SeriesAggregate(AggregateFunction):
    """Aggregate function that wraps a function of Series."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function = function
        self.__module__ = function.__module__

    def create_accumulator(self) -> list[Any]:
        return []

    def accumulate(self, accumulator: list[Any], *args: Any) -> None:
        accumulator.append(self.function(*args))

    def get_value(self, accumulator: list[Any]) -> Any:
        return accumulator[0]


Udf = ScalarUdf | TableUdf | AggregateUdf


def udf(
    f: Any = None,
    input_types: Any = None,
    result_type: TypeName | None = None,
    deterministic: bool | None = None,
    name: str | None = None,
    func_type: str = "general",
) -> Any:
    """Return a scalar function made of a function, a lambda or a ScalarFunction; a decorator if `f` is None.

    Args:
        f: The function.
        input_types: Ignored, for compatibility with PyFlink: arguments keep their types.
        result_type: Type of the result, required.
        deterministic: Whether equal arguments give equal results. If None, a ScalarFunction's method
            `is_deterministic` decides. A function or lambda then counts as deterministic.
        name: Name of the function. None: its own name.
        func_type: `general`, `arrow` or `pandas`; see ScalarUdf.

    Raises:
        ValidationError: The func_type is unknown, the result type is missing, or `f` is not a function.
    """
    if f is None:
        return lambda function: udf(function, input_types, result_type, deterministic, name, func_type)
    if func_type not in FUNC_TYPES:
        raise ValidationError(f"func_type is one of {', '.join(FUNC_TYPES)}, got {func_type!r}")
    if result_type is None:
        raise ValidationError("udf needs a result_type", hint="udf(result_type='BIGINT')")
    if not (isinstance(f, ScalarFunction) or (callable(f) and not isinstance(f, type))):
        raise ValidationError(f"{f!r} is no function and no object of a ScalarFunction")
    return ScalarUdf(f, result_type, func_type, _deterministic(f, deterministic), _name(f, name))


def udtf(
    f: Any = None,
    input_types: Any = None,
    result_types: TypeName | Iterable[TypeName] | None = None,
    deterministic: bool | None = None,
    name: str | None = None,
) -> Any:
    """Return a table function made of a function or a TableFunction; a decorator if `f` is None.

    Args:
        f: The function. It yields rows, or returns a list of them.
        input_types: Ignored, for compatibility with PyFlink: arguments keep their types.
        result_types: Types of the columns, required. One ROW type names the columns, too.
        deterministic: Whether equal arguments give equal rows. If None, a TableFunction's method
            `is_deterministic` decides. A function or lambda then counts as deterministic.
        name: Name of the function. None: its own name.

    Raises:
        ValidationError: The result types are missing, or `f` is not a function.
    """
    if f is None:
        return lambda function: udtf(function, input_types, result_types, deterministic, name)
    if result_types is None or result_types in ([], ()):
        raise ValidationError("udtf needs result_types", hint="udtf(result_types=['STRING', 'INT'])")
    if not (isinstance(f, TableFunction) or (callable(f) and not isinstance(f, type))):
        raise ValidationError(f"{f!r} is no function and no object of a TableFunction")
    types = result_types if isinstance(result_types, (str, SqlType)) else tuple(result_types)
    return TableUdf(f, types, _deterministic(f, deterministic), _name(f, name))


def udaf(
    f: Any = None,
    input_types: Any = None,
    result_type: TypeName | None = None,
    accumulator_type: TypeName | None = None,
    deterministic: bool | None = None,
    name: str | None = None,
    func_type: str = "general",
) -> Any:
    """Return an aggregate function made of an AggregateFunction; a decorator if `f` is None.

    Args:
        f: The AggregateFunction object. For `pandas` also a function of Series.
        input_types: Ignored, for compatibility with PyFlink.
        result_type: Type of the result. None: as `get_result_type` returns.
        accumulator_type: Ignored: accumulators are pickled.
        deterministic: Whether equal arguments give equal results. None: as `is_deterministic` returns.
        name: Name of the function. None: its own name.
        func_type: `general` or `pandas`; see AggregateUdf.

    Raises:
        ValidationError: The func_type is unknown, the result type is missing, or `f` is of the wrong kind.
    """
    if f is None:
        return lambda function: udaf(
            function, input_types, result_type, accumulator_type, deterministic, name, func_type
        )
    if func_type not in AGGREGATE_FUNC_TYPES:
        raise ValidationError(
            f"func_type of an aggregate function is {' or '.join(AGGREGATE_FUNC_TYPES)}, got {func_type!r}"
        )
    name = _name(f, name)
    if func_type == "pandas" and not isinstance(f, (AggregateFunction, type)) and callable(f):
        f = SeriesAggregate(f)
    if not isinstance(f, AggregateFunction):
        raise ValidationError(f"{f!r} is no object of an AggregateFunction")
    if result_type is None:
        try:
            result_type = f.get_result_type()
        except RuntimeError as error:
            raise ValidationError(
                f"{type(f).__name__} has no result type: {error}", hint="udaf(..., result_type='BIGINT')"
            ) from None
    return AggregateUdf(f, result_type, _deterministic(f, deterministic), name, func_type)


def wrapped(found: Any, code: str) -> Udf:
    """Return an imported object as a function.

    Args:
        found: Result of udf, udtf or udaf, or a class of a user-defined function or an object of one.
        code: Name of the object, for the error.

    Raises:
        ValidationError: The object is anything else.
    """
    if isinstance(found, (ScalarUdf, TableUdf, AggregateUdf)):
        return found
    made = found() if isinstance(found, type) else found
    if isinstance(made, AggregateFunction):
        aggregate: AggregateUdf = udaf(made)
        return aggregate
    types = getattr(made, "result_types", None)
    if isinstance(made, TableFunction) and types is not None:
        table: TableUdf = udtf(made, result_types=types)
        return table
    kind = getattr(made, "result_type", None)
    if isinstance(made, ScalarFunction) and kind is not None:
        scalar: ScalarUdf = udf(made, result_type=kind)
        return scalar
    raise ValidationError(
        f"'{code}' is no function: {type(found).__name__}",
        hint="make one with udf(f, result_type=...), udtf(f, result_types=...) or udaf(f), or name a class "
        "of an AggregateFunction",
    )


def _deterministic(function: Any, said: bool | None) -> bool:
    if said is not None:
        return said
    answer = getattr(function, "is_deterministic", None)
    return bool(answer()) if callable(answer) else True


def _name(function: Any, said: str | None) -> str:
    return said or str(getattr(function, "__name__", type(function).__name__))
