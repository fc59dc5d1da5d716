"""Logical nodes of OVER and ORDER BY."""

from __future__ import annotations

from dataclasses import dataclass

from firesteel.functions.expression.nodes import AggregateCall, Literal
from firesteel.plan.expressions.over import Direction, OverWindow, over_fields
from firesteel.plan.tree import Field, LogicalNode, Node


@dataclass(frozen=True)
class OverAggregate(LogicalNode):
    """Each row with what its window gives: FlinkLogicalOverAggregate.

    The arguments of calls are columns of the input or, from its width on, the `constants`.
    """

    input: Node
    window: OverWindow
    calls: tuple[AggregateCall, ...]
    constants: tuple[Literal, ...] = ()

    @property
    def schema(self) -> tuple[Field, ...]:
        return over_fields(self.input.schema, self.calls)


@dataclass(frozen=True)
class Sort(LogicalNode):
    """LogicalSort.

    Attributes:
        input: Where the rows come from.
        keys: Positions of the columns of ORDER BY, none for a limit alone.
        directions: How each of them is sorted.
        offset: Number of rows that are left out first.
        fetch: Number of rows that follow, None for all.
    """

    input: Node
    keys: tuple[int, ...]
    directions: tuple[Direction, ...]
    offset: int = 0
    fetch: int | None = None

    @property
    def schema(self) -> tuple[Field, ...]:
        return self.input.schema
