"""Physical nodes of joins. They decide everything: what keeps the state, and by which keys."""

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
from firesteel.plan.tree import Field, Node, PhysicalNode


@dataclass(frozen=True)
class Join(PhysicalNode):
    """Join two changing inputs and keep both (Flink: StreamPhysicalJoin).

    Attributes:
        inputs: The left and the right input, each behind an exchange by its equal columns.
        join_type: Which rows are sent.
        condition: Over the columns of the left input, then those of the right one.
        hints: What the query says about the join.
        names: Names of the output columns, empty for those that the inputs give.
        unique_keys: Of each input, the unique keys of its rows, as sets of positions.
        mini_batch: Whether the changes of a bundle are reduced before they meet.
    """

    inputs: tuple[Node, Node]
    join_type: JoinType
    condition: Expr
    unique_keys: tuple[tuple[tuple[int, ...], ...], tuple[tuple[int, ...], ...]] = ((), ())
    mini_batch: bool = False
    hints: JoinHints = field(default_factory=JoinHints)
    names: tuple[str, ...] = ()

    @property
    def schema(self) -> tuple[Field, ...]:
        left, right = self.inputs
        return named(join_fields(left.schema, right.schema, self.join_type), self.names)

    @property
    def equal_columns(self) -> EqualColumns:
        """Return the columns that the condition holds equal."""
        return equal_columns(self.condition, len(self.inputs[0].schema))

    def unique_key(self, port: int) -> tuple[int, ...] | None:
        """Return the unique key by which the state keeps the rows of an input, None if there is none.

        The smallest one that lies within the equal columns, else the smallest one.
        """
        keys = self.equal_columns.left if port == 0 else self.equal_columns.right
        found = self.unique_keys[port]
        within = [key for key in found if set(key) <= set(keys)]
        return min(within or found, key=lambda key: (len(key), key), default=None)

    def input_spec(self, port: int) -> str:
        """Return what plans say about the rows of an input (Flink: JoinInputSideSpec)."""
        key = self.unique_key(port)
        if key is None:
            return "NoUniqueKey"
        keys = self.equal_columns.left if port == 0 else self.equal_columns.right
        return "JoinKeyContainsUniqueKey" if set(key) <= set(keys) else "HasUniqueKey"
