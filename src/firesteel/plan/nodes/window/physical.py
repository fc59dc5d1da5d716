"""The physical nodes of windows; as those of plan/nodes/physical.py they decide everything."""

from __future__ import annotations

from dataclasses import dataclass

from firesteel.functions.expression.nodes import AggregateCall
from firesteel.plan.nodes.accumulators import accumulator_fields
from firesteel.plan.nodes.window.shared import GroupWindowAggregateNode, WindowAggregateNode
from firesteel.plan.tree import Field, Node, PhaseNode, PhysicalNode
from firesteel.plan.windowing import WINDOW_COLUMNS, Emit, Windowing, window_fields
from firesteel.types.sql import BIGINT


@dataclass(frozen=True)
class WindowTableFunction(PhysicalNode):
    """Put window_start, window_end and window_time after every row, once for each of its windows.

    Flink: StreamPhysicalWindowTableFunction.
    """

    input: Node
    windowing: Windowing

    @property
    def schema(self) -> tuple[Field, ...]:
        return self.input.schema + window_fields(WINDOW_COLUMNS, self.windowing.time_type)


@dataclass(frozen=True)
class WindowAggregate(WindowAggregateNode, PhysicalNode):
    """Aggregate by key and window, and publish when the window is over. Flink: StreamPhysicalWindowAggregate.

    retract: for each call, whether its RETRACT variant runs.
    """

    retract: tuple[bool, ...] = ()


@dataclass(frozen=True)
class LocalWindowAggregate(PhaseNode):
    """Aggregate by key and slice before the exchange. Flink: StreamPhysicalLocalWindowAggregate.

    Output is keys, accumulators, and the end of the slice (or of the window) in milliseconds.
    """

    input: Node
    keys: tuple[int, ...]
    calls: tuple[AggregateCall, ...]
    windowing: Windowing
    retract: tuple[bool, ...]

    @property
    def schema(self) -> tuple[Field, ...]:
        columns = self.input.schema
        end = "$slice_end" if self.windowing.column("time_col") is not None else "$window_end"
        accumulators = accumulator_fields(self.calls, self.retract, columns)
        return (*(columns[k] for k in self.keys), *accumulators, Field(end, BIGINT))


@dataclass(frozen=True)
class GlobalWindowAggregate(WindowAggregateNode, PhaseNode):
    """Merge accumulators by key and window. Flink: StreamPhysicalGlobalWindowAggregate.

    keys: positions in the input, which are its first columns. results: how many of the calls the query
    asked for; a count of records may come after them.
    """

    retract: tuple[bool, ...]
    results: int

    @property
    def asked(self) -> tuple[AggregateCall, ...]:
        return self.calls[: self.results]


@dataclass(frozen=True)
class GroupWindowAggregate(GroupWindowAggregateNode, PhysicalNode):
    """Aggregate by key and by a window of GROUP BY. Flink: StreamPhysicalGroupWindowAggregate.

    emit: how results come before the window's end or after it, None where they do not. updates: whether a
    later result of a window replaces an earlier one.
    """

    emit: Emit | None = None
    updates: bool = False


WINDOWS = (
    WindowTableFunction,
    WindowAggregate,
    LocalWindowAggregate,
    GlobalWindowAggregate,
    GroupWindowAggregate,
)
"""All of them."""
