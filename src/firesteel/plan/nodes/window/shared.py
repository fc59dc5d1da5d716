"""What logical and physical aggregates of windows have in common."""

from __future__ import annotations

from dataclasses import dataclass, field

from firesteel.functions.expression.nodes import AggregateCall
from firesteel.plan.tree import Field, Node
from firesteel.plan.windowing import Window, Windowing, group_window_fields, renamed, window_aggregate_fields
from firesteel.types.sql import SqlType


@dataclass(frozen=True)
class WindowAggregateNode(Node):
    """An aggregate by key and by the windows of a window table function.

    properties: which of the window's columns come after the calls. outputs: what the node above calls the
    columns, where it calls them otherwise.
    """

    input: Node
    keys: tuple[int, ...]
    calls: tuple[AggregateCall, ...]
    windowing: Windowing
    properties: tuple[str, ...]
    outputs: tuple[str, ...] = field(default=(), kw_only=True)

    @property
    def asked(self) -> tuple[AggregateCall, ...]:
        """The query's calls."""
        return self.calls

    @property
    def own_fields(self) -> tuple[Field, ...]:
        """The columns as the node itself calls them: keys, the query's calls, the window's columns."""
        keys = [self.input.schema[k] for k in self.keys]
        return window_aggregate_fields(keys, self.asked, self.properties, self.windowing.time_type)

    @property
    def schema(self) -> tuple[Field, ...]:
        return renamed(self.own_fields, self.outputs)


@dataclass(frozen=True)
class GroupWindowAggregateNode(Node):
    """An aggregate by key and by a window of GROUP BY.

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
