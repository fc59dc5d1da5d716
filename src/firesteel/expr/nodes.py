"""Typed scalar expressions and aggregate calls: frozen trees over the columns of one input.

A function is named by its row in `expr/functions.py`; special forms are calls too: AND, OR, NOT, CASE
(when, then, ..., else), CAST, TRY_CAST, ROW constructors and field access.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date, datetime, time
from decimal import Decimal

from firesteel.errors import SourceRange
from firesteel.expr.user_functions import UserDefined
from firesteel.types.sql import SqlType

Value = None | bool | int | float | Decimal | str | bytes | date | time | datetime
"""A literal's value; an interval's is its count of months or milliseconds."""


@dataclass(frozen=True)
class InputRef:
    """Column `index` of the input."""

    index: int
    type: SqlType
    range: SourceRange | None = field(default=None, compare=False)


@dataclass(frozen=True)
class Literal:
    """A constant; `value` is None for NULL."""

    value: Value
    type: SqlType
    range: SourceRange | None = field(default=None, compare=False)


MIRRORED = {
    **{name: name for name in ("AND", "OR", "=", "<>", "GREATEST", "LEAST")},
    **{name: name for name in ("IS DISTINCT FROM", "IS NOT DISTINCT FROM", "+", "*")},
    "<": ">",
    ">": "<",
    "<=": ">=",
    ">=": "<=",
}
"""What a function of two arguments is with the arguments the other way around."""
_OF_ONE_TYPE = frozenset("+*")
"""These mirror only arguments of one type, nullability aside."""


@dataclass(frozen=True)
class Call:
    """A function applied to its arguments.

    `options` holds what is written with the call but is no argument: a time unit, a field name,
    ON EMPTY, the trim side. `user`: the function is one of the user's. A call is equal to the same one
    the other way around, `a > 1` to `1 < a` (Calcite: RexNormalize).
    """

    function: str
    args: tuple[Expr, ...]
    type: SqlType
    options: tuple[str, ...] = ()
    range: SourceRange | None = field(default=None, compare=False)
    user: UserDefined | None = None

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if not isinstance(other, Call):
            return NotImplemented
        if (self.type, self.options, self.user) != (other.type, other.options, other.user):
            return False
        if self.function == other.function and self.args == other.args:
            return True
        return self._mirrored() == other.function and self.args == other.args[::-1]

    def __hash__(self) -> int:
        mirrored = self._mirrored()
        if mirrored is None:
            return hash((self.function, self.args, self.type, self.options))
        first, second = self.args
        return hash((min(self.function, mirrored), hash(first) ^ hash(second), self.type, self.options))

    def _mirrored(self) -> str | None:
        """The function with the two arguments the other way around, if that is the same."""
        if len(self.args) != 2:
            return None
        first, second = self.args
        if self.function in _OF_ONE_TYPE and not first.type.same_as(second.type):
            return None
        return MIRRORED.get(self.function)


Expr = InputRef | Literal | Call


@dataclass(frozen=True)
class AggregateCall:
    """An aggregate function over columns of its input.

    args and filter are column positions: a Calc below has computed them. name is the output's.
    options: `IGNORE NULLS` (ARRAY_AGG), `NULL ON NULL` or `ABSENT ON NULL` (always with JSON_*AGG).
    user: the function is one of the user's.
    """

    function: str
    args: tuple[int, ...]
    type: SqlType
    name: str
    distinct: bool = False
    filter: int | None = None
    range: SourceRange | None = field(default=None, compare=False)
    options: tuple[str, ...] = ()
    user: UserDefined | None = None
