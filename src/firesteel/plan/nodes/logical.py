"""Logical plan nodes: the bound query in Calcite's shapes, which EXPLAIN prints as the AST."""

from __future__ import annotations

from collections.abc import Container, Sequence
from dataclasses import dataclass, replace
from itertools import chain, count
from typing import ClassVar

from firesteel.catalog.schema import Column, Table
from firesteel.functions.expression.nodes import AggregateCall, Expr, InputRef, Literal
from firesteel.plan.nodes.state_ttl import NO_TTL, StateTtl
from firesteel.plan.tree import Field, LogicalNode, Node, SameColumns
from firesteel.types.coerce import common_type
from firesteel.types.sql import SqlType


@dataclass(frozen=True)
class Scan(LogicalNode):
    """LogicalTableScan: the physical columns in declared order, then the metadata columns of the source.

    Each column has the type that the source provides. Metadata columns have the order in which the source
    lists them. Rules set the fields after `table`:

    Attributes:
        table: The table.
        project: Positions of the columns to read, None for all.
        filter: Conditions pushed into the scan, over the columns of `project`.
        normalized: Whether the changes must be normalized by the primary key (ChangelogNormalize).
        limit: Number of rows that a limit right above needs, None without a limit.
    """

    table: Table
    project: tuple[int, ...] | None = None
    filter: tuple[Expr, ...] = ()
    normalized: bool = False
    limit: int | None = None

    @property
    def schema(self) -> tuple[Field, ...]:
        return scanned_fields(self.table, self.project)

    @property
    def primary_key(self) -> tuple[int, ...]:
        """Return the positions of the key in `schema`. Raises ValueError if a key column is not scanned."""
        names = [f.name for f in self.schema]
        return tuple(names.index(name) for name in self.table.primary_key)


def scanned_fields(table: Table, project: Sequence[int] | None = None) -> tuple[Field, ...]:
    """Return the columns of a table that its source must read, or those at the positions `project`."""
    found = tuple(Field(c.name, c.type) for c in scanned_columns(table))
    return found if project is None else tuple(found[i] for i in project)


def scanned_columns(table: Table) -> tuple[Column, ...]:
    """Return the columns that the source of a table sends, with the types that it provides.

    These are the physical columns, then the declared metadata columns in the order in which the source lists
    them. Flink: DynamicSourceUtils.createProducedType.
    """
    physical = tuple(c for c in table.columns if c.is_physical)
    by_key = {c.metadata: c for c in table.columns if c.metadata is not None}
    known = () if table.traits is None else table.traits.metadata
    return physical + tuple(replace(by_key[key], type=kind) for key, kind in known if key in by_key)


@dataclass(frozen=True)
class Project(LogicalNode):
    """LogicalProject: expressions over the input, with names."""

    input: Node
    exprs: tuple[Expr, ...]
    names: tuple[str, ...]

    @property
    def schema(self) -> tuple[Field, ...]:
        return tuple(Field(n, e.type) for n, e in zip(self.names, self.exprs, strict=True))


@dataclass(frozen=True)
class Filter(SameColumns, LogicalNode):
    """LogicalFilter: rows for which the condition is TRUE. `having`: whether the filter is a HAVING."""

    condition: Expr
    having: bool = False


@dataclass(frozen=True)
class Aggregate(LogicalNode):
    """LogicalAggregate: the output is the keys, then the results of the calls.

    A call may have an empty name. Its column is then called `$f<position>`, and the AST shows it as
    `agg#<call>`.

    Attributes:
        input: The rows.
        keys: Positions of the grouping columns.
        calls: The aggregate functions.
        partial_final: `PARTIAL` or `FINAL` after a rule has split the aggregate in two, None before.
        groups: Sorted grouping sets, each a subset of the keys. Empty if the only set is all keys.
        state_ttl: STATE_TTL hint of the query.
    """

    input: Node
    keys: tuple[int, ...]
    calls: tuple[AggregateCall, ...]
    partial_final: str | None = None
    groups: tuple[tuple[int, ...], ...] = ()
    state_ttl: StateTtl = NO_TTL

    @property
    def schema(self) -> tuple[Field, ...]:
        keys = tuple(self._key(k, self.input.schema[k]) for k in self.keys)
        taken = {key.name for key in keys}
        calls = []
        for i, call in enumerate(self.calls, start=len(keys)):
            name = unused_name(call.name or f"$f{i}", taken)
            taken.add(name)
            calls.append(Field(name, call.type))
        return (*keys, *calls)

    def in_all_groups(self, key: int) -> bool:
        """Return whether every grouping set has this column."""
        return all(key in group for group in self.groups)

    def _key(self, key: int, column: Field) -> Field:
        if self.in_all_groups(key):
            return column
        return Field(column.name, column.type.with_nullable(True))


