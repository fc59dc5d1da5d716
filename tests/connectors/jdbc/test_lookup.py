"""Lookups in databases: SQLite always, PostgreSQL where there is one."""

from __future__ import annotations

import re
import sqlite3
import threading
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from firesteel.connectors.jdbc.dialects import dialect_of
from firesteel.connectors.jdbc.lookup import JdbcLookup, by_arrays, by_union, by_values
from firesteel.connectors.registry import open_lookup
from firesteel.errors import DataError, JobError
from firesteel.runtime.operators.lookup_join.lookup import Lookup
from firesteel.runtime.spec.lookup_join import LookupTable
from firesteel.runtime.spec.tables import ScanSpec
from firesteel.types.arrow import to_arrow
from firesteel.types.sql import BIGINT, BOOLEAN, DATE, DOUBLE, INT, STRING, SqlType, decimal, timestamp
from tests.connectors.jdbc.databases import Database, PostgresDatabase, SqliteDatabase
from tests.runtime.operators.lookup_join.tables import values

pytest.importorskip("sqlalchemy")
COLUMNS: dict[str, SqlType] = {"id": INT, "name": STRING}


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.slow)])
def database(request: pytest.FixtureRequest, tmp_path: Path) -> Database:
    if request.param == "sqlite":
        return SqliteDatabase(tmp_path / "db")
    return PostgresDatabase(request.getfixturevalue("postgres"))


def lookup(
    database: Database,
    columns: dict[str, SqlType] | None = None,
    keys: tuple[int, ...] = (0,),
    read: tuple[int, ...] | None = None,
    **options: str,
) -> Lookup:
    """The table t. options: with `_` for `.` and `__` for `-`."""
    wanted = columns or COLUMNS
    names, types = tuple(wanted), tuple(wanted.values())
    given = {k.replace("__", "-").replace("_", "."): v for k, v in options.items()}
    pairs = tuple(({"table-name": "t"} | database.options | given).items())
    positions = tuple(range(len(names))) if read is None else read
    return open_lookup(LookupTable(ScanSpec("jdbc", pairs, names, types, positions, table="c.d.t"), keys))


def found(table: Lookup, *keys: list[Any], types: tuple[SqlType, ...] = (INT, STRING)) -> list[Any]:
    columns = [pa.array(column, to_arrow(kind)) for column, kind in zip(keys, types, strict=False)]
    return values(table.find(columns))


# --- rows of keys ----------------------------------------------------------------------------------
def test_all_rows_of_each_key_are_found_in_the_order_of_the_keys(database: Database) -> None:
    database.run("CREATE TABLE t (id INT, name VARCHAR(9))")
    database.run("INSERT INTO t VALUES (2, 'Bob'), (1, 'Ann'), (NULL, 'Zed'), (3, NULL)")
    assert found(lookup(database), [3, 7, 1, 2]) == [(0, 3, None), (2, 1, "Ann"), (3, 2, "Bob")]
    database.run("INSERT INTO t VALUES (2, 'Bo')")
    assert sorted(found(lookup(database), [2])) == [(0, 2, "Bo"), (0, 2, "Bob")]


def test_keys_of_several_columns(database: Database) -> None:
    database.run("CREATE TABLE t (id INT, name VARCHAR(9))")
    database.run("INSERT INTO t VALUES (1, 'a'), (1, 'b'), (2, 'a')")
    table = lookup(database, keys=(0, 1))
    assert found(table, [1, 2, 2, 1], ["b", "b", "a", "a"]) == [(0, 1, "b"), (2, 2, "a"), (3, 1, "a")]


def test_only_the_columns_that_are_read_are_asked_for(database: Database) -> None:
    database.run("CREATE TABLE t (id INT, name VARCHAR(9))")
    database.run("INSERT INTO t VALUES (1, 'a')")
    columns = {"gone": INT, **COLUMNS}
    table = lookup(database, columns, keys=(1,), read=(2, 1))
    assert found(table, [1]) == [(0, "a", 1)]


def test_more_keys_than_one_query_takes(database: Database) -> None:
    database.run("CREATE TABLE t (id INT PRIMARY KEY, name VARCHAR(9))")
    rows = ", ".join(f"({n}, 'n{n}')" for n in range(0, 3000, 3))
    database.run(f"INSERT INTO t VALUES {rows}")
    answer = found(lookup(database), list(range(2999, -1, -1)))
    assert answer == [(2999 - n, n, f"n{n}") for n in range(2997, -1, -3)]


@pytest.mark.parametrize(
    ("declared", "kind", "key", "literal"),
    [
        ("BIGINT", BIGINT, 1 << 40, "1099511627776"),
        ("BOOLEAN", BOOLEAN, True, "TRUE"),
        ("DOUBLE PRECISION", DOUBLE, 0.1, "0.1"),
        ("NUMERIC(9, 2)", decimal(9, 2), Decimal("12.50"), "12.50"),
        ("DATE", DATE, date(2026, 1, 2), "'2026-01-02'"),
        ("TIMESTAMP", timestamp(6), datetime(2026, 1, 2, 3, 4, 5, 600000), "'2026-01-02 03:04:05.600000'"),
        ("VARCHAR(9)", STRING, "a'b:c", "'a''b:c'"),
    ],
)
def test_types_of_keys(database: Database, declared: str, kind: SqlType, key: Any, literal: str) -> None:
    database.run(f"CREATE TABLE t (id {declared}, name VARCHAR(9))")
    database.run(f"INSERT INTO t VALUES ({literal}, 'x')")
    table = lookup(database, {"id": kind, "name": STRING})
    assert found(table, [key], types=(kind,)) == [(0, key, "x")]


