"""Physical node of interval joins."""

from __future__ import annotations

from dataclasses import dataclass

from firesteel.functions.expression.nodes import Expr
from firesteel.plan.nodes.join.join_type import EqualColumns, JoinType, equal_columns, join_fields
from firesteel.plan.tree import Field, Node, PhysicalNode


@dataclass(frozen=True)
class IntervalBounds:
    """Bounds of the distance between the times of two joined rows (Flink: IntervalJoinSpec.WindowBounds).

    A pair has: right time + lower <= left time <= right time + upper.

    Attributes:
        is_rowtime: Whether the times are event time, else processing time.
        lower: Least difference left - right in milliseconds.
        upper: Greatest difference left - right in milliseconds. If it is less than `lower`, no pair exists.
        left_time: Position of the time attribute in the left input.
        right_time: Position of the time attribute in the right input.
    """

    is_rowtime: bool
    lower: int
    upper: int
    left_time: int
    right_time: int


@dataclass(frozen=True)
class IntervalJoin(PhysicalNode):
    """Join rows whose times are close, and keep a row only while it may have partners.

    Flink: StreamPhysicalIntervalJoin.

    Attributes:
        inputs: The left and the right input, each after an exchange by its equal columns.
        join_type: Which rows are sent.
        condition: The whole condition, over the columns of the left input, then those of the right one.
        remaining: The condition without what the bounds say.
        bounds: The bounds of the times.
    """

    inputs: tuple[Node, Node]
    join_type: JoinType
    condition: Expr
    remaining: Expr
    bounds: IntervalBounds

    @property
    def schema(self) -> tuple[Field, ...]:
        left, right = self.inputs
        return join_fields(left.schema, right.schema, self.join_type)

    @property
    def equal_columns(self) -> EqualColumns:
        """Columns that the condition requires to be equal. Equal times are not among them."""
        return equal_columns(self.remaining, len(self.inputs[0].schema))
