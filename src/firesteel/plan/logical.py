"""Logical plan nodes: the query as bound, in Calcite's shapes, so that the AST of EXPLAIN is the tree."""

from __future__ import annotations

from dataclasses import dataclass

from firesteel.catalog.schema import Table
from firesteel.expr.nodes import AggregateCall, Expr, Literal
from firesteel.plan.tree import Field, Node
from firesteel.plan.windows import WINDOW_COLUMNS, Window, window_fields
from firesteel.types.coerce import common_type
from firesteel.types.sql import SqlType


@dataclass(frozen=True)
class Scan(Node):
    """LogicalTableScan: the table's physical columns, then its metadata columns, in declared order."""

    table: Table

    @property
    def schema(self) -> tuple[Field, ...]:
        columns = [c for c in self.table.columns if c.is_physical]
        columns += [c for c in self.table.columns if c.metadata is not None]
        return tuple(Field(c.name, c.type) for c in columns)


@dataclass(frozen=True)
class Project(Node):
    """LogicalProject."""

    input: Node
    exprs: tuple[Expr, ...]
    names: tuple[str, ...]

    @property
    def schema(self) -> tuple[Field, ...]:
        return tuple(Field(n, e.type) for n, e in zip(self.names, self.exprs, strict=True))


@dataclass(frozen=True)
class Filter(Node):
    """LogicalFilter: rows for which the condition is TRUE."""

    input: Node
    condition: Expr

    @property
    def schema(self) -> tuple[Field, ...]:
        return self.input.schema


@dataclass(frozen=True)
class Aggregate(Node):
    """LogicalAggregate: `keys` are positions in the input; output is keys, then calls.

    A call with an empty name is anonymous: the output calls it `$f<position>`, the AST `agg#<call>`.
    partial_final: `PARTIAL` or `FINAL` where a rule has made two of one aggregate. groups: the grouping
    sets, sorted, each some of the keys; none where there is only the set of all keys.
    """

    input: Node
    keys: tuple[int, ...]
    calls: tuple[AggregateCall, ...]
    partial_final: str | None = None
    groups: tuple[tuple[int, ...], ...] = ()

    @property
    def schema(self) -> tuple[Field, ...]:
        keys = tuple(self._key(k, self.input.schema[k]) for k in self.keys)
        return keys + tuple(Field(c.name or f"$f{len(keys) + i}", c.type) for i, c in enumerate(self.calls))

    def in_all_groups(self, key: int) -> bool:
        """Whether no grouping set leaves this column out."""
        return all(key in group for group in self.groups)

    def _key(self, key: int, column: Field) -> Field:
        if self.in_all_groups(key):
            return column
        return Field(column.name, column.type.with_nullable(True))


@dataclass(frozen=True)
class Union(Node):
    """LogicalUnion; names from the first input, types common to all. all: equal rows are kept."""

    inputs: tuple[Node, ...]
    all: bool = True

    @property
    def schema(self) -> tuple[Field, ...]:
        columns = zip(*(node.schema for node in self.inputs), strict=True)
        return tuple(Field(column[0].name, _common([f.type for f in column])) for column in columns)


def _common(types: list[SqlType]) -> SqlType:
    """The type that all fit in; the first where there is none (the binder has refused that)."""
    return common_type(types) or types[0]


@dataclass(frozen=True)
class Values(Node):
    """LogicalValues: literal rows."""

    fields: tuple[Field, ...]
    rows: tuple[tuple[Literal, ...], ...]

    @property
    def schema(self) -> tuple[Field, ...]:
        return self.fields


@dataclass(frozen=True)
class WatermarkAssigner(Node):
    """LogicalWatermarkAssigner: the rowtime column and the expression over the input's columns."""

    input: Node
    rowtime: int
    expression: Expr

    @property
    def schema(self) -> tuple[Field, ...]:
        return self.input.schema


@dataclass(frozen=True)
class WindowTableFunction(Node):
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
class Sink(Node):
    """LogicalSink: the input's columns, by position, into the table.

    target_columns: positions in the table of the columns that the INSERT names, None where it names
    none or all in order. conflict: the strategy of ON CONFLICT DO, in capitals, or None.
    """

    input: Node
    table: Table
    target_columns: tuple[int, ...] | None = None
    conflict: str | None = None

    @property
    def schema(self) -> tuple[Field, ...]:
        return self.input.schema