# --- what may go wrong -----------------------------------------------------------------------------
def test_a_missing_table_is_named_with_its_option(database: Database) -> None:
    with pytest.raises(JobError, match=r"table t: .*(no such table|does not exist)") as caught:
        found(lookup(database), [1])
    assert caught.value.option == "table-name"


def test_a_value_of_another_type_is_named(tmp_path: Path) -> None:
    database = SqliteDatabase(tmp_path / "db")
    database.run("CREATE TABLE t (id INT, name)")
    database.run("INSERT INTO t VALUES (1, 'x')")
    with pytest.raises(DataError, match="table t, column name: invalid literal"):
        found(lookup(database, {"id": INT, "name": INT}), [1])


def test_a_locked_database_is_waited_for(tmp_path: Path) -> None:
    database = SqliteDatabase(tmp_path / "db")
    database.run("CREATE TABLE t (id INT, name VARCHAR(9))")
    database.run("INSERT INTO t VALUES (1, 'x')")
    writer = sqlite3.connect(database.path, isolation_level=None)
    writer.execute("BEGIN EXCLUSIVE")
    answers: list[Any] = []
    asking = threading.Thread(target=lambda: answers.extend(found(lookup(database), [1])))
    asking.start()
    asking.join(0.3)
    assert asking.is_alive()
    writer.execute("COMMIT")
    asking.join(30)
    writer.close()
    assert answers == [(0, 1, "x")]


@pytest.mark.slow
def test_a_lost_connection_is_made_again(request: pytest.FixtureRequest) -> None:
    server = PostgresDatabase(request.getfixturevalue("postgres"))
    server.run("CREATE TABLE t (id INT, name VARCHAR(9))")
    server.run("INSERT INTO t VALUES (1, 'x')")
    table = lookup(server)
    assert found(table, [1]) == [(0, 1, "x")]
    server.run("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid()")
    assert found(table, [1]) == [(0, 1, "x")]


@pytest.mark.slow
def test_a_slow_table_is_waited_for(request: pytest.FixtureRequest) -> None:
    server = PostgresDatabase(request.getfixturevalue("postgres"))
    server.run("CREATE TABLE t (id INT, name VARCHAR(9))")
    server.run("INSERT INTO t VALUES (1, 'x')")
    locked, done = threading.Event(), threading.Event()

    def hold() -> None:
        with server.server.connect() as connection, connection.transaction():
            connection.execute("LOCK TABLE t")
            locked.set()
            done.wait(10)

    holder = threading.Thread(target=hold)
    holder.start()
    try:
        assert locked.wait(10)
        answers: list[Any] = []
        asking = threading.Thread(target=lambda: answers.extend(found(lookup(server), [1])))
        asking.start()
        asking.join(0.3)
        assert asking.is_alive()
        done.set()
        asking.join(10)
        assert answers == [(0, 1, "x")]
    finally:
        done.set()
        holder.join()


def test_a_server_that_never_answers_is_an_error_that_names_it() -> None:
    pytest.importorskip("psycopg")
    nowhere = SqliteDatabase(Path())
    nowhere.options = {"url": "jdbc:postgresql://localhost:1/db", "username": "u", "password": "p"}
    table = lookup(nowhere, lookup_max__retries="0", connection_max__retry__timeout="1 s")
    with pytest.raises(JobError, match=re.escape("jdbc:postgresql://localhost:1/db, table t")) as caught:
        found(table, [1])
    assert caught.value.option == "url"


# --- SQL -------------------------------------------------------------------------------------------
def test_queries_of_each_kind() -> None:
    sqlite, mysql = dialect_of("jdbc:sqlite:/f"), dialect_of("jdbc:mysql://h/d")
    postgres = dialect_of("jdbc:postgresql://h/d")
    assert by_values(sqlite, "t", ["a", "b"], ["a"], 2) == (
        "WITH asked(n, k0) AS (VALUES (:n0, :k0_0), (:n1, :k0_1)) SELECT asked.n, looked.`a`, looked.`b` "
        "FROM asked JOIN `t` AS looked ON looked.`a` = asked.k0"
    )
    assert by_union(mysql, "t", ["a", "b"], ["a", "b"], 2) == (
        "SELECT :n0, looked.`a`, looked.`b` FROM `t` AS looked "
        "WHERE looked.`a` = :k0_0 AND looked.`b` = :k1_0 UNION ALL "
        "SELECT :n1, looked.`a`, looked.`b` FROM `t` AS looked "
        "WHERE looked.`a` = :k0_1 AND looked.`b` = :k1_1"
    )
    assert by_arrays(postgres, "t", ["a"], ["a"], ["integer"]) == (
        "SELECT asked.n + :start, looked.a FROM unnest(CAST(:k0 AS integer[])) WITH ORDINALITY "
        "AS asked(k0, n) JOIN t AS looked ON looked.a = asked.k0"
    )


def test_a_union_finds_the_same_rows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """MySQL's form of the query, run by SQLite."""
    database = SqliteDatabase(tmp_path / "db")
    database.run("CREATE TABLE t (id INT, name VARCHAR(9))")
    database.run("INSERT INTO t VALUES (1, 'a'), (2, 'b'), (2, 'c')")
    table = lookup(database)
    assert isinstance(table, JdbcLookup)
    monkeypatch.setattr("firesteel.connectors.jdbc.lookup.by_values", by_union)
    assert found(table, [2, 5, 1]) == [(0, 2, "b"), (0, 2, "c"), (2, 1, "a")]
