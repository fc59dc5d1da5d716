"""Statements as written: frozen, with their place in the script; queries inside are trees."""

from __future__ import annotations

from dataclasses import dataclass

from firesteel.errors import SourceRange
from firesteel.sql.syntax import Node
from firesteel.types.sql import SqlType


@dataclass(frozen=True)
class Name:
    """A name of one or more parts, and its place."""

    parts: tuple[str, ...]
    range: SourceRange

    def __str__(self) -> str:
        return ".".join(self.parts)


@dataclass(frozen=True)
class Statement:
    """Any statement; `range` is its place, without the semicolon."""

    range: SourceRange


@dataclass(frozen=True)
class ColumnDefinition:
    """A column of CREATE TABLE.

    type is None for a computed column and, with LIKE or AS, where it is left out. metadata: the key,
    the column's name where FROM is left out.
    """

    name: str
    range: SourceRange
    type: SqlType | None = None
    computed: Node | None = None
    computed_sql: str | None = None
    metadata: str | None = None
    virtual: bool = False
    comment: str | None = None


@dataclass(frozen=True)
class WatermarkDefinition:
    """WATERMARK FOR column AS expression."""

    column: Name
    expression: Node
    sql: str
    range: SourceRange


@dataclass(frozen=True)
class KeyDefinition:
    """PRIMARY KEY or UNIQUE, inline or as a constraint; enforced is None where nothing is said."""

    kind: str
    columns: tuple[Name, ...]
    enforced: bool | None
    range: SourceRange
    name: str | None = None


@dataclass(frozen=True)
class LikeClause:
    """LIKE table (INCLUDING ALL, ...): options are (strategy, feature) pairs in upper case."""

    table: Name
    options: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class CreateTable(Statement):
    """CREATE [TEMPORARY] TABLE.

    column_list: names alone, for AS. replace: CREATE OR REPLACE; must_exist: REPLACE.
    """

    table: Name
    columns: tuple[ColumnDefinition, ...] = ()
    keys: tuple[KeyDefinition, ...] = ()
    watermarks: tuple[WatermarkDefinition, ...] = ()
    partition_keys: tuple[Name, ...] = ()
    options: tuple[tuple[str, str], ...] = ()
    comment: str | None = None
    like: LikeClause | None = None
    query: Node | None = None
    temporary: bool = False
    if_not_exists: bool = False
    column_list: tuple[Name, ...] = ()
    replace: bool = False
    must_exist: bool = False


@dataclass(frozen=True)
class CreateView(Statement):
    """CREATE [TEMPORARY] VIEW; query_sql is the query's text as written."""

    view: Name
    query: Node
    query_sql: str
    columns: tuple[Name, ...] = ()
    comment: str | None = None
    temporary: bool = False
    if_not_exists: bool = False


@dataclass(frozen=True)
class CreateFunction(Statement):
    """CREATE [TEMPORARY [SYSTEM]] FUNCTION name AS 'class' [LANGUAGE PYTHON]."""

    function: Name
    class_name: str
    class_range: SourceRange
    language: str = "JAVA"
    temporary: bool = False
    system: bool = False
    if_not_exists: bool = False


@dataclass(frozen=True)
class Drop(Statement):
    """DROP [TEMPORARY [SYSTEM]] kind [IF EXISTS] name; kind: TABLE, VIEW or FUNCTION."""

    kind: str
    name: Name
    if_exists: bool = False
    temporary: bool = False
    system: bool = False


@dataclass(frozen=True)
class SetOption(Statement):
    """SET 'key' = 'value'; both None for a bare SET, which lists the options."""

    key: str | None = None
    value: str | None = None


@dataclass(frozen=True)
class ResetOption(Statement):
    """RESET 'key'; None for all."""

    key: str | None = None


@dataclass(frozen=True)
class Show(Statement):
    """SHOW what [FROM in_] [[NOT] LIKE pattern].

    what: TABLES, VIEWS, FUNCTIONS, USER FUNCTIONS, CATALOGS, DATABASES, MODULES, CURRENT CATALOG, CURRENT
    DATABASE, COLUMNS, CREATE TABLE, CREATE VIEW, CREATE CATALOG, ...; name is what the last ones show, and
    the place of the first. ignore_case: ILIKE.
    """

    what: str
    name: Name | None = None
    pattern: str | None = None
    negated: bool = False
    ignore_case: bool = False


@dataclass(frozen=True)
class Describe(Statement):
    """DESCRIBE [EXTENDED] table."""

    table: Name
    extended: bool = False


@dataclass(frozen=True)
class Use(Statement):
    """USE database, or USE CATALOG catalog."""

    kind: str
    name: Name


@dataclass(frozen=True)
class Query(Statement):
    """SELECT, WITH or VALUES by itself."""

    query: Node


@dataclass(frozen=True)
class Insert(Statement):
    """INSERT INTO table [PARTITION (key = literal, ...)] [(columns)] query.

    on_conflict: DEDUPLICATE, ERROR, NOTHING or None.
    """

    table: Name
    query: Node
    columns: tuple[Name, ...] = ()
    hints: tuple[tuple[str, tuple[tuple[str, str], ...]], ...] = ()
    on_conflict: str | None = None
    partition: tuple[tuple[Name, Node], ...] = ()
    made: bool = False
    """It fills a table that it made: the columns say where the query's go, and plans do not show them."""


@dataclass(frozen=True)
class StatementSet(Statement):
    """[EXECUTE] STATEMENT SET BEGIN INSERT ...; END."""

    inserts: tuple[Insert, ...]


@dataclass(frozen=True)
class Explain(Statement):
    """EXPLAIN [details] statement."""

    statement: Query | Insert | StatementSet | CreateTable
    details: tuple[str, ...] = ()
