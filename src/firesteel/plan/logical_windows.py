"""The logical nodes of windows; plan/physical_windows.py has what becomes of them."""

from __future__ import annotations

from dataclasses import dataclass

from firesteel.expr.nodes import AggregateCall, Literal
from firesteel.plan.logical import LogicalNode
from firesteel.plan.tree import Field, Node
from firesteel.plan.windows import (
    WINDOW_COLUMNS,
    Window,
    Windowing,
    group_window_fields,
    renamed,
    window_aggregate_fields,
    window_fields,
)
from firesteel.types.sql import SqlType


@dataclass(frozen=True)
class WindowTableFunction(LogicalNode):
    """LogicalTableFunctionScan of TUMBLE, HOP, CUMULATE or SESSION.

    Output is the input's columns, then window_start, window_end and window_time. time: the position of
    the time attribute; is_rowtime: whether it is event time. descriptor, arguments: the names and the
    intervals as they were written.
    """

    input: Node
    window: Window
    time: int
    is_rowtime: bool
    descriptor: tuple[str, ...]
    arguments: tuple[Literal, ...]

    @property
    def schema(self) -> tuple[Field, ...]:
        columns = self.input.schema
        return columns + window_fields(WINDOW_COLUMNS, columns[self.time].type.with_nullable(False))


@dataclass(frozen=True)
class WindowAggregate(LogicalNode):
    """An aggregate by key and by the windows of a window table function.

    properties: which of the window's columns come after the calls. outputs: what the node above calls the
    columns, where it calls them otherwise.
    """

    input: Node
    keys: tuple[int, ...]
    calls: tuple[AggregateCall, ...]
    windowing: Windowing
    properties: tuple[str, ...]
    outputs: tuple[str, ...] = ()

    @property
    def schema(self) -> tuple[Field, ...]:
        keys = [self.input.schema[k] for k in self.keys]
        found = window_aggregate_fields(keys, self.calls, self.properties, self.windowing.time_type)
        return renamed(found, self.outputs)


@dataclass(frozen=True)
class GroupWindowAggregate(LogicalNode):
    """An aggregate by key and by a window of GROUP BY: FlinkLogicalWindowAggregate.

    window: TUMBLE, HOP or SESSION. time: the column of the time, None where the operator reads the clock;
    time_name: what plans call it. properties: w$start and the others, after the calls, where the query reads
    any.
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

    @property
    def schema(self) -> tuple[Field, ...]:
        keys = [self.input.schema[k] for k in self.keys]
        return group_window_fields(keys, self.calls, self.properties, self.time_type)
