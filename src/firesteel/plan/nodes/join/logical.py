"""Logical nodes of joins."""

from __future__ import annotations

from dataclasses import dataclass, field

from firesteel.plan.nodes.join.join_type import JoinHints, join_fields, named
from firesteel.plan.nodes.join.shared import JoinNode
from firesteel.plan.tree import Field, LogicalNode


@dataclass(frozen=True)
class Join(JoinNode, LogicalNode):
    """LogicalJoin. SEMI and ANTI joins have the columns of the left input only.

    Attributes:
        hints: Hints of the query about the join.
        names: Names of the output columns of a join that may become a MultiJoin. Empty for any other join,
            whose columns have the names of `join_fields`.
    """

    hints: JoinHints = field(default_factory=JoinHints)
    names: tuple[str, ...] = ()

    @property
    def schema(self) -> tuple[Field, ...]:
        left, right = self.inputs
        return named(join_fields(left.schema, right.schema, self.join_type), self.names)

    @property
    def becomes_multi_join(self) -> bool:
        """Whether rules may turn the join into a MultiJoin.

        `name_multi_joins` in rules/join/multi_join.py sets `names` of these joins, and of no others.
        """
        return bool(self.names)
