"""Messages that cannot be read go to a table, on both hosts, and the job goes on."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from firesteel import TableEnvironment

if TYPE_CHECKING:
    from firesteel.spark.launch.launch import Spark

BAD = [
    b"{",
    b"nonsense",
    b"[1, 2]",
    b'{"id": "x", "n": 1}',
    b'{"id": 1, "n": 99999999999}',
    b'{"id": 1, "n": ',
    b'{"id": 1 "n": 2}',
    b"{'id': 1}",
    b'{"id": 1, "n": [2]}',
    b'{"id": 1, "n": {"a": 2}}',
    b'{"id": 1.5.1, "n": 2}',
    b'\xff\xfe{"id": 1}',
]
"""Twelve kinds of messages that are no row."""
COLUMNS = (
    "source_table STRING, source_position STRING, failed_at TIMESTAMP_LTZ(3), error_class STRING, "
    "error_text STRING, raw_bytes BYTES, row_kind STRING"
)


def write(file: Path, rows: int, every: int) -> dict[int, bytes]:
    """Write rows, in each `every` of them a bad message; the bad ones by their line."""
    bad: dict[int, bytes] = {}
    with file.open("wb") as stream:
        for line in range(1, rows + 1):
            if line % every == 0:
                bad[line] = BAD[len(bad) % len(BAD)]
            message = bad.get(line) or b'{"id": %d, "n": 1}' % line
            stream.write(message + b"\n")
    return bad


def read(folder: Path) -> list[dict[str, str]]:
    files = [file for file in folder.rglob("*") if file.is_file() and not file.name.startswith((".", "_"))]
    shown = [file for file in files if "_firesteel" not in file.parts]
    return [json.loads(line) for file in shown for line in file.read_text().splitlines()]


@pytest.mark.spark
@pytest.mark.parametrize("host", ["batch", "stream"])
def test_each_bad_message_is_there_once(host: str, spark: Spark, tmp_path: Path) -> None:
    bad = write(tmp_path / "in.json", 3000, 40)
    environment = TableEnvironment.create(spark)
    environment.execute_sql(f"SET 'firesteel.host' = '{host}'")
    environment.execute_sql("SET 'firesteel.source.max-rows-per-batch' = '700'")
    environment.execute_sql("SET 'firesteel.dead-letters.table' = 'bad'")
    files = "'connector' = 'filesystem', 'format' = 'json', 'path' ="
    environment.execute_sql(f"CREATE TABLE t (id INT, n INT) WITH ({files} '{tmp_path}/in.json')")
    environment.execute_sql(f"CREATE TABLE bad ({COLUMNS}) WITH ({files} '{tmp_path}/bad')")
    query = environment.sql_query("SELECT n, COUNT(id) AS c FROM t GROUP BY n")
    assert query.execute().to_pandas()["c"].tolist() == [3000 - len(bad)]
    found = {
        int(row["source_position"].rpartition(" ")[2]): base64.b64decode(row["raw_bytes"])
        for row in read(tmp_path / "bad")
    }
    assert found == bad
    rows = read(tmp_path / "bad")
    assert len(rows) == len(bad)
    assert {row["source_table"] for row in rows} == {"default_catalog.default_database.t"}
    assert {row["error_class"] for row in rows} == {"DataError"}
    assert all(row["error_text"] and row["failed_at"] and row["row_kind"] is None for row in rows)
