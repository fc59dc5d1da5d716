"""Physical node of a join of several inputs by one key."""

from __future__ import annotations

from dataclasses import dataclass

from firesteel.functions.expression.nodes import Expr
from firesteel.plan.nodes.join.join_type import JoinHints, JoinType, equal_columns, join_fields, named
from firesteel.plan.nodes.join.physical import Join
from firesteel.plan.nodes.physical import Exchange
from firesteel.plan.tree import Field, Node, PhysicalNode

Keys = tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class MultiJoin(PhysicalNode):
    """Join n inputs by one key (Flink: StreamPhysicalMultiJoin). It runs as a chain of joins of two inputs.

    Attributes:
        inputs: The inputs, each after an exchange by the common key.
        keys: Positions of the common key in each input.
        join_types: INNER or LEFT for each input but the first: how it is joined with the result so far.
        conditions: Condition of each of these joins, over the columns of the result so far, then of the
            input.
        hints: Hints of the query about each of these joins.
        unique_keys: Unique keys of each input's rows.
        state_keys: For each join the unique keys by which it may keep the rows of its inputs. Empty until
            rules/join/choose_join_state.py chooses them.
        names: Names of the output columns. Empty if they have the names of `join_fields`.
    """

    inputs: tuple[Node, ...]
    keys: Keys
    join_types: tuple[JoinType, ...]
    conditions: tuple[Expr, ...]
    hints: tuple[JoinHints, ...]
    unique_keys: tuple[Keys, ...] = ()
    state_keys: tuple[tuple[Keys, Keys], ...] = ()
    names: tuple[str, ...] = ()

    @property
    def schema(self) -> tuple[Field, ...]:
        fields = self.inputs[0].schema
        for join_type, side in zip(self.join_types, self.inputs[1:], strict=True):
            fields = join_fields(fields, side.schema, join_type)
        return named(fields, self.names)

    def joins(self) -> Join:
        """Return the chain of two-input joins that this node stands for."""
        left: Node = self.inputs[0]
        keys = self.state_keys or (((), ()),) * len(self.join_types)
        joins = zip(self.join_types, self.conditions, self.hints, keys, self.inputs[1:], strict=True)
        for join_type, condition, hints, unique, side in joins:
            assert isinstance(left, (Exchange, Join))
            assert isinstance(side, Exchange)
            below = left.input if isinstance(left, Exchange) else left
            equal = equal_columns(condition, len(below.schema))
            inputs = (
                Exchange(below, equal.left, mode=left.mode),
                Exchange(side.input, equal.right, mode=side.mode),
            )
            left = Join(inputs, join_type, condition, unique, hints=hints, mode=self.mode)
        assert isinstance(left, Join)
        return left
