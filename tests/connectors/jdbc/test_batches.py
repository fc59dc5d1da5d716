"""The notes of batches in a database, and tables of earlier versions."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from firesteel.connectors.jdbc import batches
from firesteel.connectors.jdbc import database as database_module
from firesteel.connectors.jdbc.lock_holders import lock_holders
from firesteel.connectors.positions import Origin, Position
from firesteel.errors import JobError, UnavailableError
from tests.connectors.jdbc.databases import CREATE, Database, SqliteDatabase, sink, write

pytest.importorskip("sqlalchemy")

OLD = (
    "CREATE TABLE firesteel_batches (job VARCHAR(64) NOT NULL, task INTEGER NOT NULL, batch BIGINT NOT NULL, "
    "PRIMARY KEY (job, task))"
)
FIRST = Origin("L", "", "e0", 1, ('{"file": 1, "byte": 0}',))
SECOND = Origin("L", "e0", "e1", 1, ('{"file": 2, "byte": 0}',))


@pytest.fixture
def database(tmp_path: Path) -> Database:
    made = SqliteDatabase(tmp_path / "db")
    made.run(CREATE)
    return made


def opened(database: Database) -> Any:
    made = sink(database)
    made.open("job")
    return made


def wrote(database: Database, row: tuple[Any, ...], batch: int, origin: Origin) -> None:
    to = opened(database)
    to.begin_batch(origin)
    write(to, [row], batch=batch)


def test_positions(database: Database) -> None:
    wrote(database, ("+I", "a", 1), 0, FIRST)
    wrote(database, ("+I", "b", 2), 1, SECOND)
    assert opened(database).positions("job", 4) == {0: Position(1, SECOND)}
    assert opened(database).positions("another", 4) == {}
    wrote(database, ("+I", "c", 3), 1, SECOND)
    assert database.run("SELECT k FROM t ORDER BY k") == [("a",), ("b",)]


def test_other_rows_of_a_number_are_refused(database: Database) -> None:
    wrote(database, ("+I", "a", 1), 0, FIRST)
    with pytest.raises(JobError, match="made from other rows"):
        wrote(database, ("+I", "b", 2), 0, Origin("L", "", "another"))
    assert database.run("SELECT k FROM t") == [("a",)]


def test_moved(database: Database) -> None:
    wrote(database, ("+I", "a", 1), 0, FIRST)
    to = opened(database)
    to.move("job", {0: Position(0, FIRST), 1: Position(3, SECOND)})
    assert to.positions("job", 4) == {0: Position(0, FIRST), 1: Position(3, SECOND)}
    to.move("job", {0: Position(-1)})
    assert to.positions("job", 4) == {1: Position(3, SECOND)}


def test_a_table_of_an_earlier_version_keeps_its_rows(database: Database) -> None:
    database.run(OLD)
    database.run("INSERT INTO firesteel_batches VALUES ('job', 0, 4), ('another', 1, 7)")
    to = opened(database)
    assert to.positions("job", 4) == {0: Position(4)}
    assert to.positions("another", 4) == {1: Position(7)}
    wrote(database, ("+I", "a", 1), 4, SECOND)  # it has that one
    wrote(database, ("+I", "b", 1), 5, SECOND)
    assert database.run("SELECT k FROM t") == [("b",)]
    assert opened(database).positions("job", 4) == {0: Position(5, SECOND)}


def test_an_earlier_version_that_writes_again(database: Database) -> None:
    """It does not know of the columns, and leaves in them what they say of an earlier batch."""
    wrote(database, ("+I", "a", 1), 0, FIRST)
    database.run("UPDATE firesteel_batches SET batch = 1 WHERE job = 'job' AND task = 0")
    assert opened(database).positions("job", 4) == {0: Position(1)}


def test_without_the_right_to_alter(database: Database) -> None:
    database.run(OLD)
    made: Any = sink(database)
    engine = made._database._engine
    event = pytest.importorskip("sqlalchemy").event

    def deny(connection: Any, _: Any) -> None:
        connection.set_authorizer(lambda action, *_: int(action == sqlite3.SQLITE_ALTER_TABLE))

    event.listen(engine, "connect", deny)
    with pytest.raises(JobError, match=r"cannot get the column lineage.*not authorized") as caught:
        made.open("job")
    assert "ALTER TABLE firesteel_batches ADD COLUMN lineage VARCHAR(64)" in str(caught.value.hint)
    event.remove(engine, "connect", deny)
    engine.dispose()
    assert database.run("SELECT count(*) FROM pragma_table_info('firesteel_batches')") == [(3,)]


def test_rows_of_killed_jobs_without_a_checkpoint_go_after_a_week(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Rows of jobs with a checkpoint stay: they may go on at any time."""
    day = 24 * 3600
    now = batches.time.time()
    opened(database)
    for job, days in (("run-old", 8), ("run-new", 6), ("checkpointed", 100)):
        monkeypatch.setattr(batches.time, "time", lambda days=days: now - days * day)
        write(sink(database), [("+I", job, 1)], job=job)
    monkeypatch.setattr(batches.time, "time", lambda: now)
    database.run("INSERT INTO firesteel_batches (job, task, batch) VALUES ('run-earlier', 0, 0)")
    opened(database)
    jobs = "SELECT job FROM firesteel_batches ORDER BY job"
    assert database.run(jobs) == [("checkpointed",), ("run-earlier",), ("run-new",)]
    monkeypatch.setattr(batches.time, "time", lambda: now + 8 * day)
    opened(database)
    assert database.run(jobs) == [("checkpointed",)]


WRITER = """
import sqlite3, sys
connection = sqlite3.connect(sys.argv[1], isolation_level=None)
connection.execute("BEGIN IMMEDIATE")
connection.execute("INSERT INTO t VALUES ('held', 1)")
print("locked", flush=True)
sys.stdin.read()
"""


@pytest.mark.parametrize("mode", ["delete", "wal"])
@pytest.mark.parametrize("has_table", [True, False])
def test_a_locked_file_is_not_a_missing_permission(
    database: Database, monkeypatch: pytest.MonkeyPatch, mode: str, has_table: bool
) -> None:
    """The error names the process that holds the lock, and no permissions."""
    monkeypatch.setattr(database_module, "_LOCKED_SECONDS", 0)
    assert isinstance(database, SqliteDatabase)
    database.run(f"PRAGMA journal_mode={mode}")
    if has_table:
        database.run(batches.CREATE)
    command = [sys.executable, "-c", WRITER, str(database.path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as writer:
        assert writer.stdout is not None
        assert writer.stdout.readline() == b"locked\n"
        with pytest.raises(UnavailableError, match="database is locked") as caught:
            opened(database)
        writer.communicate()
    hint = str(caught.value.hint)
    assert f"holds the lock of {database.path}" in hint
    assert "SELECT, INSERT" not in hint
    if sys.platform == "linux":
        assert f"process {writer.pid} (python" in hint


READER = """
import sqlite3, sys
connection = sqlite3.connect(sys.argv[1], isolation_level=None)
connection.execute("BEGIN")
connection.execute("SELECT * FROM t").fetchall()
print("locked", flush=True)
sys.stdin.read()
"""


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux lists locks")
def test_a_reader_that_keeps_a_file_locked_is_named(database: Database) -> None:
    assert isinstance(database, SqliteDatabase)
    command = [sys.executable, "-c", READER, str(database.path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as reader:
        assert reader.stdout is not None
        assert reader.stdout.readline() == b"locked\n"
        (holder,) = lock_holders(str(database.path))
        assert holder.startswith(f"process {reader.pid} (python")
        reader.communicate()
    assert lock_holders(str(database.path)) == []
