"""Physical nodes of OVER and ORDER BY. They have all that the translation to a job needs."""

from __future__ import annotations

from dataclasses import dataclass

from firesteel.functions.expression.nodes import AggregateCall, Literal
from firesteel.plan.expressions.over import Direction, OverWindow, over_fields
from firesteel.plan.tree import Field, Node, PhysicalNode, SameColumns


@dataclass(frozen=True)
class OverAggregate(PhysicalNode):
    """Each row with the results of its window. Flink: StreamPhysicalOverAggregate.

    The arguments of calls are columns of the input. Positions from the input's width on refer to `constants`.
    `time` is the kind of the ORDER BY column: `rowtime`, `proctime`, or `none` for any other column.
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
class TemporalSort(SameColumns, PhysicalNode):
    """Sort by a time attribute, ascending, and then by other columns. Flink: StreamPhysicalTemporalSort.

    `is_rowtime`: whether the first key is an event time. If False, it is a processing time.
    """

    keys: tuple[int, ...]
    directions: tuple[Direction, ...]
    is_rowtime: bool
