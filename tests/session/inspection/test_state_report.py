"""The state of a checkpoint, shown without running its job."""

from __future__ import annotations

import re
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING

import pyarrow as pa
import pytest

from firesteel.errors import UsageError
from firesteel.session.inspection.state_report import StateReport, key_types, open_reports

if TYPE_CHECKING:
    from firesteel.spark.launch.launch import Spark

JOB = """
CREATE TABLE t (id INT, name STRING, cnt INT)
WITH ('connector' = 'filesystem', 'path' = '{0}/t', 'format' = 'json');
CREATE TABLE c (name STRING, city STRING)
WITH ('connector' = 'filesystem', 'path' = '{0}/c', 'format' = 'json');
CREATE TABLE o (city STRING, cnt INT) WITH ('connector' = 'blackhole');
INSERT INTO o SELECT c.city, SUM(t.cnt) FROM t JOIN c ON t.name = c.name GROUP BY c.city
"""


def run(folder: Path, spark: Spark) -> None:
    from firesteel import TableEnvironment

    options = {
        "execution.checkpointing.dir": str(folder / "checkpoint"),
        "parallelism.default": "1",
        "firesteel.source.max-rows-per-batch": "1",
    }
    environment = TableEnvironment.create(spark, configuration=options)
    for statement in environment.split(JOB.format(folder)):
        environment.execute_sql(statement).wait()


@pytest.mark.spark
@pytest.mark.slow
def test_sizes_and_entries(tmp_path: Path, spark: Spark) -> None:
    for name in ("t", "c"):
        (tmp_path / name).mkdir()
    (tmp_path / "c" / "1.json").write_text(
        '{"name": "Tom", "city": "Rome"}\n{"name": "Ann", "city": "Oslo"}\n'
    )
    sales = '{"id": 1, "name": "Tom", "cnt": 12}\n{"id": 2, "name": "Tom", "cnt": 9}\n'
    (tmp_path / "t" / "1.json").write_text(sales)
    run(tmp_path, spark)
    checkpoint = str(tmp_path / "checkpoint")

    (report,) = open_reports(spark.session.newSession(), checkpoint)
    sizes = {row[:2]: row[2:4] for row in report.overview()}
    assert sizes["join-1", "left.rows.v1"] == ("map", "2")
    assert sizes["join-1", "right.rows.v1"] == ("map", "2")
    assert sizes["group-aggregate-2", "group-aggregate-2"][0] == "value"
    assert report.operator("group") == "group-aggregate-2"

    def cells(of: StateReport, operator: str, *key: str) -> dict[str, list[list[str]]]:
        return {state: list(rows) for state, _, rows in of.entries(operator, key)}

    sums = cells(report, "group-aggregate-2")
    assert [row[0] for row in sums["group-aggregate-2"]] == ["Rome"]
    assert cells(report, "group-aggregate-2", "Rome") == sums
    assert cells(report, "group-aggregate-2", "NULL") == {"group-aggregate-2": []}
    assert len(cells(report, "join-1", "Tom")["left.rows.v1"]) == 2
    last = report.state.batch
    (before,) = open_reports(spark.session.newSession(), checkpoint, last - 1)
    assert len(cells(before, "join-1", "Tom")["left.rows.v1"]) == 1

    for wrong, text in [
        (lambda: report.operator("rank"), "has no operator whose name begins with 'rank'"),
        (lambda: report.operator(""), "has several operators"),
        (lambda: list(report.entries("join-1", ["a", "b"])), "the key of join-1 has 1 columns, got 2 values"),
        (lambda: list(open_reports(spark.session, checkpoint, last + 7)), "has no state of micro-batch"),
        (lambda: list(open_reports(spark.session, str(tmp_path))), "is not a checkpoint of Firesteel"),
    ]:
        with pytest.raises(UsageError, match=re.escape(text)):
            wrong()


@pytest.mark.parametrize(
    ("spec", "types"),
    [
        ({"inputs": [{"types": ["INT", "STRING NOT NULL"], "keys": [1]}, {}]}, [pa.string()]),
        ({"input_types": ["INT", "DECIMAL(10, 2)"], "keys": [1, 0]}, [pa.decimal128(10, 2), pa.int32()]),
        ({"input_types": ["BIGINT"], "partition": []}, []),
        ({"aggregate": {"input_types": ["DATE"], "keys": [0]}, "state_id": "over"}, [pa.date32()]),
        ({"aggregate": {"input_types": ["DATE", "INT"], "keys": [0]}, "partition": [1]}, [pa.int32()]),
    ],
)
def test_types_of_a_key(spec: dict[str, object], types: list[pa.DataType]) -> None:
    assert key_types(spec) == types


def test_a_state_without_keys_has_no_entries_of_a_key() -> None:
    """Watermarks of the inputs of a chain, for one."""
    report = StateReport("query", SimpleNamespace(specs={}, groups=[]))  # type: ignore[arg-type]
    with pytest.raises(UsageError, match=r"the state of marks-1\.v1 has no keys"):
        report.table("marks-1.v1", "marks-1.v1", ["1"])
