"""OVER as an expression: one call that holds the aggregate and its window (Calcite: RexOver, RexWindow).

`Call(OVER, operands + partition + order + bounds, ...)`: so all that walks and renumbers expressions does so
with windows. `Over` takes it apart and puts it together.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from firesteel.functions.expression.nodes import AggregateCall, Call, Expr, Literal
from firesteel.plan.expressions.operations import walk
from firesteel.plan.tree import Field
from firesteel.types.sql import SqlType
from firesteel.types.user_function import UserDefined

OVER = "OVER"
UNBOUNDED_PRECEDING = "UNBOUNDED PRECEDING"
CURRENT_ROW = "CURRENT ROW"

RANKS = frozenset({"ROW_NUMBER", "RANK", "DENSE_RANK"})
"""They number the rows of a window: with a bound on the number, a Top-N."""
UNFRAMED = frozenset({*RANKS, "LAG"})
"""They look at no frame, and none may be written for them."""


@dataclass(frozen=True)
class Direction:
    """How rows are sorted by one column."""

    descending: bool = False
    nulls_first: bool = True

    @property
    def plan_text(self) -> str:
        return "DESC" if self.descending else "ASC"

    @property
    def sort_text(self) -> str:
        """As LogicalSort shows it: Calcite's own default, NULL as the greatest value, is not said."""
        if self.nulls_first is self.descending:
            return self.plan_text
        return f"{self.plan_text}-nulls-{'first' if self.nulls_first else 'last'}"

    @property
    def over_text(self) -> str:
        """What follows a key of ORDER BY in a window of the AST."""
        return f"{' DESC' if self.descending else ''} NULLS {'FIRST' if self.nulls_first else 'LAST'}"


@dataclass(frozen=True)
class Bound:
    """An end of a frame. side: PRECEDING, FOLLOWING, or one of these after UNBOUNDED, or CURRENT ROW; offset:
    a literal count of rows or an interval."""

    side: str
    offset: Expr | None = None


DEFAULT_LOWER, DEFAULT_UPPER = Bound(UNBOUNDED_PRECEDING), Bound(CURRENT_ROW)


@dataclass(frozen=True)
class Frame:
    """PARTITION BY, ORDER BY and the rows of a partition that each row sees; rows: ROWS, else RANGE."""

    partition: tuple[Expr, ...] = ()
    order: tuple[Expr, ...] = ()
    directions: tuple[Direction, ...] = ()
    rows: bool = False
    lower: Bound = DEFAULT_LOWER
    upper: Bound = DEFAULT_UPPER


@dataclass(frozen=True)
class Over:
    """An aggregate function over a window. options: as in expr.nodes.AggregateCall."""

    function: str
    operands: tuple[Expr, ...]
    frame: Frame
    type: SqlType
    distinct: bool = False
    options: tuple[str, ...] = ()
    user: UserDefined | None = None

    def call(self) -> Call:
        """As an expression."""
        frame = self.frame
        bounds = tuple(b.offset for b in (frame.lower, frame.upper) if b.offset is not None)
        sides = (_written(frame.lower), _written(frame.upper))
        directions = ",".join(_letters(d) for d in frame.directions)
        counts = (str(len(self.operands)), str(len(frame.partition)))
        told = (self.function, *counts, directions, "ROWS" if frame.rows else "RANGE", *sides)
        said = (*told, "DISTINCT" if self.distinct else "", *self.options)
        args = (*self.operands, *frame.partition, *frame.order, *bounds)
        return Call(OVER, args, self.type, said, user=self.user)


def over_of(call: Call) -> Over:
    """What an OVER call says."""
    function, operands, partition, directions, unit, lower, upper, distinct, *options = call.options
    ways = tuple(map(_direction, directions.split(","))) if directions else ()
    rest = iter(call.args)
    given = tuple(next(rest) for _ in range(int(operands)))
    keys = tuple(next(rest) for _ in range(int(partition)))
    order = tuple(next(rest) for _ in ways)
    low, high = _bound(lower, rest), _bound(upper, rest)
    frame = Frame(keys, order, ways, unit == "ROWS", low, high)
    return Over(function, given, frame, call.type, bool(distinct), tuple(options), call.user)


def is_over(expr: Expr) -> bool:
    return isinstance(expr, Call) and expr.function == OVER


def contains_over(expr: Expr) -> bool:
    """Whether a window is anywhere in the expression."""
    return any(map(is_over, walk(expr)))


def _written(bound: Bound) -> str:
    return bound.side if bound.offset is None else f"? {bound.side}"


def _bound(text: str, offsets: Iterator[Expr]) -> Bound:
    return Bound(text[2:], next(offsets)) if text.startswith("? ") else Bound(text)


def _letters(direction: Direction) -> str:
    return f"{'D' if direction.descending else 'A'}{'F' if direction.nulls_first else 'L'}"


def _direction(letters: str) -> Direction:
    return Direction(letters[0] == "D", letters[1] == "F")


@dataclass(frozen=True)
class OverWindow:
    """A window over the columns of an input: those that it is partitioned and ordered by, and its frame."""

    partition: tuple[int, ...]
    order: tuple[int, ...]
    directions: tuple[Direction, ...]
    rows: bool
    lower: Bound
    upper: Bound

    @property
    def is_unbounded(self) -> bool:
        return self.lower.side == UNBOUNDED_PRECEDING

    @property
    def preceding(self) -> int | None:
        """Rows or milliseconds before the current row; None without a bound."""
        if self.lower.side == CURRENT_ROW:
            return 0
        offset = self.lower.offset
        return offset.value if isinstance(offset, Literal) and isinstance(offset.value, int) else None


def over_fields(columns: tuple[Field, ...], calls: tuple[AggregateCall, ...]) -> tuple[Field, ...]:
    """What an OverAggregate gives: its input's columns, then a column a call."""
    return columns + tuple(Field(call.name, call.type) for call in calls)
