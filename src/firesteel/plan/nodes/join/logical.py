"""Logical nodes of joins."""

from __future__ import annotations

from dataclasses import dataclass, field

from firesteel.functions.expression.nodes import Expr
from firesteel.plan.nodes.join.join_type import (
    EqualColumns,
    JoinHints,
    JoinType,
    equal_columns,
    join_fields,
    named,
)
from firesteel.plan.tree import Field, LogicalNode, Node


@dataclass(frozen=True)
class Join(LogicalNode):
    """LogicalJoin. SEMI and ANTI joins have the columns of the left input only.

    Attributes:
        inputs: The left and the right input.
        join_type: Type of the join: the rows that are sent.
        condition: Condition over the columns of the left input, then of the right one.
        hints: Hints of the query about the join.
        names: Names of the output columns. Empty for the default names.
    """

    inputs: tuple[Node, Node]
    join_type: JoinType
    condition: Expr
    hints: JoinHints = field(default_factory=JoinHints)
    names: tuple[str, ...] = ()

    @property
    def schema(self) -> tuple[Field, ...]:
        left, right = self.inputs
        return named(join_fields(left.schema, right.schema, self.join_type), self.names)

    @property
    def left_width(self) -> int:
        """Number of columns of the left input, and position of the first right column."""
        return len(self.inputs[0].schema)

    @property
    def equal_columns(self) -> EqualColumns:
        """Return the columns that the condition requires to be equal."""
        return equal_columns(self.condition, self.left_width)
