"""Typed scalar expressions and aggregate calls: frozen trees over the columns of one input.

A function is named by its row in `functions/signatures/function.py`; special forms are calls too: AND, OR,
NOT, CASE (when, then, ..., else), CAST, TRY_CAST, ROW constructors and field access.
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
"""A literal's value; an interval's is its count of months or milliseconds."""


@dataclass(frozen=True)
class InputRef:
    """Column `index` of the input."""

    index: int
    type: SqlType
    range: SourceRange | None = field(default=None, compare=False)


class Plain(Decimal):
    """The value of a DOUBLE literal that was written as an exact number: plans show `2.5`, not `2.5E0`."""


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
    depth: int = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        depth = 0
        for arg in self.args:
            if isinstance(arg, Call) and arg.depth > depth:
                depth = arg.depth
        object.__setattr__(self, "depth", depth + 1)

    def with_args(self, args: tuple[Expr, ...]) -> Call:
        """The same call of other arguments; itself where they are the same objects."""
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
        """The other's arguments, in the order in which they may equal this one's; None: the calls differ."""
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
        """The function with the two arguments the other way around, if that is the same."""
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
    """The call's hash, the same for the call the other way around; it stays with the call."""
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
"""How a bound query says that one of several comparisons holds (IN), and that two rows are equal: a call of
the comparisons. plan/rel_builder.py makes OR and AND of them; it leaves the types of their operands alone."""


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
