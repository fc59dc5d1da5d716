"""The physical nodes of windows. As in plan/physical.py they decide everything, `mode` comes last."""

from __future__ import annotations

from dataclasses import dataclass

from firesteel.changelog import ChangelogMode
from firesteel.expr.nodes import AggregateCall
from firesteel.plan.accumulators import accumulator_fields
from firesteel.plan.tree import Field, Node
from firesteel.plan.windows import WINDOW_COLUMNS, Window, Windowing, window_fields
from firesteel.types.sql import BIGINT, SqlType, timestamp, timestamp_ltz


@dataclass(frozen=True)
class WindowTableFunction(Node):
    """Put window_start, window_end and window_time after every row, once for each of its windows.

    Flink: StreamPhysicalWindowTableFunction.
    """

    input: Node
    windowing: Windowing
    mode: ChangelogMode | None = None

    @property
    def schema(self) -> tuple[Field, ...]:
        return self.input.schema + window_fields(WINDOW_COLUMNS, self.windowing.time_type)


@dataclass(frozen=True)
class WindowAggregate(Node):
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
    mode: ChangelogMode | None = None

    @property
    def schema(self) -> tuple[Field, ...]:
        return _named(window_results(self), self.outputs)


@dataclass(frozen=True)
class LocalWindowAggregate(Node):
    """Aggregate by key and slice before the exchange. Flink: StreamPhysicalLocalWindowAggregate.

    Output is keys, accumulators, and the end of the slice (or of the window) in milliseconds.
    """

    input: Node
    keys: tuple[int, ...]
    calls: tuple[AggregateCall, ...]
    windowing: Windowing
    retract: tuple[bool, ...]
    mode: ChangelogMode | None = None

    @property
    def schema(self) -> tuple[Field, ...]:
        columns = self.input.schema
        end = "$slice_end" if self.windowing.column("time_col") is not None else "$window_end"
        accumulators = accumulator_fields(self.calls, self.retract, columns)
        return (*(columns[k] for k in self.keys), *accumulators, Field(end, BIGINT))


@dataclass(frozen=True)
class GlobalWindowAggregate(Node):
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
    mode: ChangelogMode | None = None

    @property
    def schema(self) -> tuple[Field, ...]:
        return _named(window_results(self), self.outputs)


def window_results(node: WindowAggregate | GlobalWindowAggregate) -> tuple[Field, ...]:
    """The columns as the node itself calls them: keys, the query's calls, the window's columns."""
    columns = node.input.schema
    calls = node.calls[: node.results] if isinstance(node, GlobalWindowAggregate) else node.calls
    found = tuple(columns[k] for k in node.keys) + tuple(Field(c.name, c.type) for c in calls)
    return found + window_fields(node.properties, node.windowing.time_type)


def _named(fields: tuple[Field, ...], names: tuple[str, ...]) -> tuple[Field, ...]:
    return tuple(Field(n, f.type) for n, f in zip(names, fields, strict=True)) if names else fields


@dataclass(frozen=True)
class GroupWindowAggregate(Node):
    """Aggregate by key and by a window of GROUP BY. Flink: StreamPhysicalGroupWindowAggregate.

    Before the tree is physical it stands over the rows themselves, then over an exchange. window: TUMBLE,
    HOP or SESSION. time: the column of the time, None where the operator reads the clock; time_name: what
    plans call it. properties: w$start and the others, after the calls, where the query reads any. emit: how
    results come before the window's end or after it, None where they do not; updates: whether a later
    result of a window replaces an earlier one.
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
    emit: str | None = None
    updates: bool = False
    mode: ChangelogMode | None = None

    @property
    def schema(self) -> tuple[Field, ...]:
        columns = self.input.schema
        found = tuple(columns[k] for k in self.keys)
        found += tuple(Field(c.name or f"$f{i}", c.type) for i, c in enumerate(self.calls, len(self.keys)))
        return found + tuple(Field(name, self.property_type(name)) for name in self.properties)

    def property_type(self, name: str) -> SqlType:
        """The type of w$start, w$end, w$rowtime or w$proctime."""
        if name == "w$rowtime":
            return self.time_type.with_nullable(True)
        return (
            timestamp_ltz(3) if name == "w$proctime" else timestamp(3).with_nullable(self.time_type.nullable)
        )


WINDOWS = (
    WindowTableFunction,
    WindowAggregate,
    LocalWindowAggregate,
    GlobalWindowAggregate,
    GroupWindowAggregate,
)
"""All of them."""
