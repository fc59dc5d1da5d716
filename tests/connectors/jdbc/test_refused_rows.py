"""Rows that SQLite refuses are found by halves, and all others are written."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from firesteel.changelog import KIND, SEQUENCE
from firesteel.connectors.refused_rows import Refusals, RefusedRows, RowsRefusedError, refused_by_halves
from firesteel.connectors.registry import open_sink
from firesteel.errors import JobError
from firesteel.runtime.dataflow.sequence import row_sequences
from firesteel.runtime.spec.tables import SinkSpec
from firesteel.types.sql import INT, STRING
from tests.connectors.jdbc.postgres import PASSWORD, USER, Postgres

Row = tuple[int, int | None, str | None]
"""Row kind, id and name."""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    made = tmp_path / "shop.db"
    with sqlite3.connect(made) as connection:
        connection.execute("CREATE TABLE t (id INT NOT NULL PRIMARY KEY, name TEXT CHECK (LENGTH(name) < 6))")
    return made


def spec(file: Path, key: tuple[int, ...] = ()) -> SinkSpec:
    options = (("connector", "jdbc"), ("url", f"jdbc:sqlite:{file}"), ("table-name", "t"))
    return SinkSpec("jdbc", options, ("id", "name"), (INT, STRING), "shop.t", primary_key=key)


def changes(*rows: Row) -> pa.Table:
    kinds, ids, names = zip(*rows, strict=True)
    columns: dict[str, Any] = {
        KIND: pa.array(kinds, pa.int8()),
        SEQUENCE: row_sequences(0, 0, len(rows)),
        "f0": pa.array(ids, pa.int32()),
        "f1": pa.array(names, pa.string()),
    }
    return pa.table(columns)


def write(spec: SinkSpec, rows: pa.Table, known: RefusedRows | None = None, batch: int = 0) -> Refusals:
    """Write one batch as the task 3, leaving out `known`."""
    sink = open_sink(spec)
    sink.open("job")
    sink.refusals = found = Refusals(known)
    sink.open_task("job", batch, 3)
    sink.write(rows)
    sink.close_task()
    return found


def refused(spec: SinkSpec, rows: pa.Table, known: RefusedRows | None = None) -> RefusedRows:
    sink = open_sink(spec)
    sink.open("job")
    sink.refusals = found = Refusals(known)
    sink.open_task("job", 0, 3)
    sink.write(rows)
    with pytest.raises(RowsRefusedError):
        sink.close_task()
    return found.found


def stored(file: Path) -> list[tuple[Any, ...]]:
    with sqlite3.connect(file) as connection:
        return connection.execute("SELECT id, name FROM t ORDER BY id").fetchall()


def test_bad_rows_are_found_and_good_ones_arrive(file: Path) -> None:
    rows = [(0, n, f"n{n}") for n in range(500)]
    rows[7], rows[300], rows[301] = (0, 7, "too long"), (0, None, "n"), (0, 5, "again")
    found = refused(spec(file), changes(*rows))
    assert stored(file) == []  # nothing before the host knows
    assert [row.number for row in found[3]] == [7, 300, 301]
    assert [row.error_class for row in found[3]] == ["IntegrityError"] * 3
    assert json.loads(found[3][0].row) == {"id": 7, "name": "too long"}
    assert "CHECK constraint failed" in found[3][0].text
    assert "NOT NULL constraint failed: t.id" in found[3][1].text
    assert "UNIQUE constraint failed: t.id" in found[3][2].text
    assert not write(spec(file), changes(*rows), found).found
    assert stored(file) == [(n, f"n{n}") for n in range(500) if n not in (7, 300, 301)]


def test_a_repeated_batch_leaves_out_what_it_left_out(file: Path) -> None:
    """Even if the database would take the row now."""
    rows = changes((0, 1, "good"), (0, 2, "too long"))
    found = refused(spec(file), rows)
    with sqlite3.connect(file) as connection:
        connection.executescript("DROP TABLE t; CREATE TABLE t (id INTEGER PRIMARY KEY, name TEXT)")
    write(spec(file), rows, found)
    write(spec(file), rows, found)
    assert stored(file) == [(1, "good")]


def test_a_key_keeps_its_row_if_the_last_change_is_refused(file: Path) -> None:
    keyed = spec(file, (0,))
    write(keyed, changes((0, 1, "old"), (0, 2, "gone")))
    rows = changes((2, 1, "new"), (1, 1, "new"), (2, 1, "too long"), (3, 2, "gone"), (0, 3, "n"))
    (row,) = refused_next(keyed, rows)[3]
    assert (row.number, row.kind) == (2, 2)
    write(keyed, rows, {3: [row]}, batch=1)
    assert stored(file) == [(1, "old"), (3, "n")]


def refused_next(keyed: SinkSpec, rows: pa.Table) -> RefusedRows:
    sink = open_sink(keyed)
    sink.refusals = found = Refusals()
    sink.open_task("job", 1, 3)
    sink.write(rows)
    with pytest.raises(RowsRefusedError):
        sink.close_task()
    return found.found


def test_what_is_no_fault_of_a_row_ends_the_job(file: Path) -> None:
    with sqlite3.connect(file) as connection:
        connection.execute("CREATE TRIGGER no_more BEFORE INSERT ON t BEGIN SELECT missing FROM nowhere; END")
    sink = open_sink(spec(file))
    sink.open("job")
    sink.refusals = Refusals()
    sink.open_task("job", 0, 0)
    sink.write(changes((0, 1, "n")))
    with pytest.raises(JobError):
        sink.close_task()
    assert not sink.refusals.found


@pytest.mark.slow
def test_values_that_postgresql_refuses(postgres: Postgres) -> None:
    with postgres.connect() as connection:
        connection.execute("CREATE TABLE refused (id SMALLINT NOT NULL, name VARCHAR(5))")
    options = (
        *(("connector", "jdbc"), ("url", postgres.url), ("table-name", "refused")),
        *(("username", USER), ("password", PASSWORD)),
    )
    into = SinkSpec("jdbc", options, ("id", "name"), (INT, STRING), "refused")
    rows = [(0, n, "n") for n in range(200)]
    rows[20], rows[21], rows[199] = (0, 99_999, "n"), (0, None, "n"), (0, 199, "too long")
    found = refused(into, changes(*rows))
    classes = {row.number: row.error_class for row in found[3]}
    assert classes == {20: "NumericValueOutOfRange", 21: "NotNullViolation", 199: "StringDataRightTruncation"}
    write(into, changes(*rows), found)
    with postgres.connect() as connection:
        stored = [n for (n,) in connection.execute("SELECT id FROM refused ORDER BY id").fetchall()]
    assert stored == [n for n in range(199) if n not in (20, 21)]


def test_good_parts_are_tried_once() -> None:
    sizes: list[int] = []

    def is_refused(rows: pa.Table) -> Exception | None:
        sizes.append(rows.num_rows)
        return ValueError("no") if 700 in rows["f0"].to_pylist() else None

    rows = changes(*((0, n, "n") for n in range(1024)))
    assert [at for at, _ in refused_by_halves(rows, is_refused)] == [700]
    assert len(sizes) == 1 + 2 * 10
    sizes.clear()
    assert not list(refused_by_halves(rows.slice(0, 700), is_refused))
    assert sizes == [700]
