"""Physical node of interval joins."""

from __future__ import annotations

from dataclasses import dataclass

from firesteel.functions.expression.nodes import Expr
from firesteel.plan.nodes.join.join_type import EqualColumns, equal_columns
from firesteel.plan.nodes.join.shared import JoinNode
from firesteel.plan.tree import PhysicalNode


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
class IntervalJoin(JoinNode, PhysicalNode):
    """Join rows whose times are close, and keep a row only while it may have partners.

    Each input comes after an exchange by the columns that the join equates. Flink:
    StreamPhysicalIntervalJoin.

    Attributes:
        remaining: The condition without the comparisons of times that `bounds` expresses.
        bounds: The bounds of the times.
    """

    remaining: Expr
    bounds: IntervalBounds

    @property
    def equal_columns(self) -> EqualColumns:
        """Columns that the condition requires to be equal. Equal times are not among them."""
        return equal_columns(self.remaining, self.left_width)
