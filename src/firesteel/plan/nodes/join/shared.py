"""Base classes of nodes that join two inputs."""

from __future__ import annotations

from dataclasses import dataclass

from firesteel.functions.expression.nodes import Expr
from firesteel.plan.nodes.join.join_type import EqualColumns, JoinType, equal_columns, join_fields
from firesteel.plan.tree import Field, Node


@dataclass(frozen=True)
class TwoInputNode(Node):
    """Rows of two inputs side by side.

    Attributes:
        inputs: The left and the right input.
        join_type: Type of the join, which decides the rows that are sent.
    """

    inputs: tuple[Node, Node]
    join_type: JoinType

    @property
    def schema(self) -> tuple[Field, ...]:
        left, right = self.inputs
        return join_fields(left.schema, right.schema, self.join_type)

    @property
    def left_width(self) -> int:
        """Number of columns of the left input, and position of the first right column."""
        return len(self.inputs[0].schema)


@dataclass(frozen=True)
class JoinNode(TwoInputNode):
    """Join of two inputs by a condition.

    Attributes:
        condition: Condition over the columns of the left input, then of the right one.
    """

    condition: Expr

    @property
    def equal_columns(self) -> EqualColumns:
        """Columns that the condition requires to be equal."""
        return equal_columns(self.condition, self.left_width)