def unused_name(name: str, taken: Container[str]) -> str:
    """Return the name, with a number after it if it is used already (Calcite: Aggregate.deriveRowType)."""
    numbered = (f"{name}_{attempt}" for attempt in count())
    return next(each for each in chain([name], numbered) if each not in taken)


@dataclass(frozen=True)
class Expand(LogicalNode):
    """LogicalExpand: a copy of each row for each projection in `projects`, as in the physical Expand."""

    input: Node
    projects: tuple[tuple[Expr, ...], ...]

    @property
    def schema(self) -> tuple[Field, ...]:
        return expanded_fields(self.input.schema, self.projects)


def expanded_fields(columns: Sequence[Field], projects: Sequence[Sequence[Expr]]) -> tuple[Field, ...]:
    """Return the columns of an Expand, named as in the input.

    The column with the number of the copy is `$e`. A column that is NULL in every copy is `$f<position>`. A
    duplicate name gets a number.
    """
    found: dict[str, Field] = {}
    for i, cells in enumerate(zip(*projects, strict=True)):
        shown = next((cell for cell in cells if isinstance(cell, InputRef)), None)
        numbers = isinstance(cells[0], Literal) and cells[0].value is not None
        given = columns[shown.index].name if shown is not None else "$e" if numbers else f"$f{i}"
        name, attempt = given, 0
        while name in found:
            name, attempt = f"{name}_{attempt}", attempt + 1
        found[name] = Field(name, cells[0].type.with_nullable(any(e.type.nullable for e in cells)))
    return tuple(found.values())


@dataclass(frozen=True)
class Union(LogicalNode):
    """LogicalUnion: names from the first input, common types. `all`: whether equal rows are kept."""

    inputs: tuple[Node, ...]
    all: bool = True

    @property
    def schema(self) -> tuple[Field, ...]:
        return united_fields(self.inputs)


def united_fields(inputs: Sequence[Node]) -> tuple[Field, ...]:
    """Return the columns of a set operation: names of its first input, types common to all."""
    columns = zip(*(node.schema for node in inputs), strict=True)
    return tuple(Field(column[0].name, _common([f.type for f in column])) for column in columns)


def _common(types: list[SqlType]) -> SqlType:
    """Return the common type of `types`.

    If there is none, return the first type. This does not occur: the binder refuses the query before.
    """
    return common_type(types) or types[0]


@dataclass(frozen=True)
class Values(LogicalNode):
    """LogicalValues: literal rows. `event_times`, `processing_times`: positions of the time attributes."""

    fields: tuple[Field, ...]
    rows: tuple[tuple[Literal, ...], ...]
    event_times: frozenset[int] = frozenset()
    processing_times: frozenset[int] = frozenset()

    @property
    def schema(self) -> tuple[Field, ...]:
        return self.fields


@dataclass(frozen=True)
class WatermarkAssigner(SameColumns, LogicalNode):
    """LogicalWatermarkAssigner: the position of the row time, and the expression that computes watermarks."""

    rowtime: int
    expression: Expr


@dataclass(frozen=True)
class Sink(SameColumns, LogicalNode):
    """LogicalSink: write the input's columns, by position, into the table.

    Attributes:
        input: The rows.
        table: The table.
        target_columns: Positions in the table of the columns that the INSERT names. None if it names none, or
            all in order.
        conflict: Strategy of ON CONFLICT DO in upper case, or None.
    """

    table: Table
    target_columns: tuple[int, ...] | None = None
    conflict: str | None = None

    has_output: ClassVar[bool] = False
