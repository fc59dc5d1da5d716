"""Tables of databases, written and read: SQLite always, PostgreSQL where there is one."""

from __future__ import annotations

import re
import threading
import time
from datetime import date, datetime, timezone
from datetime import time as clock
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from firesteel.changelog import SUB_SEQUENCE
from firesteel.errors import DataError, JobError
from firesteel.types.sql import (
    BIGINT,
    BOOLEAN,
    BYTES,
    DATE,
    DOUBLE,
    INT,
    STRING,
    SqlType,
    array,
    decimal,
    timestamp,
    timestamp_ltz,
)
from firesteel.types.sql import time as time_of_day
from tests.connectors.jdbc.databases import (
    CREATE,
    Database,
    PostgresDatabase,
    SqliteDatabase,
    read,
    sink,
    source,
    write,
)
from tests.connectors.jdbc.postgres import PASSWORD
from tests.runtime.changes import to_table

pytest.importorskip("sqlalchemy")
TIME = r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d"


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.slow)])
def database(request: pytest.FixtureRequest, tmp_path: Path) -> Database:
    if request.param == "sqlite":
        return SqliteDatabase(tmp_path / "db")
    return PostgresDatabase(request.getfixturevalue("postgres"))


@pytest.fixture
def server(request: pytest.FixtureRequest) -> PostgresDatabase:
    return PostgresDatabase(request.getfixturevalue("postgres"))


def rows(database: Database) -> list[tuple[Any, ...]]:
    return sorted(database.run("SELECT * FROM t"))


def opened(database: Database, **options: Any) -> Any:
    made = sink(database, **options)
    made.open("job")
    return made


# --- writing -------------------------------------------------------------------------------------
def test_rows_are_put_in_place_by_key(database: Database) -> None:
    database.run(CREATE)
    to = opened(database)
    write(
        to, [("+I", "a", 1), ("+I", "b", 2), ("-U", "a", 1), ("+U", "a", 3), ("+I", "c", 4), ("-D", "b", 2)]
    )
    assert rows(database) == [("a", 3), ("c", 4)]
    write(to, [("-D", "a", 3), ("+I", "c", 5), ("-D", "c", 5), ("+I", "c", 6), ("-D", "x", 1)], batch=1)
    assert rows(database) == [("c", 6)]


def test_only_some_rows_have_sub_sequences(database: Database) -> None:
    """A task merges packets of several kinds: those of rows that a join has multiplied have one."""
    database.run(CREATE)
    to = opened(database)
    tables = [to_table([row], [STRING, BIGINT], n) for n, row in enumerate((("+I", "a", 1), ("+U", "a", 2)))]
    to.open_task("job", 0, 0)
    to.write(tables[0])
    to.write(tables[1].append_column(SUB_SEQUENCE, pa.array([3])))
    to.close_task()
    assert rows(database) == [("a", 2)]


def test_rows_are_added_without_a_key(database: Database) -> None:
    database.run("CREATE TABLE t (k VARCHAR(5), n BIGINT)")
    to = opened(database, primary_key=())
    write(to, [("+I", "a", 1), ("+I", None, 1), ("+I", "a", 1)])
    assert sorted(database.run("SELECT k, n FROM t WHERE k IS NOT NULL")) == [("a", 1), ("a", 1)]
    assert database.run("SELECT COUNT(*) FROM t") == [(3,)]


def test_a_table_of_keys_alone(database: Database) -> None:
    database.run("CREATE TABLE t (k VARCHAR(5) PRIMARY KEY)")
    to = opened(database, columns={"k": STRING})
    for batch in range(2):
        write(to, [("+I", "a")], [STRING], batch=batch)
    assert rows(database) == [("a",)]


def test_a_batch_is_written_once(database: Database) -> None:
    database.run("CREATE TABLE t (k VARCHAR(5), n BIGINT)")
    to = opened(database, primary_key=())
    for batch in (0, 0, 1, 2, 1, 2):
        write(to, [("+I", "a", batch)], batch=batch)
    write(to, [("+I", "b", 7)], batch=1, partition=1)
    write(to, [("+I", "c", 8)], job="job.1", batch=1)
    assert rows(database) == [("a", 0), ("a", 1), ("a", 2), ("b", 7), ("c", 8)]


