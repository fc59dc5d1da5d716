"""Databases that tests write to and read, all in the same way."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from firesteel.changelog import SEQUENCE
from firesteel.connectors.base import Sink, Source
from firesteel.connectors.registry import open_sink, open_source
from firesteel.runtime.spec.tables import ScanSpec, SinkSpec
from firesteel.types.sql import BIGINT, STRING, SqlType
from tests.connectors.jdbc.postgres import PASSWORD, USER, Postgres
from tests.runtime.changes import to_rows, to_table

COLUMNS: dict[str, SqlType] = {"k": STRING, "n": BIGINT}
CREATE = "CREATE TABLE t (k VARCHAR(5) PRIMARY KEY, n BIGINT NOT NULL CHECK (n < 1000))"


class SqliteDatabase:
    """A file. options: of a table in it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.options = {"url": f"jdbc:sqlite:{path}"}

    def run(self, sql: str) -> list[tuple[Any, ...]]:
        with closing(sqlite3.connect(self.path)) as connection:
            found = connection.execute(sql).fetchall()
            connection.commit()
        return found


class PostgresDatabase:
    """The server's, with its tables dropped."""

    def __init__(self, server: Postgres) -> None:
        self.server = server
        self.options = {"url": server.url, "username": USER, "password": PASSWORD}
        self.run("DROP SCHEMA public CASCADE")
        self.run("CREATE SCHEMA public")

    def run(self, sql: str) -> list[tuple[Any, ...]]:
        with self.server.connect() as connection:
            answer = connection.execute(sql)
            return list(answer.fetchall()) if answer.description else []


Database = SqliteDatabase | PostgresDatabase


def sink(
    database: Database,
    columns: dict[str, SqlType] | None = None,
    primary_key: tuple[int, ...] = (0,),
    **options: str,
) -> Sink:
    """A sink of table t. options: with `_` for `.` and `__` for `-`."""
    wanted = columns or COLUMNS
    names, types = tuple(wanted), tuple(wanted.values())
    return open_sink(SinkSpec("jdbc", _pairs(database, options), names, types, "t", None, primary_key))


def source(database: Database, columns: dict[str, SqlType] | None = None, **options: str) -> Source:
    wanted = columns or COLUMNS
    names, types = tuple(wanted), tuple(wanted.values())
    return open_source(
        ScanSpec("jdbc", _pairs(database, options), names, types, tuple(range(len(names))), table="t")
    )


def _pairs(database: Database, options: dict[str, str]) -> tuple[tuple[str, str], ...]:
    given = {k.replace("__", "-").replace("_", "."): v for k, v in options.items()}
    return tuple(({"table-name": "t"} | database.options | given).items())


def write(
    to: Sink,
    rows: Sequence[tuple[Any, ...]],
    types: Sequence[SqlType] = tuple(COLUMNS.values()),
    job: str = "job",
    batch: int = 0,
    partition: int = 0,
) -> None:
    """A task that writes the rows, two at a time."""
    to.open_task(job, batch, partition)
    for start in range(0, len(rows), 2):
        to.write(to_table(rows[start : start + 2], types, start))
    to.close_task()


def read(of: Source) -> list[tuple[Any, ...]]:
    """All rows of a source, and that they are numbered."""
    found, sequences = [], []
    for split in of.splits(2):
        for table in of.read(split):
            sequences += table[SEQUENCE].to_pylist()
            found += to_rows(table)
    assert len(set(sequences)) == len(sequences)
    assert sequences == sorted(sequences)
    return found
