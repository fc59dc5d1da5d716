"""The physical nodes of OVER and ORDER BY; as those of plan/nodes/physical.py they decide everything."""

from __future__ import annotations

from dataclasses import dataclass

from firesteel.functions.expression.nodes import AggregateCall, Literal
from firesteel.plan.expressions.over import Direction, OverWindow, over_fields
from firesteel.plan.tree import Field, Node, PhysicalNode


@dataclass(frozen=True)
class OverAggregate(PhysicalNode):
    """Each row with what its window gives. Flink: StreamPhysicalOverAggregate.

    The arguments of calls are columns of the input or, from its width on, the `constants`. time: what the
    window is ordered by: `rowtime`, `proctime`, or `none`, any other column.
    """

    input: Node
    window: OverWindow
    calls: tuple[AggregateCall, ...]
    constants: tuple[Literal, ...]
    time: str

    @property
    def schema(self) -> tuple[Field, ...]:
        return over_fields(self.input.schema, self.calls)


@dataclass(frozen=True)
class TemporalSort(PhysicalNode):
    """Sort by a time attribute, ascending, and then by other columns. Flink: StreamPhysicalTemporalSort.

    is_rowtime: whether the first key is an event time; it is a processing time otherwise.
    """

    input: Node
    keys: tuple[int, ...]
    directions: tuple[Direction, ...]
    is_rowtime: bool

    @property
    def schema(self) -> tuple[Field, ...]:
        return self.input.schema
