"""Typed scalar expressions and aggregate calls: immutable trees over the columns of one input.

A function's name refers to its row in `functions/signatures/function.py`. Special forms are calls too: AND,
OR, NOT, CASE (when, then, ..., else), CAST, TRY_CAST, ROW constructors and field access.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date, datetime, time
from decimal import Decimal
from operator import is_

from firesteel.errors import SourceRange
from firesteel.functions.expression.recursion import from_below
from firesteel.types.sql import SqlType
from firesteel.types.user_function import UserDefined

Value = None | bool | int | float | Decimal | str | bytes | date | time | datetime
"""Value of a literal. An interval is its number of months or milliseconds."""


@dataclass(frozen=True)
class InputRef:
    """Reference to column `index` of the input."""

    index: int
    type: SqlType
    range: SourceRange | None = field(default=None, compare=False)


class Plain(Decimal):
    """Value of a DOUBLE literal that was written as an exact number. Plans show `2.5`, not `2.5E0`."""


class Written(float):
    """Value of a DOUBLE literal that plans show as it is written in the query, `7.0E0` or `7E0`.

    It is equal to the float of the same value. Results of arithmetic with it are plain floats.
    """

    def __init__(self, text: str) -> None:
        self.digits = Decimal(text)


@dataclass(frozen=True)
class Literal:
    """Constant. `value` is None for NULL."""

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
"""Function that gives the same result with swapped arguments, by function name."""
_OF_ONE_TYPE = frozenset("+*")
"""Functions whose arguments may only be swapped if their types are equal, apart from nullability."""


@dataclass(frozen=True)
class Call:
    """Function call.

    A call equals its mirrored form: `a > 1` equals `1 < a` (Calcite: RexNormalize).

    Attributes:
        options: Parts of the call that are not arguments: a time unit, a field name, ON EMPTY, the trim side.
        user: The user-defined function, or None for a built-in one.
        depth: Levels of calls in this tree, at least 1.
    """

    function: str
    args: tuple[Expr, ...]
    type: SqlType
    options: tuple[str, ...] = ()
    range: SourceRange | None = field(default=None, compare=False)
    user: UserDefined | None = None
    depth: int = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        depth = 0
        for arg in self.args:
            if isinstance(arg, Call) and arg.depth > depth:
                depth = arg.depth
        object.__setattr__(self, "depth", depth + 1)

    def with_args(self, args: tuple[Expr, ...]) -> Call:
        """Return this call with other arguments, or itself if they are the same objects."""
        if len(args) == len(self.args) and all(map(is_, args, self.args)):
            return self
        return Call(self.function, args, self.type, self.options, self.range, self.user)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Call):
            return NotImplemented
        pairs: list[tuple[Expr, Expr]] = [(self, other)]
        while pairs:
            a, b = pairs.pop()
            if a is b:
                continue
            if isinstance(a, Call) and isinstance(b, Call):
                args = a._facing(b)
                if args is None:
                    return False
                pairs += zip(a.args, args, strict=True)
            elif a != b:
                return False
        return True

    def _facing(self, other: Call) -> tuple[Expr, ...] | None:
        """Return the arguments of `other`, swapped if `other` is the mirrored form of this call.

        None if the calls cannot be equal.
        """
        if self.depth != other.depth or len(self.args) != len(other.args) or hash(self) != hash(other):
            return None
        if (self.type, self.options, self.user) != (other.type, other.options, other.user):
            return None
        if self.function == other.function and all(map(_may_equal, self.args, other.args)):
            return other.args
        return other.args[::-1] if self._mirrored() == other.function else None

    def __hash__(self) -> int:
        known: int | None = self.__dict__.get("_hash")
        return _hash(self) if known is None else known

    def _mirrored(self) -> str | None:
        """Return the function that gives the same result with swapped arguments, or None if there is none."""
        if len(self.args) != 2:
            return None
        first, second = self.args
        if self.function in _OF_ONE_TYPE and not first.type.same_as(second.type):
            return None
        return MIRRORED.get(self.function)


Expr = InputRef | Literal | Call


def _may_equal(a: Expr, b: Expr) -> bool:
    return a is b or hash(a) == hash(b)


@from_below
def _hash(call: Call) -> int:
    """Return the hash of a call, equal for its mirrored form, and cache it in the call."""
    mirrored = call._mirrored()
    if mirrored is None:
        found = hash((call.function, call.args, call.type, call.options))
    else:
        first, second = call.args
        both = hash(first) ^ hash(second)
        found = hash((min(call.function, mirrored), both, call.type, call.options))
    call.__dict__["_hash"] = found
    return found


IN_LIST, ROWS_EQUAL = "IN LIST", "ROW ="
"""Functions of a bound query whose arguments are comparisons: an IN list, and the equality of two rows.

plan/rel_builder.py converts them to OR and AND without changing the types of their operands.
"""


@dataclass(frozen=True)
class AggregateCall:
    """Aggregate function over columns of its input."""

    function: str
    args: tuple[int, ...]
    """Positions of the argument columns, which a Calc below has computed."""
    type: SqlType
    name: str
    """Name of the output column."""
    distinct: bool = False
    filter: int | None = None
    """Position of the FILTER column, or None."""
    range: SourceRange | None = field(default=None, compare=False)
    options: tuple[str, ...] = ()
    """Clauses of the call, () for most functions.

    JSON_OBJECTAGG and JSON_ARRAYAGG always have `NULL ON NULL` or `ABSENT ON NULL`, as written or by default.
    Functions that take IGNORE NULLS, such as ARRAY_AGG, have `IGNORE NULLS` if the query has it.
    """
    user: UserDefined | None = None
    """The user-defined function, or None for a built-in one."""
