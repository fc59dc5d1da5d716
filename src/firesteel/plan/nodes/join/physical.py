"""Physical nodes of joins, with the keys by which the state keeps the rows of each input."""

from __future__ import annotations

from dataclasses import dataclass, field

from firesteel.plan.nodes.join.join_type import JoinHints, join_fields, named
from firesteel.plan.nodes.join.shared import JoinNode
from firesteel.plan.tree import Field, PhysicalNode


@dataclass(frozen=True)
class Join(JoinNode, PhysicalNode):
    """Join two changing inputs, and keep the rows of both (Flink: StreamPhysicalJoin).

    Each input comes after an exchange by the columns that the join equates.

    Attributes:
        unique_keys: Unique keys of each input's rows, as sets of positions.
        hints: Hints of the query about the join.
        names: Names of the output columns. Empty for the names of `join_fields`.
        mini_batch: Whether the join gathers changes in bundles, and drops changes of a bundle that cancel out
            before it joins the rest.
    """

    unique_keys: tuple[tuple[tuple[int, ...], ...], tuple[tuple[int, ...], ...]] = ((), ())
    mini_batch: bool = False
    hints: JoinHints = field(default_factory=JoinHints)
    names: tuple[str, ...] = ()

    @property
    def schema(self) -> tuple[Field, ...]:
        left, right = self.inputs
        return named(join_fields(left.schema, right.schema, self.join_type), self.names)

    def unique_key(self, port: int) -> tuple[int, ...] | None:
        """Return the unique key by which the state keeps the rows of an input, None if the input has none.

        It is the smallest unique key among the columns that the join equates. If they contain none, it is the
        smallest of all unique keys.

        Args:
            port: The input, 0 or 1.
        """
        keys = self.equal_columns.left if port == 0 else self.equal_columns.right
        found = self.unique_keys[port]
        within = [key for key in found if set(key) <= set(keys)]
        return min(within or found, key=lambda key: (len(key), key), default=None)

    def input_spec(self, port: int) -> str:
        """Return the text of an input's key in plans (Flink: JoinInputSideSpec)."""
        key = self.unique_key(port)
        if key is None:
            return "NoUniqueKey"
        keys = self.equal_columns.left if port == 0 else self.equal_columns.right
        return "JoinKeyContainsUniqueKey" if set(key) <= set(keys) else "HasUniqueKey"
