"""Physical node of temporal joins."""

from __future__ import annotations

from dataclasses import dataclass

from firesteel.errors import InternalError
from firesteel.functions.expression.nodes import Expr
from firesteel.plan.nodes.join.join_type import EqualColumns, JoinType, equal_columns, join_fields
from firesteel.plan.nodes.join.temporal_condition import TemporalCondition, temporal_call
from firesteel.plan.tree import Field, Node, PhysicalNode


@dataclass(frozen=True)
class TemporalJoin(PhysicalNode):
    """Join each row with the version valid at its time (Flink: StreamPhysicalTemporalJoin).

    Attributes:
        inputs: The rows and the versions, each after an exchange by its equal columns.
        join_type: INNER, or LEFT: a row without a version is padded.
        condition: Condition over the columns of the left input, then of the right one. One of its terms names
            the times and the keys (condition.py).
    """

    inputs: tuple[Node, Node]
    join_type: JoinType
    condition: Expr

    @property
    def schema(self) -> tuple[Field, ...]:
        left, right = self.inputs
        return join_fields(left.schema, right.schema, self.join_type)

    @property
    def left_width(self) -> int:
        """Number of columns of the left input, and position of the first right column."""
        return len(self.inputs[0].schema)

    @property
    def equal_columns(self) -> EqualColumns:
        """Return the columns that the condition requires to be equal."""
        return equal_columns(self.condition, self.left_width)

    @property
    def temporal(self) -> TemporalCondition:
        """Return the part of the condition about times and keys."""
        call = temporal_call(self.condition)
        if call is None:
            raise InternalError("the condition of a temporal join names no times")
        return TemporalCondition.of(call)

    @property
    def rest(self) -> tuple[Expr, ...]:
        """Return the part of the condition beside equal columns and the time."""
        call = temporal_call(self.condition)
        return tuple(term for term in self.equal_columns.rest if term != call)
