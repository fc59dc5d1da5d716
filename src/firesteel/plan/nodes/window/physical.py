"""Physical nodes of windows. The planner sets their attributes; job/lower translates them to operators."""

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
    """Append window_start, window_end and window_time to every row, once for each window of the row.

    Flink: StreamPhysicalWindowTableFunction.
    """

    input: Node
    windowing: Windowing

    @property
    def schema(self) -> tuple[Field, ...]:
        return self.input.schema + window_fields(WINDOW_COLUMNS, self.windowing.time_type)


@dataclass(frozen=True)
class WindowAggregate(WindowAggregateNode, PhysicalNode):
    """Aggregate by key and window, and send results when the window ends.

    Flink: StreamPhysicalWindowAggregate.

    `retract`: for each call, whether it also takes rows back. Plans show such a call as `SUM_RETRACT`.
    """

    retract: tuple[bool, ...] = ()


@dataclass(frozen=True)
class LocalWindowAggregate(PhaseNode):
    """Aggregate by key and slice before the exchange. Flink: StreamPhysicalLocalWindowAggregate.

    The output is keys, accumulators, and the end of the slice in milliseconds. If a node below has computed
    the windows, rows are aggregated by window, and the last column is the end of the window.
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

    Attributes:
        keys: Positions of the keys, which are the first columns of the input.
        results: Number of calls of the query. A COUNT(*) that the planner has added to count records may
            follow them.
    """

    retract: tuple[bool, ...]
    results: int

    @property
    def asked(self) -> tuple[AggregateCall, ...]:
        return self.calls[: self.results]


@dataclass(frozen=True)
class GroupWindowAggregate(GroupWindowAggregateNode, PhysicalNode):
    """Aggregate by key and by a window of GROUP BY. Flink: StreamPhysicalGroupWindowAggregate.

    Attributes:
        emit: Settings of early and late results. None if there are no such results.
        updates: Whether a later result of a window replaces an earlier one.
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
"""All physical nodes of windows."""
