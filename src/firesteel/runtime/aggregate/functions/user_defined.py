"""User-defined aggregate functions (Flink: the functions of PythonGroupAggregate).

The accumulator is the user's object, changed in place. Between batches, it is pickled in keyed state.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import date, datetime, timedelta
from decimal import Decimal
from functools import lru_cache
from typing import Any

import pyarrow as pa

from firesteel.functions.python.failures import failed, wrong_type
from firesteel.functions.python.load import function_of
from firesteel.functions.python.values import column_of, values_of
from firesteel.functions.python.wrappers import AggregateUdf
from firesteel.runtime.aggregate.functions.declaration import AccumulatorField, HandWritten
from firesteel.runtime.spec.operators import AggregateSpec
from firesteel.types.arrow import to_arrow
from firesteel.types.decimals import EXACT
from firesteel.types.internal_values import OF_USER, from_list, to_list
from firesteel.types.sql import BYTES_LIKE, CHARACTER, INTEGER_BITS, INTEGERS, SqlType, TypeRoot
from firesteel.types.user_function import UserFunction

OBJECT = SqlType(TypeRoot.RAW, class_name=OF_USER)
"""Type of a user-defined function's Python object, pickled in columns."""

_NOT_OF_TYPE = (TypeError, ValueError, ArithmeticError, AttributeError, pa.ArrowException)
_EPOCH = datetime(1970, 1, 1)
_PLAIN = (*INTEGERS, *CHARACTER, *BYTES_LIKE, TypeRoot.BOOLEAN, TypeRoot.FLOAT, TypeRoot.DOUBLE)
"""Types whose internal form is the value that users see."""


def user_defined(call: AggregateSpec) -> HandWritten:
    """Return an aggregate that calls the methods of a user-defined function.

    The accumulator of a key is None until the first call of accumulate, retract or merge, which creates it.
    """
    assert call.user is not None
    methods = _methods(call.user, call.arg_types, call.type)
    first = "{x}" if call.args else ""
    arguments = ", ".join(["{accumulator}", *filter(None, [first]), *(f"x{i}" for i in call.args[1:])])
    return HandWritten(
        state_id=f"user.{call.user.name}.v1",
        fields=(AccumulatorField("accumulator", OBJECT, None),),
        views=(),
        accumulate=f"{{accumulator}} = {{accumulate}}({arguments})",
        retract=f"{{accumulator}} = {{retract}}({arguments})",
        merge="{accumulator} = {merge}({accumulator}, {other_accumulator})",
        value="{get_value}({accumulator})",
        takes_nulls=True,
        functions=methods,
    )


@lru_cache(maxsize=256)
def _methods(
    user: UserFunction, arg_types: tuple[SqlType, ...], result: SqlType
) -> tuple[tuple[str, Callable[..., Any]], ...]:
    """Return (name, function) for each function that the row handler calls, such as `accumulate`.

    The functions are cached for each user-defined function and its types.
    """
    return (
        ("accumulate", _change(user, "accumulate", arg_types)),
        ("retract", _change(user, "retract", arg_types)),
        ("merge", _merge(user)),
        ("get_value", _get_value(user, result)),
    )


def _change(user: UserFunction, method: str, arg_types: Sequence[SqlType]) -> Callable[..., Any]:
    """Return a function that calls the user's accumulate or retract, and returns the changed accumulator.

    It takes the accumulator and the arguments in internal form.
    """
    converts = [_to_python(kind) for kind in arg_types]
    plain = not any(converts)

    def change(accumulator: Any, *args: Any) -> Any:
        function = _function(user)
        if not plain:
            args = tuple(
                arg if convert is None or arg is None else convert(arg)
                for arg, convert in zip(args, converts, strict=True)
            )
        try:
            if accumulator is None:
                accumulator = function.create_accumulator()
            getattr(function, method)(accumulator, *args)
        except Exception as error:
            raise failed(f"{user.name}.{method}", args, error) from error
        return accumulator

    return change


def _merge(user: UserFunction) -> Callable[[Any, Any], Any]:
    def merge(accumulator: Any, other: Any) -> Any:
        if other is None:
            return accumulator
        function = _function(user)
        try:
            if accumulator is None:
                accumulator = function.create_accumulator()
            function.merge(accumulator, [other])
        except Exception as error:
            raise failed(f"{user.name}.merge", (accumulator, other), error) from error
        return accumulator

    return merge


def _get_value(user: UserFunction, kind: SqlType) -> Callable[[Any], Any]:
    """Return a function that takes an accumulator and returns the user's result for it in internal form.

    For the accumulator None (no rows), it returns the result of a new accumulator.
    """
    convert = _from_python(kind)

    def get_value(accumulator: Any) -> Any:
        function = _function(user)
        try:
            value = function.get_value(function.create_accumulator() if accumulator is None else accumulator)
        except Exception as error:
            raise failed(f"{user.name}.get_value", (accumulator,), error) from error
        if value is None:
            return None
        try:
            return convert(value)
        except _NOT_OF_TYPE:
            raise wrong_type(f"{user.name}.get_value", (accumulator,), value, kind) from None

    return get_value


def _function(user: UserFunction) -> Any:
    found = function_of(user)
    assert isinstance(found, AggregateUdf)
    return found.function


Convert = Callable[[Any], Any]


@lru_cache(maxsize=256)
def _to_python(kind: SqlType) -> Convert | None:
    """Return a converter from the internal form to the user's value, None if both forms are equal.

    functions/python/values.py defines the user's values.
    """
    if kind.root in _PLAIN:
        return None
    if kind.root is TypeRoot.DECIMAL:
        scale = -(kind.scale or 0)
        return lambda value: Decimal(value).scaleb(scale, EXACT)
    if kind.root is TypeRoot.DATE:
        first = date(1970, 1, 1).toordinal()
        return lambda value: date.fromordinal(first + value)
    if kind.root is TypeRoot.TIMESTAMP and (kind.precision or 0) <= 6:
        return lambda value: _EPOCH + timedelta(microseconds=value)
    return lambda value: values_of(from_list([value], kind))[0]


@lru_cache(maxsize=256)
def _from_python(kind: SqlType) -> Convert:
    """Return a converter from the user's value to the internal form.

    For a value that does not fit the type `kind`, the converter raises one of the errors `_NOT_OF_TYPE`.
    """
    if kind.root in INTEGER_BITS:
        bits = INTEGER_BITS[kind.root]
        return lambda value: _integer(value, bits)
    if kind.root in (TypeRoot.CHAR, TypeRoot.VARCHAR):
        return lambda value: _instance(value, str)
    if kind.root is TypeRoot.BOOLEAN:
        return lambda value: _instance(value, bool)
    target = to_arrow(kind)
    return lambda value: to_list(column_of([value], target), kind)[0]


def _integer(value: Any, bits: int) -> int:
    if isinstance(value, bool):
        raise TypeError("a boolean is no integer")
    number: int = value.__index__()
    if not -(1 << (bits - 1)) <= number < 1 << (bits - 1):
        raise OverflowError(f"{number} does not fit")
    return number


def _instance(value: Any, kind: type) -> Any:
    if not isinstance(value, kind):
        raise TypeError(f"{value!r} is no {kind.__name__}")
    return value
