"""Definitions of tables and views for the planner: columns, key, watermark and connector properties."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from firesteel.changelog import ChangelogMode
from firesteel.errors import SourceRange
from firesteel.functions.expression.nodes import Expr
from firesteel.types.sql import SqlType


@dataclass(frozen=True)
class Place:
    """Position of a part of a definition, for errors that are found when the table is used."""

    sql: str
    """Text of the statement, or of the script that holds it."""
    range: SourceRange
    """Range of characters in `sql`."""


@dataclass(frozen=True)
class Column:
    """Column of a table."""

    name: str
    type: SqlType
    computed: Expr | None = None
    """Expression of a computed column, over the physical and metadata columns in declared order."""
    computed_sql: str | None = None
    """Text of the expression of a computed column, or None."""
    metadata: str | None = None
    """Key under which the connector or format provides a metadata column."""
    virtual: bool = False
    """Whether a metadata column is read only: it is not written to a sink."""
    comment: str | None = None

    @property
    def is_physical(self) -> bool:
        return self.computed is None and self.metadata is None


@dataclass(frozen=True)
class Watermark:
    """Watermark of a table: WATERMARK FOR `column` AS `expression`."""

    column: str
    expression: Expr
    """Expression over all columns of the table."""
    sql: str
    """Text of the expression."""


@dataclass(frozen=True)
class SourceTraits:
    """Properties that a connector gives a table, for the planner.

    They are set when the table is created or used first.
    """

    changelog_mode: ChangelogMode
    """Changes that the table produces as a source."""
    bounded: bool = True
    pushes_filter: bool = False
    pushes_limit: bool = False
    pushes_projection: bool = True
    readable: bool = True
    writable: bool = False
    sink_mode: str = "insert-only"
    """Changes that the table takes as a sink.

    - "all": I, UB, UA and D, even if the query sends fewer kinds (canal-json, debezium-json).
    - "requested": exactly the kinds that the query sends (print).
    - "no-update-before": the kinds that the query sends, without UB (blackhole).
    - "upsert": I, UA and D (upsert-kafka, jdbc). Without a primary key, the query may only send I.
    - "insert-only": I (json and csv files).
    """
    metadata: tuple[tuple[str, SqlType], ...] = ()
    """Metadata keys that can be read and the types of their values, in the source's order."""
    sink_metadata: tuple[str, ...] = ()
    """Metadata keys that can be written."""
    has_lookups: bool = False
    """Whether the connector can look up rows by key, for lookup joins."""
    decides_lookup_filters: bool = False
    """Whether the connector, and not the lookup join, evaluates simple conditions on the looked-up table.

    Plans then do not show these conditions.
    """
    sink_class: str = ""
    """Flink's class name of the sink, for errors; "" if the connector writes no metadata."""


@dataclass(frozen=True)
class Table:
    """Registered table: its schema and options."""

    catalog: str
    database: str
    name: str
    columns: tuple[Column, ...]
    options: tuple[tuple[str, str], ...]
    """Options as written in WITH."""
    primary_key: tuple[str, ...] = ()
    primary_key_name: str | None = None
    watermark: Watermark | None = None
    partition_keys: tuple[str, ...] = ()
    comment: str | None = None
    temporary: bool = False
    traits: SourceTraits | None = None
    """Properties of the table's connector, or None while they are unknown."""
    hints: tuple[tuple[str, str], ...] = ()
    """Options of the OPTIONS hint with which a query reads or writes the table, as plans show them."""
    place: Place | None = field(default=None, compare=False, repr=False)
    """Position of the table's name in its definition, or None if no statement defined it."""
    option_places: Mapping[str, Place] = field(default_factory=dict, compare=False, repr=False)
    """Position of each option, by key. Options of hints have none."""

    @property
    def path(self) -> tuple[str, str, str]:
        return self.catalog, self.database, self.name


@dataclass(frozen=True)
class View:
    """Registered view."""

    catalog: str
    database: str
    name: str
    query: str
    """Query as Flink expands it when the view is created."""
    columns: tuple[str, ...] = ()
    """Column names of the query when the view is created."""
    column_types: tuple[SqlType, ...] = field(default=())
    column_times: tuple[str, ...] = ()
    """For each column ROWTIME or PROCTIME if it is a time attribute, else ""."""
    comment: str | None = None
    temporary: bool = False

    @property
    def path(self) -> tuple[str, str, str]:
        return self.catalog, self.database, self.name
