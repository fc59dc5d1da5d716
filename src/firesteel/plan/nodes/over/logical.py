"""Logical nodes of OVER and ORDER BY."""

from __future__ import annotations

from dataclasses import dataclass

from firesteel.functions.expression.nodes import AggregateCall, Literal
from firesteel.plan.expressions.over import Direction, OverWindow, over_fields
from firesteel.plan.tree import Field, LogicalNode, Node, SameColumns


@dataclass(frozen=True)
class OverAggregate(LogicalNode):
    """FlinkLogicalOverAggregate: each row with the results of its window.

    The arguments of calls are columns of the input. Positions from the input's width on refer to `constants`.
    """

    input: Node
    window: OverWindow
    calls: tuple[AggregateCall, ...]
    constants: tuple[Literal, ...] = ()

    @property
    def schema(self) -> tuple[Field, ...]:
        return over_fields(self.input.schema, self.calls)


@dataclass(frozen=True)
class Sort(SameColumns, LogicalNode):
    """LogicalSort: ORDER BY, LIMIT and OFFSET.

    Attributes:
        input: The rows.
        keys: Positions of the columns of ORDER BY, none for a limit alone.
        directions: Sort direction of each key.
        offset: Number of rows to skip.
        fetch: Number of rows to return after them, None for all.
    """

    keys: tuple[int, ...]
    directions: tuple[Direction, ...]
    offset: int = 0
    fetch: int | None = None
