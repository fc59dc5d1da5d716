"""What is said when a function of the user's fails: its name, the arguments, the row, the line."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from firesteel.errors import JobError
from firesteel.functions.python.load import describe, innermost

_LONG = 60


class UserFunctionError(JobError):
    """A function of the user's raised, or gave what is not of its type. The row is known later."""

    row: str | None = None

    def in_row(self, row: str) -> JobError:
        """The error with the row in which it happened."""
        if self.row is None:
            self.row = row
            self.message = f"{self.message}; row {row}"
        return self


def failed(name: str, args: Sequence[Any], error: Exception) -> UserFunctionError:
    """The function raised `error`."""
    return UserFunctionError(
        f"Function {name}({_shown(args)}) failed: {describe(error)}", hint=innermost(error.__traceback__)
    )


def wrong_type(name: str, args: Sequence[Any] | None, value: Any, wanted: object) -> UserFunctionError:
    """The function gave `value`, which is not of its result type. args None: a column, of type `value`."""
    if args is None:
        return UserFunctionError(f"Function {name} gave {value}, which is no {wanted}")
    return UserFunctionError(f"Function {name}({_shown(args)}) gave {_short(value)}, which is no {wanted}")


def _shown(args: Sequence[Any]) -> str:
    return ", ".join(map(_short, args))


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= _LONG else f"{text[: _LONG - 3]}..."
