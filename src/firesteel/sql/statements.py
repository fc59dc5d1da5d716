"""Statements as parsed: immutable, with their position in the script. Queries inside are syntax trees."""

from __future__ import annotations

from dataclasses import dataclass

from firesteel.errors import SourceRange
from firesteel.sql.syntax import Node
from firesteel.types.sql import SqlType


@dataclass(frozen=True)
class Name:
    """Name of one or more parts, with its position."""

    parts: tuple[str, ...]
    range: SourceRange

    def __str__(self) -> str:
        return ".".join(self.parts)


@dataclass(frozen=True)
class Statement:
    """Base class of statements."""

    range: SourceRange
    """Position in the script, without the semicolon."""


@dataclass(frozen=True)
class ColumnDefinition:
    """Column of CREATE TABLE."""

    name: str
    range: SourceRange
    type: SqlType | None = None
    """Type, or None for a computed column."""
    computed: Node | None = None
    computed_sql: str | None = None
    metadata: str | None = None
    """Key of METADATA FROM 'key'; without FROM, the column's name. None for a column without METADATA."""
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
    """PRIMARY KEY or UNIQUE, behind a column or as a constraint of the table.

    `enforced` is True for ENFORCED, False for NOT ENFORCED, and None without either.
    """

    kind: str
    columns: tuple[Name, ...]
    enforced: bool | None
    range: SourceRange
    name: str | None = None


@dataclass(frozen=True)
class LikeClause:
    """LIKE table (INCLUDING ALL, ...). `options` has (strategy, feature) pairs in upper case."""

    table: Name
    options: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class CreateTable(Statement):
    """CREATE [OR REPLACE] [TEMPORARY] TABLE, or REPLACE TABLE."""

    table: Name
    columns: tuple[ColumnDefinition, ...] = ()
    keys: tuple[KeyDefinition, ...] = ()
    watermarks: tuple[WatermarkDefinition, ...] = ()
    partition_keys: tuple[Name, ...] = ()
    options: tuple[tuple[str, str], ...] = ()
    option_ranges: tuple[SourceRange, ...] = ()
    """Position of each option; () if the statement was not parsed from text."""
    comment: str | None = None
    like: LikeClause | None = None
    query: Node | None = None
    temporary: bool = False
    if_not_exists: bool = False
    column_list: tuple[Name, ...] = ()
    """Column names without types, as in CREATE TABLE t (a, b) AS SELECT ..; () if there are none."""
    replace: bool = False
    """Whether the statement is CREATE OR REPLACE or REPLACE."""
    must_exist: bool = False
    """Whether the statement is REPLACE, which needs an existing table."""


@dataclass(frozen=True)
class CreateView(Statement):
    """CREATE [TEMPORARY] VIEW. `query_sql` is the query's text as written."""

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
    """DROP [TEMPORARY [SYSTEM]] kind [IF EXISTS] name. `kind` is TABLE, VIEW or FUNCTION."""

    kind: str
    name: Name
    if_exists: bool = False
    temporary: bool = False
    system: bool = False


@dataclass(frozen=True)
class SetOption(Statement):
    """SET 'key' = 'value'. `key` and `value` are None for SET alone, which lists the options."""

    key: str | None = None
    value: str | None = None


@dataclass(frozen=True)
class ResetOption(Statement):
    """RESET 'key'. If `key` is None, all options are reset."""

    key: str | None = None


@dataclass(frozen=True)
class Show(Statement):
    """SHOW what [FROM name] [[NOT] LIKE pattern]."""

    what: str
    """Words after SHOW.

    TABLES, VIEWS, FUNCTIONS, USER FUNCTIONS, CATALOGS, DATABASES, MODULES, CURRENT CATALOG, CURRENT DATABASE,
    COLUMNS, CREATE TABLE, CREATE VIEW, CREATE CATALOG and similar.
    """
    name: Name | None = None
    """Name after the words of `what`; None if there is none.

    For COLUMNS and CREATE TABLE, the table. For a list such as TABLES, the database or catalog to list.
    """
    pattern: str | None = None
    negated: bool = False
    ignore_case: bool = False
    """Whether the pattern is that of ILIKE, which ignores case."""


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
    """SELECT, WITH or VALUES as a statement."""

    query: Node


@dataclass(frozen=True)
class Insert(Statement):
    """INSERT INTO table [PARTITION (key = literal, ...)] [(columns)] query."""

    table: Name
    query: Node
    columns: tuple[Name, ...] = ()
    hints: tuple[tuple[str, tuple[tuple[str, str], ...]], ...] = ()
    on_conflict: str | None = None
    """Word of the clause ON CONFLICT DO: DEDUPLICATE, ERROR or NOTHING. None without this clause."""
    partition: tuple[tuple[Name, Node], ...] = ()
    made: bool = False
    """Whether the INSERT fills a table that CREATE TABLE AS has created.

    The plan then does not print `columns` in the sink.
    """


@dataclass(frozen=True)
class StatementSet(Statement):
    """[EXECUTE] STATEMENT SET BEGIN INSERT ...; END."""

    inserts: tuple[Insert, ...]


@dataclass(frozen=True)
class Explain(Statement):
    """EXPLAIN [details] statement."""

    statement: Query | Insert | StatementSet | CreateTable
    details: tuple[str, ...] = ()
