"""The table firesteel_batches where it cannot be written, or is another than Firesteel's."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from firesteel.errors import JobError
from tests.connectors.jdbc.databases import CREATE, PostgresDatabase, SqliteDatabase, sink, write
from tests.connectors.jdbc.postgres import Postgres

pytest.importorskip("sqlalchemy")

OTHER = (
    "CREATE TABLE firesteel_batches (job VARCHAR(64) NOT NULL, task INTEGER NOT NULL, batch BIGINT NOT NULL, "
    "more BIGINT NOT NULL, lineage VARCHAR(64), offsets VARCHAR(128), origin TEXT, PRIMARY KEY (job, task))"
)
DENIED = r"no batch can be noted in firesteel_batches: permission denied for table firesteel_batches"


@pytest.mark.slow
@pytest.mark.parametrize("right", ["INSERT", "UPDATE", "SELECT"])
def test_a_user_without_a_right(postgres: Postgres, right: str) -> None:
    """At the start of a job, and in a task that began before the right was taken away."""
    database = PostgresDatabase(postgres)
    database.run(CREATE)
    sink(database).open("job")
    if not database.run("SELECT 1 FROM pg_roles WHERE rolname = 'clerk'"):
        database.run("CREATE ROLE clerk LOGIN PASSWORD 'of-clerk'")
    database.run("GRANT USAGE ON SCHEMA public TO clerk")
    database.run("GRANT ALL ON t, firesteel_batches TO clerk")
    to = sink(database, username="clerk", password="of-clerk")
    to.open("job")
    database.run(f"REVOKE {right} ON firesteel_batches FROM clerk")
    with pytest.raises(JobError, match=DENIED) as raised:
        write(to, [("+I", "a", 1)])
    assert "the user needs SELECT, INSERT, UPDATE and DELETE on firesteel_batches" in str(raised.value)
    with pytest.raises(JobError, match=DENIED):
        sink(database, username="clerk", password="of-clerk").open("job")
    assert database.run("SELECT * FROM t") == []


def test_a_table_with_another_column(tmp_path: Path) -> None:
    """SQLite calls that an integrity error, too, as it does a key that is there already."""
    database = SqliteDatabase(tmp_path / "db")
    database.run(CREATE)
    to = sink(database)
    to.open("job")
    database.run("DROP TABLE firesteel_batches")
    database.run(OTHER)
    refused = (
        r"no batch can be noted in firesteel_batches: NOT NULL constraint failed: firesteel_batches.more"
    )
    with pytest.raises(JobError, match=refused):
        write(to, [("+I", "a", 1)])
    with pytest.raises(JobError, match=refused):
        sink(database).open("job")
    assert database.run("SELECT * FROM t") == []


@pytest.mark.slow
def test_a_table_with_another_column_of_postgres(postgres: Postgres) -> None:
    database = PostgresDatabase(postgres)
    database.run(CREATE)
    database.run(OTHER)
    with pytest.raises(JobError, match=r"no batch can be noted in .*null value in column \"more\""):
        sink(database).open("job")


def test_a_key_that_is_always_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A unique column that is not Firesteel's: nobody is faster, the task ends with an error."""
    from firesteel.connectors.jdbc import database as module

    monkeypatch.setattr(module, "_LONGEST_PAUSE", 0.0)
    database = SqliteDatabase(tmp_path / "db")
    database.run(CREATE)
    to = sink(database)
    to.open("job")
    database.run("CREATE UNIQUE INDEX one ON firesteel_batches (batch)")
    write(to, [("+I", "a", 1)], partition=1)
    with pytest.raises(JobError, match=r"UNIQUE constraint failed: firesteel_batches.batch"):
        write(to, [("+I", "b", 1)], partition=2)
    assert database.run("SELECT k FROM t") == [("a",)]


def test_only_a_key_that_is_there_is_a_race(tmp_path: Path) -> None:
    from firesteel.connectors.jdbc.database import Database
    from firesteel.connectors.jdbc.options import jdbc_options

    path = tmp_path / "db"
    with closing(sqlite3.connect(path)) as made:
        made.execute("CREATE TABLE b (n INTEGER PRIMARY KEY, m INTEGER NOT NULL CHECK (m < 5))")
    found = Database(jdbc_options({"url": f"jdbc:sqlite:{path}", "table-name": "b"}))

    def conflict(row: str) -> bool:
        with pytest.raises(found.refusals) as raised:
            found.rolled_back(
                lambda c: [c.execute(found.text(f"INSERT INTO b VALUES {each}")) for each in ("(1, 1)", row)]
            )
        return found.is_key_conflict(raised.value)

    assert [conflict(row) for row in ("(1, 2)", "(2, NULL)", "(2, 9)")] == [True, False, False]


def test_attempts_during_an_outage_are_no_races(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from firesteel.connectors.jdbc import database
    from firesteel.connectors.jdbc.options import jdbc_options

    options = jdbc_options({"url": f"jdbc:sqlite:{tmp_path / 'db'}", "table-name": "b"})
    found = database.Database(options)
    monkeypatch.setattr(database.time, "sleep", lambda seconds: None)
    monkeypatch.setattr(found, "_is_away", lambda error: True)
    away = found.refusals("INSERT", {}, Exception("connection refused"))
    failures = [*[away] * 7, *[database.TryAgainError(away)] * 5]

    def work(connection: Any) -> str:
        if failures:
            raise failures.pop(0)
        return "done"

    assert found.run(work) == "done"
    failures += [database.TryAgainError(away)] * 6
    with pytest.raises(JobError, match="connection refused"):
        found.run(work)


@pytest.mark.slow
def test_a_table_that_is_created_again_has_another_identity(postgres: Postgres) -> None:
    database = PostgresDatabase(postgres)
    database.run(CREATE)
    to: Any = sink(database)
    to.open("job")
    before = to.identities()
    assert sorted(before) == [f"table {name} of {postgres.url}" for name in ("firesteel_batches", "t")]
    for change in ("ALTER TABLE t ADD COLUMN m INT", "TRUNCATE t", "VACUUM FULL t"):
        database.run(change)
        assert to.identities() == before
    for name in ("firesteel_batches", "t"):
        database.run(f"ALTER TABLE {name} RENAME TO old")
        database.run(f"CREATE TABLE {name} (LIKE old INCLUDING ALL)")
        database.run("DROP TABLE old")
    assert all(to.identities()[name] != identity for name, identity in before.items())


def test_a_database_without_identities(tmp_path: Path) -> None:
    database = SqliteDatabase(tmp_path / "db")
    database.run(CREATE)
    to: Any = sink(database)
    to.open("job")
    assert to.identities() == {}
