"""Logical nodes of windows. plan/nodes/window/physical.py has the physical ones."""

from __future__ import annotations

from dataclasses import dataclass

from firesteel.functions.expression.nodes import Literal
from firesteel.plan.nodes.window.shared import GroupWindowAggregateNode, WindowAggregateNode
from firesteel.plan.tree import Field, LogicalNode, Node
from firesteel.plan.windowing import WINDOW_COLUMNS, Window, window_fields


@dataclass(frozen=True)
class WindowTableFunction(LogicalNode):
    """LogicalTableFunctionScan of TUMBLE, HOP, CUMULATE or SESSION.

    The output is the input's columns, then window_start, window_end and window_time.

    Attributes:
        input: The rows.
        window: The windows.
        time: Position of the time attribute.
        is_rowtime: Whether it is event time.
        descriptor: Column names in DESCRIPTOR(...), as written.
        arguments: The intervals, as written.
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
class WindowAggregate(WindowAggregateNode, LogicalNode):
    """Logical aggregate of windows. The number of its phases is not decided yet."""


@dataclass(frozen=True)
class GroupWindowAggregate(GroupWindowAggregateNode, LogicalNode):
    """FlinkLogicalWindowAggregate: an aggregate by a window of GROUP BY."""
