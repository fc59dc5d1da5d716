"""OVER as an expression: one call that holds the aggregate and its window (Calcite: RexOver, RexWindow).

The arguments of the call are the aggregate's operands, then the expressions of PARTITION BY and ORDER BY,
then the bounds. So code that walks or renumbers expressions needs nothing special for windows. `Over` has the
same parts as named attributes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
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
"""Functions that number the rows of a window. With a bound on the number, the query is a Top-N."""
UNFRAMED = frozenset({*RANKS, "LAG"})
"""Functions without a frame. The query must not write one for them."""


@dataclass(frozen=True)
class Direction:
    """Sort direction of one column."""

    descending: bool = False
    nulls_first: bool = True

    @property
    def plan_text(self) -> str:
        return "DESC" if self.descending else "ASC"

    @property
    def sort_text(self) -> str:
        """Text of the direction in LogicalSort.

        By Calcite's default, NULL is the greatest value: last in ASC, first in DESC. The text is then `ASC`
        or `DESC`. Otherwise it is `ASC-nulls-first` or `DESC-nulls-last`.
        """
        if self.nulls_first is self.descending:
            return self.plan_text
        return f"{self.plan_text}-nulls-{'first' if self.nulls_first else 'last'}"

    @property
    def over_text(self) -> str:
        """Text of the direction after a sort key, in a window of the AST: ` DESC NULLS LAST`."""
        return f"{' DESC' if self.descending else ''} NULLS {'FIRST' if self.nulls_first else 'LAST'}"


def without_repeats(
    order: Sequence[tuple[int, Direction]],
) -> tuple[tuple[int, ...], tuple[Direction, ...]]:
    """Return the columns of a sort, each only at its first place, and their directions (RelCollations.of)."""
    first: dict[int, Direction] = {}
    for column, way in order:
        first.setdefault(column, way)
    return tuple(first), tuple(first.values())


@dataclass(frozen=True)
class Bound:
    """End of a frame.

    Attributes:
        side: PRECEDING, FOLLOWING, UNBOUNDED PRECEDING, UNBOUNDED FOLLOWING or CURRENT ROW.
        offset: A literal number of rows, or an interval. None if the side needs none.
    """

    side: str
    offset: Expr | None = None


DEFAULT_LOWER, DEFAULT_UPPER = Bound(UNBOUNDED_PRECEDING), Bound(CURRENT_ROW)


@dataclass(frozen=True)
class Frame:
    """Window of OVER: PARTITION BY, ORDER BY, and the rows of a partition that each row sees.

    Attributes:
        partition: Expressions of PARTITION BY.
        order: Expressions of ORDER BY.
        directions: Sort direction of each expression of ORDER BY.
        rows: Whether the frame counts ROWS. If False, it is a RANGE.
        lower: First row of the frame.
        upper: Last row of the frame.
    """

    partition: tuple[Expr, ...] = ()
    order: tuple[Expr, ...] = ()
    directions: tuple[Direction, ...] = ()
    rows: bool = False
    lower: Bound = DEFAULT_LOWER
    upper: Bound = DEFAULT_UPPER

    @property
    def can_be_empty(self) -> bool:
        """Whether Calcite assumes that a row's frame can be without rows (SqlWindow.isAlwaysNonEmpty).

        Calcite assumes it for each frame with a bound that is an expression, such as `2 PRECEDING`.
        """
        return self.lower.offset is not None or self.upper.offset is not None


@dataclass(frozen=True)
class Over:
    """Aggregate function over a window.

    `options` are those of `AggregateCall` in functions/expression/nodes.py.
    """

    function: str
    operands: tuple[Expr, ...]
    frame: Frame
    type: SqlType
    distinct: bool = False
    options: tuple[str, ...] = ()
    user: UserDefined | None = None

    def call(self) -> Call:
        """Return the OVER call with these parts."""
        frame = self.frame
        bounds = tuple(b.offset for b in (frame.lower, frame.upper) if b.offset is not None)
        sides = (_written(frame.lower), _written(frame.upper))
        directions = ",".join(_letters(d) for d in frame.directions)
        counts = (str(len(self.operands)), str(len(frame.partition)))
        parts = (self.function, *counts, directions, "ROWS" if frame.rows else "RANGE", *sides)
        options = (*parts, "DISTINCT" if self.distinct else "", *self.options)
        args = (*self.operands, *frame.partition, *frame.order, *bounds)
        return Call(OVER, args, self.type, options, user=self.user)


def over_of(call: Call) -> Over:
    """Return the parts of an OVER call."""
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
    """Return whether an expression contains an OVER call."""
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
    """Window over the columns of an input: columns of PARTITION BY and ORDER BY, and the frame."""

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
        """Number of rows (ROWS) or milliseconds (RANGE) from the frame's lower bound to the current row.

        0 if the frame begins at the current row, None if it begins with the partition.
        """
        if self.lower.side == CURRENT_ROW:
            return 0
        offset = self.lower.offset
        return offset.value if isinstance(offset, Literal) and isinstance(offset.value, int) else None


def over_fields(columns: tuple[Field, ...], calls: tuple[AggregateCall, ...]) -> tuple[Field, ...]:
    """Return the columns of an OverAggregate: those of its input, then one for each call."""
    return columns + tuple(Field(call.name, call.type) for call in calls)
