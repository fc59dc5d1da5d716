"""Base classes that logical and physical aggregates of windows share."""

from __future__ import annotations

from dataclasses import dataclass, field

from firesteel.functions.expression.nodes import AggregateCall
from firesteel.plan.tree import Field, Node
from firesteel.plan.windowing import Window, Windowing, group_window_fields, renamed, window_aggregate_fields
from firesteel.types.sql import SqlType


@dataclass(frozen=True)
class WindowAggregateNode(Node):
    """Aggregate by key and by the windows of a window table function.

    Attributes:
        input: The rows.
        keys: Positions of the grouping columns.
        calls: The aggregate functions.
        windowing: The windows, and the input columns from which the operator gets the windows of a row: a
            time column, the columns window_start and window_end, or the end of a slice.
        properties: Names of the output's window columns, such as window_start. They follow the calls'
            results.
        outputs: Names of all output columns in the query, if they differ from `own_fields`. Empty otherwise.
    """

    input: Node
    keys: tuple[int, ...]
    calls: tuple[AggregateCall, ...]
    windowing: Windowing
    properties: tuple[str, ...]
    outputs: tuple[str, ...] = field(default=(), kw_only=True)

    @property
    def asked(self) -> tuple[AggregateCall, ...]:
        """Aggregate calls of the query, without a COUNT(*) that the planner has added."""
        return self.calls

    @property
    def own_fields(self) -> tuple[Field, ...]:
        """Columns with the node's own names: keys, calls of the query, columns of the window."""
        keys = [self.input.schema[k] for k in self.keys]
        return window_aggregate_fields(keys, self.asked, self.properties, self.windowing.time_type)

    @property
    def schema(self) -> tuple[Field, ...]:
        return renamed(self.own_fields, self.outputs)


@dataclass(frozen=True)
class GroupWindowAggregateNode(Node):
    """Aggregate by key and by a window of GROUP BY.

    Attributes:
        input: The rows.
        keys: Positions of the grouping columns.
        calls: The aggregate functions.
        window: TUMBLE, HOP or SESSION, with its lengths.
        time: Position of the time column. None if the operator reads the clock.
        time_name: Name of the time in plans.
        time_type: Type of the time.
        is_rowtime: Whether the time is event time.
        properties: Columns of the window that the query reads, such as w$start. They follow the calls.
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
