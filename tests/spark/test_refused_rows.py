"""Rows that a sink refuses go to the dead-letter table, on both hosts, and all others arrive."""

from __future__ import annotations

import base64
import json
import sqlite3
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from firesteel import TableEnvironment
from tests.spark.test_dead_letters import COLUMNS, read

if TYPE_CHECKING:
    from firesteel.spark.launch.launch import Spark

pytestmark = pytest.mark.spark
ROWS = 1000
BAD = {n for n in range(ROWS) if n % 97 == 5}


def environment(spark: Spark, folder: Path, host: str) -> TableEnvironment:
    """Return a session with a table of numbers, of which the bad ones have a long name."""
    with (folder / "in.json").open("w") as stream:
        for n in range(ROWS):
            name = None if n == 5 else "too long" if n in BAD else f"n{n}"
            stream.write(json.dumps({"id": n, "name": name}) + "\n")
    made = TableEnvironment.create(spark)
    made.execute_sql(f"SET 'firesteel.host' = '{host}'")
    made.execute_sql("SET 'firesteel.source.max-rows-per-batch' = '300'")
    made.execute_sql("SET 'firesteel.dead-letters.table' = 'bad'")
    files = "'connector' = 'filesystem', 'format' = 'json', 'path' ="
    made.execute_sql(f"CREATE TABLE t (id INT, name STRING) WITH ({files} '{folder}/in.json')")
    made.execute_sql(f"CREATE TABLE bad ({COLUMNS}) WITH ({files} '{folder}/bad')")
    return made


def ids(rows: list[dict[str, str]]) -> list[int]:
    return sorted(json.loads(base64.b64decode(row["raw_bytes"]))["id"] for row in rows)


@pytest.mark.parametrize("host", ["batch", "stream"])
def test_rows_that_a_database_refuses(host: str, spark: Spark, tmp_path: Path) -> None:
    file = tmp_path / "shop.db"
    with sqlite3.connect(file) as connection:
        connection.execute(
            "CREATE TABLE names (id INT PRIMARY KEY, name TEXT NOT NULL CHECK (LENGTH(name) < 6))"
        )
    made = environment(spark, tmp_path, host)
    made.execute_sql(
        "CREATE TABLE names (id INT, name STRING) WITH "
        f"('connector' = 'jdbc', 'url' = 'jdbc:sqlite:{file}', 'table-name' = 'names')"
    )
    result = made.execute_sql("INSERT INTO names SELECT * FROM t")
    result.wait()
    with sqlite3.connect(file) as connection:
        stored = [n for (n,) in connection.execute("SELECT id FROM names ORDER BY id")]
    assert stored == [n for n in range(ROWS) if n not in BAD]
    rows = read(tmp_path / "bad")
    assert ids(rows) == sorted(BAD)
    assert {row["source_table"] for row in rows} == {"default_catalog.default_database.names"}
    assert {row["error_class"] for row in rows} == {"IntegrityError"}
    assert {row["row_kind"] for row in rows} == {"+I"}
    assert {row["source_position"].rpartition(" ")[0] for row in rows} == {"micro-batch"}
    assert all("constraint failed" in row["error_text"] and row["failed_at"] for row in rows)
    progress = result.record.progress if result.record is not None else None
    assert progress is not None
    assert (progress.changes, progress.dead_letters) == (ROWS - len(BAD), len(BAD))


@pytest.mark.parametrize("host", ["batch", pytest.param("stream", marks=pytest.mark.full)])
def test_rows_that_violate_constraints_of_the_table(host: str, spark: Spark, tmp_path: Path) -> None:
    made = environment(spark, tmp_path, host)
    files = "'connector' = 'filesystem', 'format' = 'json', 'path' ="
    made.execute_sql(f"CREATE TABLE `out` (id INT, name STRING NOT NULL) WITH ({files} '{tmp_path}/out')")
    made.execute_sql("INSERT INTO `out` SELECT id, NULLIF(name, 'too long') FROM t").wait()
    written: list[dict[str, Any]] = read(tmp_path / "out")
    assert sorted(int(row["id"]) for row in written) == [n for n in range(ROWS) if n not in BAD]
    rows = read(tmp_path / "bad")
    assert ids(rows) == sorted(BAD)
    assert {row["error_class"] for row in rows} == {"ConstraintViolation"}
    assert all("is NOT NULL, however, a null value" in row["error_text"] for row in rows)
