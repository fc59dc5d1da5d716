"""Errors of user-defined functions, with the function's name, arguments, row and line."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from firesteel.errors import TransientError
from firesteel.functions.python.load import describe, innermost

_LONG = 60


class UserFunctionError(TransientError):
    """Failure of a user-defined function: it raised an exception or returned a value of the wrong type."""


def failed(name: str, args: Sequence[Any], error: Exception) -> UserFunctionError:
    """Return the error for a function that raised `error`."""
    return UserFunctionError(
        f"Function {name}({_shown(args)}) failed: {describe(error)}", hint=innermost(error.__traceback__)
    )


def wrong_type(name: str, args: Sequence[Any] | None, value: Any, wanted: object) -> UserFunctionError:
    """Return the error for a result of the wrong type.

    Args:
        name: Name of the function.
        args: Arguments of the call. None: the result is a whole column.
        value: The result, or the type of the column.
        wanted: Type that the result must have.
    """
    if args is None:
        return UserFunctionError(f"Function {name} gave {value}, which is no {wanted}")
    return UserFunctionError(f"Function {name}({_shown(args)}) gave {_short(value)}, which is no {wanted}")


def wrong_row(name: str, args: Sequence[Any], value: Any, width: int) -> UserFunctionError:
    """Return the error for a row of a table function that does not have `width` columns."""
    columns = f"{width} column{'' if width == 1 else 's'}"
    return UserFunctionError(
        f"Function {name}({_shown(args)}) gave {_short(value)}, which is no row of {columns}",
        hint="a row of several columns is a tuple, as many values as result_types",
    )


def _shown(args: Sequence[Any]) -> str:
    return ", ".join(map(_short, args))


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= _LONG else f"{text[: _LONG - 3]}..."
