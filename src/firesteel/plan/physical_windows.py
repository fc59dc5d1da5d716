"""The physical nodes of windows; as those of plan/physical.py they decide everything."""

from __future__ import annotations

from dataclasses import dataclass

from firesteel.expr.nodes import AggregateCall
from firesteel.plan.accumulators import accumulator_fields
from firesteel.plan.physical import PhaseNode, PhysicalNode
from firesteel.plan.tree import Field, Node
from firesteel.plan.windows import (
    WINDOW_COLUMNS,
    Emit,
    Window,
    Windowing,
    group_window_fields,
    renamed,
    window_aggregate_fields,
    window_fields,
)
from firesteel.types.sql import BIGINT, SqlType


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
class WindowAggregate(PhysicalNode):
    """Aggregate by key and window, and publish when the window is over. Flink: StreamPhysicalWindowAggregate.

    properties: which of the window's columns come after the calls. retract: for each call, whether its
    RETRACT variant runs. outputs: what the node above calls the columns, where it calls them otherwise.
    """

    input: Node
    keys: tuple[int, ...]
    calls: tuple[AggregateCall, ...]
    windowing: Windowing
    properties: tuple[str, ...]
    retract: tuple[bool, ...] = ()
    outputs: tuple[str, ...] = ()

    @property
    def schema(self) -> tuple[Field, ...]:
        return renamed(window_results(self), self.outputs)


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
class GlobalWindowAggregate(PhaseNode):
    """Merge accumulators by key and window. Flink: StreamPhysicalGlobalWindowAggregate.

    keys: positions in the input, which are its first columns. results: how many of the calls the query
    asked for; a count of records may come after them.
    """

    input: Node
    keys: tuple[int, ...]
    calls: tuple[AggregateCall, ...]
    windowing: Windowing
    properties: tuple[str, ...]
    retract: tuple[bool, ...]
    results: int
    outputs: tuple[str, ...] = ()

    @property
    def schema(self) -> tuple[Field, ...]:
        return renamed(window_results(self), self.outputs)


def window_results(node: WindowAggregate | GlobalWindowAggregate) -> tuple[Field, ...]:
    """The columns as the node itself calls them: keys, the query's calls, the window's columns."""
    keys = [node.input.schema[k] for k in node.keys]
    calls = node.calls[: node.results] if isinstance(node, GlobalWindowAggregate) else node.calls
    return window_aggregate_fields(keys, calls, node.properties, node.windowing.time_type)


@dataclass(frozen=True)
class GroupWindowAggregate(PhysicalNode):
    """Aggregate by key and by a window of GROUP BY. Flink: StreamPhysicalGroupWindowAggregate.

    The fields are the logical one's, and: emit: how results come before the window's end or after it, None
    where they do not; updates: whether a later result of a window replaces an earlier one.
    """

    input: Node
    keys: tuple[int, ...]
    calls: tuple[AggregateCall, ...]
    window: Window
    time: int | None
    time_name: str
    time_type: SqlType
    is_rowtime: bool
    properties: tuple[str, ...] = ()
    emit: Emit | None = None
    updates: bool = False

    @property
    def schema(self) -> tuple[Field, ...]:
        keys = [self.input.schema[k] for k in self.keys]
        return group_window_fields(keys, self.calls, self.properties, self.time_type)


WINDOWS = (
    WindowTableFunction,
    WindowAggregate,
    LocalWindowAggregate,
    GlobalWindowAggregate,
    GroupWindowAggregate,
)
"""All of them."""
