"""Statements about catalogs and databases, and ALTER statements, as parsed."""

from __future__ import annotations

from dataclasses import dataclass

from firesteel.errors import SourceRange
from firesteel.sql.statements import ColumnDefinition, KeyDefinition, Name, Statement, WatermarkDefinition
from firesteel.sql.syntax import Node


@dataclass(frozen=True)
class CreateDatabase(Statement):
    """CREATE DATABASE [IF NOT EXISTS] name [COMMENT] [WITH]."""

    database: Name
    comment: str | None = None
    options: tuple[tuple[str, str], ...] = ()
    if_not_exists: bool = False


@dataclass(frozen=True)
class DropDatabase(Statement):
    """DROP DATABASE [IF EXISTS] name [RESTRICT | CASCADE]."""

    database: Name
    if_exists: bool = False
    cascade: bool = False


@dataclass(frozen=True)
class AlterDatabase(Statement):
    """ALTER DATABASE name SET (...)."""

    database: Name
    options: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class CreateCatalog(Statement):
    """CREATE CATALOG [IF NOT EXISTS] name [COMMENT] [WITH]."""

    catalog: Name
    comment: str | None = None
    options: tuple[tuple[str, str], ...] = ()
    if_not_exists: bool = False


@dataclass(frozen=True)
class DropCatalog(Statement):
    """DROP CATALOG [IF EXISTS] name."""

    catalog: Name
    if_exists: bool = False


@dataclass(frozen=True)
class AlterCatalog(Statement):
    """ALTER CATALOG name SET (...), RESET (...) or COMMENT.

    Exactly one of `options`, `reset` and `comment` is not None.
    """

    catalog: Name
    options: tuple[tuple[str, str], ...] | None = None
    reset: tuple[str, ...] | None = None
    comment: str | None = None


@dataclass(frozen=True)
class DescribeCatalog(Statement):
    """DESCRIBE CATALOG [EXTENDED] name."""

    catalog: Name
    extended: bool = False


@dataclass(frozen=True)
class Position:
    """Position of a new column: AFTER a column, or FIRST if `after` is None."""

    after: Name | None = None


@dataclass(frozen=True)
class Add:
    """ADD of columns (each with its position or None), keys and watermarks."""

    columns: tuple[tuple[ColumnDefinition, Position | None], ...] = ()
    keys: tuple[KeyDefinition, ...] = ()
    watermarks: tuple[WatermarkDefinition, ...] = ()


@dataclass(frozen=True)
class Modify(Add):
    """MODIFY of existing columns, keys and watermarks."""


@dataclass(frozen=True)
class DropColumns:
    """DROP a, or DROP (a, b)."""

    columns: tuple[Name, ...]


@dataclass(frozen=True)
class DropKey:
    """DROP PRIMARY KEY, or DROP CONSTRAINT name."""

    constraint: Name | None = None


@dataclass(frozen=True)
class DropWatermark:
    """DROP WATERMARK."""


@dataclass(frozen=True)
class RenameTo:
    """RENAME TO name."""

    name: Name


@dataclass(frozen=True)
class RenameColumn:
    """RENAME a TO b."""

    column: Name
    name: Name


@dataclass(frozen=True)
class SetOptions:
    """SET ('k' = 'v')."""

    options: tuple[tuple[str, str], ...]
    option_ranges: tuple[SourceRange, ...] = ()
    """Position in the SQL text of each option in `options`."""


@dataclass(frozen=True)
class ResetOptions:
    """RESET ('k')."""

    keys: tuple[str, ...]
    range: SourceRange


Change = Add | DropColumns | DropKey | DropWatermark | RenameTo | RenameColumn | SetOptions | ResetOptions


@dataclass(frozen=True)
class AlterTable(Statement):
    """ALTER TABLE [IF EXISTS] name change."""

    table: Name
    change: Change
    if_exists: bool = False


@dataclass(frozen=True)
class AlterView(Statement):
    """ALTER VIEW name RENAME TO name, or AS query."""

    view: Name
    name: Name | None = None
    query: Node | None = None


@dataclass(frozen=True)
class AnalyzeTable(Statement):
    """ANALYZE TABLE name [PARTITION (...)] COMPUTE STATISTICS [FOR ...].

    Attributes:
        partition: Columns that PARTITION names.
        columns: Columns that FOR COLUMNS names.
    """

    table: Name
    partition: tuple[Name, ...] = ()
    columns: tuple[Name, ...] = ()


@dataclass(frozen=True)
class ChangeRows(Statement):
    """TRUNCATE TABLE, DELETE FROM or UPDATE, which Flink rejects for streams. `kind` is the first word."""

    kind: str
    table: Name


@dataclass(frozen=True)
class ShowJobs(Statement):
    """SHOW JOBS."""


@dataclass(frozen=True)
class DescribeJob(Statement):
    """DESCRIBE JOB 'id'."""

    id: str
    id_range: SourceRange


@dataclass(frozen=True)
class StopJob(Statement):
    """STOP JOB 'id'."""

    id: str
    id_range: SourceRange
