"""Physical node of window joins."""

from __future__ import annotations

from dataclasses import dataclass, field

from firesteel.functions.expression.nodes import Expr
from firesteel.plan.nodes.join.join_type import (
    EqualColumns,
    JoinHints,
    JoinType,
    equal_columns,
    join_fields,
)
from firesteel.plan.tree import Field, Node, PhysicalNode
from firesteel.plan.windowing import Windowing


@dataclass(frozen=True)
class WindowJoin(PhysicalNode):
    """Join the rows of equal windows at their end (Flink: StreamPhysicalWindowJoin).

    Attributes:
        inputs: The left and the right input, each after an exchange by its equal columns.
        windowings: For each input its windows, which are read from the columns with their borders.
        join_type: Type of the join: the rows that are sent.
        condition: Condition beside equal windows, over the columns of the left input, then of the right one.
        hints: Join hints of the query.
    """

    inputs: tuple[Node, Node]
    windowings: tuple[Windowing, Windowing]
    join_type: JoinType
    condition: Expr
    hints: JoinHints = field(default_factory=JoinHints)

    @property
    def schema(self) -> tuple[Field, ...]:
        left, right = self.inputs
        return join_fields(left.schema, right.schema, self.join_type)

    @property
    def equal_columns(self) -> EqualColumns:
        """Return the columns that the condition requires to be equal, without the windows."""
        return equal_columns(self.condition, len(self.inputs[0].schema))