def test_parts_share_a_transaction(database: Database) -> None:
    """What one of them has written already, in a task of its own, is left out; where a row is refused nothing
    of any is written."""
    database.run("CREATE TABLE t (k VARCHAR(5) NOT NULL, n BIGINT)")
    to = opened(database, primary_key=())
    write(to, [("+I", "a", 0)])
    for batch in (0, 0, 1):
        for partition, key in enumerate("ab"):
            to.open_task("job", batch, partition)
            to.write(to_table([("+I", key, batch)], [STRING, BIGINT], 0))
        to.close_task()
    assert rows(database) == [("a", 0), ("a", 1), ("b", 0), ("b", 1)]
    for partition, refused in enumerate(("c", None)):
        to.open_task("job", 2, partition)
        to.write(to_table([("+I", refused, 2)], [STRING, BIGINT], 0))
    with pytest.raises(JobError, match=r"\+I\[null, 2\] is refused"):
        to.close_task()
    for partition, key in enumerate("cd"):
        write(to, [("+I", key, 2)], batch=2, partition=partition)
    assert rows(database)[4:] == [("c", 2), ("d", 2)]


def test_two_at_one_batch(database: Database) -> None:
    """A task of a run that is dead, and the one that takes its place."""
    database.run("CREATE TABLE t (k VARCHAR(5), n BIGINT)")
    tasks = [opened(database, primary_key=()) for _ in range(4)]
    threads = [
        threading.Thread(target=write, args=(task, [("+I", str(n), n) for n in range(300)])) for task in tasks
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert database.run("SELECT COUNT(*) FROM t") == [(300,)]


def test_a_run_without_a_checkpoint_leaves_no_numbers(database: Database) -> None:
    database.run(CREATE)
    to = sink(database)
    to.open("run-1")
    write(to, [("+I", "a", 1)], job="run-1")
    to.commit(0, [""])
    to.end_run()
    assert database.run("SELECT * FROM firesteel_batches") == []


@pytest.mark.parametrize("bad", [("+I", "x", 1000), ("+I", "x", None)])
def test_a_row_that_is_refused_is_shown(database: Database, bad: tuple[Any, ...]) -> None:
    database.run(CREATE)
    to = opened(database, sink_buffer__flush_max__rows="3")
    good = [("+I", str(number), number) for number in range(8)]
    with pytest.raises(JobError, match=rf"table t: \+I\[x, {bad[2] or 'null'}\] is refused: ") as raised:
        write(to, [*good[:5], bad, *good[5:]])
    assert PASSWORD not in str(raised.value)
    assert rows(database) == []
    write(to, good)
    assert len(rows(database)) == 8


@pytest.mark.slow
def test_a_value_that_is_too_long(server: PostgresDatabase) -> None:
    server.run(CREATE)
    with pytest.raises(JobError, match=r"\+I\[123456, 1\] is refused: value too long for type character"):
        write(opened(server), [("+I", "1", 1), ("+I", "123456", 1)])


def test_a_table_that_is_not_there(database: Database) -> None:
    with pytest.raises(
        JobError, match=r"jdbc:(sqlite|postgresql):.*table t: .*(no such table|does not exist)"
    ):
        sink(database).open("job")
    database.run("CREATE TABLE t (k VARCHAR(5))")
    with pytest.raises(JobError, match=r"no such column|column \"n\" does not exist"):
        sink(database).open("job")


@pytest.mark.slow
def test_a_database_that_is_away_for_a_while(
    server: PostgresDatabase, capfd: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    """It is said once that it is away, and once that it is back."""
    server.run("CREATE TABLE t (k VARCHAR(5), n BIGINT)")
    to = opened(server, primary_key=())
    write(to, [("+I", "a", 0)])
    server.server.stop("immediate")

    def back() -> None:
        time.sleep(3)
        server.server.start()

    thread = threading.Thread(target=back)
    thread.start()
    write(to, [("+I", "a", 1)], batch=1)
    thread.join()
    assert rows(server) == [("a", 0), ("a", 1)]
    away, back_again = capfd.readouterr().err.splitlines()
    place = f"The database {server.options['url']}"
    assert re.fullmatch(rf"{TIME} {place} is away: .*\. Waiting for it for up to 60 s\.", away)
    assert re.fullmatch(rf"{TIME} {place} is back after \d+ s\.", back_again)
    assert caplog.text == ""


@pytest.mark.slow
def test_a_database_that_goes_while_rows_are_sent(
    server: PostgresDatabase, capfd: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    """psycopg would log the errors that follow from it, and SQLAlchemy a stack trace."""
    server.run("CREATE TABLE t (k VARCHAR(5), n BIGINT)")
    server.run(
        "CREATE FUNCTION slow() RETURNS trigger LANGUAGE plpgsql AS "
        "$$BEGIN IF NEW.n = 0 THEN PERFORM pg_sleep(1); END IF; RETURN NEW; END$$"
    )
    server.run("CREATE TRIGGER slow BEFORE INSERT ON t FOR EACH ROW EXECUTE FUNCTION slow()")
    to = opened(server, primary_key=(), sink_buffer__flush_max__rows="5000")
    thread = threading.Thread(target=write, args=(to, [("+I", "a", n) for n in range(5000)]))
    thread.start()
    while not server.run("SELECT 1 FROM pg_stat_activity WHERE wait_event = 'PgSleep'"):
        pass
    server.server.stop("immediate")
    server.server.start()
    thread.join()
    assert rows(server) == [("a", n) for n in range(5000)]
    told = capfd.readouterr().err
    assert "error ignored" not in told + caplog.text
    assert "Traceback" not in told + caplog.text


@pytest.mark.slow
def test_a_database_that_stays_away_or_lets_nobody_in(server: PostgresDatabase) -> None:
    server.run(CREATE)
    with pytest.raises(JobError, match=r"127\.0\.0\.1.*password authentication failed") as raised:
        sink(server, password="another-secret").open("job")
    assert "another-secret" not in str(raised.value)
    to = sink(server, connection_max__retry__timeout="1 s", sink_max__retries="1")
    to.open("job")
    server.server.stop()
    began = time.monotonic()
    with pytest.raises(JobError, match="refused"):
        write(to, [("+I", "a", 0)])
    assert time.monotonic() - began < 20
    server.server.start()


# --- reading, and types --------------------------------------------------------------------------
TYPES: dict[str, tuple[SqlType, str, Any]] = {
    "i": (INT, "INTEGER", -5),
    "s": (STRING, "VARCHAR(20)", "Zürich's"),
    "f": (BOOLEAN, "BOOLEAN", True),
    "d": (DOUBLE, "DOUBLE PRECISION", 1.5),
    "m": (decimal(10, 2), "NUMERIC(10, 2)", Decimal("12345678.90")),
    "b": (BYTES, "BYTEA", b"\x00\xff"),
    "da": (DATE, "DATE", date(2020, 2, 29)),
    "ti": (time_of_day(), "TIME", clock(1, 2, 3)),
    "ts": (timestamp(), "TIMESTAMP", datetime(2020, 1, 2, 3, 4, 5, 678901)),
}


def test_types_there_and_back(database: Database) -> None:
    columns = {name: kind for name, (kind, _, _) in TYPES.items()}
    declared = ", ".join(f"{name} {sql}" for name, (_, sql, _) in TYPES.items())
    database.run(f"CREATE TABLE t ({declared})")
    values, nulls = tuple(value for _, _, value in TYPES.values()), (None,) * len(TYPES)
    to = opened(database, columns=columns, primary_key=())
    write(to, [("+I", *values), ("+I", *nulls)], tuple(columns.values()))
    assert read(source(database, columns)) == [("+I", *values), ("+I", *nulls)]


@pytest.mark.slow
def test_types_of_postgresql(server: PostgresDatabase) -> None:
    columns = {"z": timestamp_ltz(3), "a": array(INT)}
    server.run("CREATE TABLE t (z TIMESTAMPTZ, a INTEGER[])")
    when = datetime(2020, 1, 2, 3, 4, 5, 678000, tzinfo=timezone.utc)
    write(opened(server, columns=columns, primary_key=()), [("+I", when, [1, None])], tuple(columns.values()))
    assert read(source(server, columns)) == [("+I", when, [1, None])]


def test_rows_are_read_in_parts(database: Database) -> None:
    database.run("CREATE TABLE t (k VARCHAR(5), n BIGINT)")
    values = ", ".join(f"('a', {number})" for number in range(20))
    database.run(f"INSERT INTO t VALUES {values}")
    options = {"column": "n", "num": "3", "lower__bound": "2", "upper__bound": "12"}
    cut = source(database, **{f"scan_partition_{name}": value for name, value in options.items()})
    assert [split.data for split in cut.splits(1)] == [
        {"from": 2, "to": 5},
        {"from": 6, "to": 9},
        {"from": 10, "to": 12},
    ]
    assert sorted(read(cut)) == [("+I", "a", number) for number in range(2, 13)]
    assert len(read(source(database, scan_fetch__size="7"))) == 20


def test_a_value_of_another_type(database: Database) -> None:
    database.run("CREATE TABLE t (k VARCHAR(5), n VARCHAR(5))")
    database.run("INSERT INTO t VALUES ('a', 'x')")
    with pytest.raises(DataError, match="table t, column n: invalid literal for int"):
        read(source(database))
    database.run("UPDATE t SET n = '7'")
    assert read(source(database, {"k": STRING, "n": BIGINT})) == [("+I", "a", 7)]
