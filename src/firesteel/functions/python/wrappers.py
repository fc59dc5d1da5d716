"""`udf` and `udaf`: a function of the user's with what the planner must know of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from firesteel.errors import ValidationError
from firesteel.functions.python.bases import AggregateFunction, ScalarFunction, TypeName

FUNC_TYPES = ("general", "arrow", "pandas")
AGGREGATE_FUNC_TYPES = ("general", "pandas")


@dataclass(frozen=True)
class ScalarUdf:
    """A scalar function. function: a ScalarFunction, or what is called with the arguments.

    func_type: `general` is called once a row with Python values, `arrow` once a batch with Arrow arrays and
    gives one, `pandas` the same with Series.
    """

    function: Any
    result_type: TypeName
    func_type: str = "general"
    deterministic: bool = True
    name: str = ""

    @property
    def call(self) -> Callable[..., Any]:
        """What is called with the arguments."""
        found: Callable[..., Any] = (
            self.function.eval if isinstance(self.function, ScalarFunction) else self.function
        )
        return found

    def __call__(self, *args: Any) -> Any:
        """The function itself, so that it can be tested."""
        return self.call(*args)


@dataclass(frozen=True)
class AggregateUdf:
    """An aggregate function. func_type: `general` takes in row by row, `pandas` is given Series."""

    function: AggregateFunction
    result_type: TypeName
    deterministic: bool = True
    name: str = ""
    func_type: str = "general"

    @property
    def is_pandas(self) -> bool:
        """Whether it is given Series."""
        return self.func_type == "pandas"

    @property
    def retracts(self) -> bool:
        """Whether rows can be taken back: by the class's own `retract`, or from the Series' rows."""
        return self.is_pandas or type(self.function).retract is not AggregateFunction.retract

    @property
    def merges(self) -> bool:
        """Whether the class has a `merge` of its own, or needs none."""
        return self.is_pandas or type(self.function).merge is not AggregateFunction.merge


class SeriesAggregate(AggregateFunction):
    """A function of Series as an aggregate function."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function = function
        self.__module__ = function.__module__

    def create_accumulator(self) -> list[Any]:
        return []

    def accumulate(self, accumulator: list[Any], *args: Any) -> None:
        accumulator.append(self.function(*args))

    def get_value(self, accumulator: list[Any]) -> Any:
        return accumulator[0]


Udf = ScalarUdf | AggregateUdf


def udf(
    f: Any = None,
    input_types: Any = None,
    result_type: TypeName | None = None,
    deterministic: bool | None = None,
    name: str | None = None,
    func_type: str = "general",
) -> Any:
    """Make a scalar function of a function, a lambda or a ScalarFunction; without `f` a decorator.

    input_types is taken for PyFlink's sake: arguments come as they are. Raises ValidationError for a
    func_type that is none or a missing result type.
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


def udaf(
    f: Any = None,
    input_types: Any = None,
    result_type: TypeName | None = None,
    accumulator_type: TypeName | None = None,
    deterministic: bool | None = None,
    name: str | None = None,
    func_type: str = "general",
) -> Any:
    """Make an aggregate function of an object of an AggregateFunction; without `f` a decorator.

    result_type: else the function's get_result_type() says it. func_type: `pandas` takes any function of
    Series, too. Raises ValidationError for anything else.
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
    """What a name stands for, as a function: made by udf or udaf, or a class of the user's.

    Raises ValidationError for anything else.
    """
    if isinstance(found, (ScalarUdf, AggregateUdf)):
        return found
    made = found() if isinstance(found, type) else found
    if isinstance(made, AggregateFunction):
        aggregate: AggregateUdf = udaf(made)
        return aggregate
    kind = getattr(made, "result_type", None)
    if isinstance(made, ScalarFunction) and kind is not None:
        scalar: ScalarUdf = udf(made, result_type=kind)
        return scalar
    raise ValidationError(
        f"'{code}' is no function: {type(found).__name__}",
        hint="make one with udf(f, result_type=...) or udaf(f), or name a class of an AggregateFunction",
    )


def _deterministic(function: Any, said: bool | None) -> bool:
    if said is not None:
        return said
    answer = getattr(function, "is_deterministic", None)
    return bool(answer()) if callable(answer) else True


def _name(function: Any, said: str | None) -> str:
    return said or str(getattr(function, "__name__", type(function).__name__))
