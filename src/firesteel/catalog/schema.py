"""What the planner knows of a table: its columns, its key, its watermark, its source's traits."""

from __future__ import annotations

from dataclasses import dataclass, field

from firesteel.changelog import ChangelogMode
from firesteel.functions.expression.nodes import Expr
from firesteel.types.sql import SqlType


@dataclass(frozen=True)
class Column:
    """A column of a table.

    computed: the expression over the table's physical and metadata columns, in declared order.
    metadata: the key under which the connector or format gives it; virtual ones are not written.
    """

    name: str
    type: SqlType
    computed: Expr | None = None
    computed_sql: str | None = None
    metadata: str | None = None
    virtual: bool = False
    comment: str | None = None

    @property
    def is_physical(self) -> bool:
        return self.computed is None and self.metadata is None


@dataclass(frozen=True)
class Watermark:
    """WATERMARK FOR `column` AS `expression` (over all columns of the table)."""

    column: str
    expression: Expr
    sql: str


@dataclass(frozen=True)
class SourceTraits:
    """What a connector says of a table when the table is created; the rules need no more than this.

    sink_mode: the changes that the table takes as a sink. "all": I, UB, UA and D, whatever is asked
    (canal-json, debezium-json); "requested": what the query makes (print); "no-update-before": what the
    query makes without UB (blackhole); "upsert": I, UA and D (upsert-kafka, jdbc with a key);
    "insert-only" (json and csv files). metadata: the keys that are read and the types of their values, in the
    source's order. sink_metadata: the keys of metadata that it writes, and sink_class what Flink calls the
    sink of a connector that writes any.
    """

    changelog_mode: ChangelogMode
    bounded: bool = True
    pushes_filter: bool = False
    pushes_projection: bool = True
    readable: bool = True
    writable: bool = False
    sink_mode: str = "insert-only"
    metadata: tuple[tuple[str, SqlType], ...] = ()
    sink_metadata: tuple[str, ...] = ()
    sink_class: str = ""


@dataclass(frozen=True)
class Table:
    """A registered table: its schema and its options as written in WITH."""

    catalog: str
    database: str
    name: str
    columns: tuple[Column, ...]
    options: tuple[tuple[str, str], ...]
    primary_key: tuple[str, ...] = ()
    primary_key_name: str | None = None
    watermark: Watermark | None = None
    partition_keys: tuple[str, ...] = ()
    comment: str | None = None
    temporary: bool = False
    traits: SourceTraits | None = None
    hints: tuple[tuple[str, str], ...] = ()
    """Where a query reads or writes it with an OPTIONS hint: the hint's options, as plans show them."""

    @property
    def path(self) -> tuple[str, str, str]:
        return self.catalog, self.database, self.name


@dataclass(frozen=True)
class View:
    """A registered view: its query as Flink expands it when the view is created, and its columns then.

    column_times: ROWTIME, PROCTIME or nothing, for each column.
    """

    catalog: str
    database: str
    name: str
    query: str
    columns: tuple[str, ...] = ()
    column_types: tuple[SqlType, ...] = field(default=())
    column_times: tuple[str, ...] = ()
    comment: str | None = None
    temporary: bool = False

    @property
    def path(self) -> tuple[str, str, str]:
        return self.catalog, self.database, self.name
