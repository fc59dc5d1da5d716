"""Changes to a DataFrame and back, as users of Delta's change feed have them."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest

from firesteel import TableEnvironment
from firesteel.errors import DataError, UsageError, ValidationError
from firesteel.job.spec import ChainSpec, Input
from firesteel.job.topology import Fragment
from firesteel.runtime.dataflow.sequence import ROW_BITS, split_numbers
from firesteel.runtime.spec.tables import ScanSpec
from firesteel.spark.stream.frame_source import FrameTask
from firesteel.spark.task.context import TaskContext
from firesteel.spark.task.source_task import SourceTask
from firesteel.types.sql import BIGINT, STRING
from tests.cases.changes import folded

if TYPE_CHECKING:
    from firesteel.spark.launch.launch import Spark

MESSAGES = [
    {"data": [{"id": 1, "name": "Tom", "cnt": 5}, {"id": 2, "name": "Ann", "cnt": 7}], "type": "INSERT"},
    {"data": [{"id": 1, "name": "Tom", "cnt": 6}], "old": [{"cnt": 5}], "type": "UPDATE"},
    {"data": [{"id": 2, "name": "Ann", "cnt": 7}], "type": "DELETE"},
]


def task(projection: tuple[int, ...] = (0, 1), source: int = 0, sources: int = 1) -> FrameTask:
    scan = ScanSpec(
        "dataframe", (), ("id", "name"), (BIGINT, STRING), projection, (None, None), "UTC", "a.b.c"
    )
    chain = ChainSpec(0, (Input(scan),), ())
    return FrameTask(SourceTask(TaskContext(Fragment((chain,), ()))), (0,), split_numbers(source, sources))


def frame(**columns: list[Any]) -> pa.Table:
    return pa.table(columns)


def test_rows_without_change_type_are_inserts() -> None:
    changes = task().changes(frame(id=[1, 2], name=["a", "b"]), 3)
    assert changes.column("$kind").to_pylist() == [0, 0]
    assert changes.column("$order").to_pylist() == [3 << ROW_BITS, (3 << ROW_BITS) + 1]
    assert changes.column("f1").to_pylist() == ["a", "b"]


def test_change_types_are_row_kinds_and_columns_are_projected() -> None:
    kinds = ["insert", "update_preimage", "update_postimage", "delete"]
    changes = task((1,)).changes(frame(_change_type=kinds, id=[1, 1, 1, 1], name=["a", "a", "b", "b"]), 0)
    assert changes.column("$kind").to_pylist() == [0, 1, 2, 3]
    assert changes.column_names == ["$kind", "$order", "f0"]


def test_commits_are_taken_by_version_and_retractions_first() -> None:
    rows = frame(
        _change_type=["insert", "update_postimage", "update_preimage", "insert"],
        _commit_version=[2, 1, 1, 0],
        id=[3, 1, 1, 1],
        name=["c", "b", "a", "a"],
    )
    changes = task().changes(rows, 5)
    assert changes.column("$kind").to_pylist() == [0, 1, 2, 0]
    assert changes.column("f0").to_pylist() == [1, 1, 1, 3]
    assert origins(changes) == sorted(set(origins(changes)))


def origins(changes: pa.Table) -> list[tuple[int, int]]:
    sub_sequences = (
        changes.column("$place") if "$place" in changes.column_names else pa.array([0] * len(changes))
    )
    return list(zip(changes.column("$order").to_pylist(), sub_sequences.to_pylist(), strict=True))


def feed(versions: list[int]) -> pa.Table:
    return frame(_commit_version=versions, id=versions, name=["a"] * len(versions))


@pytest.mark.parametrize("version", [10_000_000, 1 << 40])
def test_commits_of_any_age_are_taken_by_version(version: int) -> None:
    newer, older = task().changes(feed([version + 1, version]), 0), task().changes(feed([version, 3]), 1)
    assert newer.column("f0").to_pylist() == [version, version + 1]
    assert min(origins(newer)) >= (0, 0)
    both = zip(origins(newer) + origins(older), [*newer["f0"], *older["f0"]], strict=True)
    assert [each.as_py() for _, each in sorted(both, key=lambda each: each[0])] == [
        *(3, version, version, version + 1),
    ]


def test_commits_and_partitions_beyond_what_can_be_numbered_are_named() -> None:
    with pytest.raises(DataError, match="_commit_version is not from 0 to 17,592,186,044,415 in a row"):
        task().changes(feed([1 << 44]), 0)
    with pytest.raises(DataError, match="_commit_version is not from 0"):
        task().changes(feed([-1]), 0)
    with pytest.raises(DataError, match="1 row in partition 131,072 of the DataFrame"):
        task().changes(feed([1]), 1 << 17)


@pytest.mark.parametrize("rows", [feed([7, 8]), frame(id=[7, 8], name=["a", "b"])])
def test_frames_are_taken_one_after_the_other(rows: pa.Table) -> None:
    ends = []
    for source in range(3):
        sequences = [sequence for sequence, _ in origins(task(source=source, sources=3).changes(rows, 5))]
        ends.append((min(sequences), max(sequences)))
    assert all(before[1] < after[0] for before, after in pairwise(ends))


def test_an_unknown_change_type_is_named() -> None:
    with pytest.raises(DataError, match="_change_type is 'upsert'"):
        task().changes(frame(_change_type=["upsert"], id=[1], name=["a"]), 0)


@pytest.mark.spark
def test_a_table_of_a_static_frame_or_with_a_wrong_key_is_refused(spark: Spark) -> None:
    environment = TableEnvironment.create(spark)
    rates = spark.session.readStream.format("rate").load()
    with pytest.raises(ValidationError, match="no column 'nothing'"):
        environment.from_changelog_stream(rates, primary_key=["nothing"])


@pytest.mark.spark
@pytest.mark.parametrize(
    ("columns", "message"),
    [
        (["1 AS a", "2 AS a"], "several columns named 'a'"),
        (["'insert' AS _change_type"], "no columns besides"),
        (["value AS a", "3 AS _change_type"], "_change_type must be a string: insert, .* not int"),
        (["value AS a", "'1' AS _commit_version"], "_commit_version must be a whole number, not string"),
    ],
)
def test_columns_that_no_change_feed_has_are_refused(spark: Spark, columns: list[str], message: str) -> None:
    environment = TableEnvironment.create(spark)
    rates = spark.session.readStream.format("rate").load().selectExpr(*columns)
    with pytest.raises(ValidationError, match=message):
        environment.from_changelog_stream(rates)


@pytest.mark.spark
def test_what_is_no_frame_and_no_list_is_refused(spark: Spark) -> None:
    environment = TableEnvironment.create(spark)
    with pytest.raises(UsageError, match="a DataFrame is expected, got list"):
        environment.from_changelog_stream([])  # type: ignore[arg-type]
    rates = spark.session.readStream.format("rate").load()
    with pytest.raises(ValidationError, match=r"takes a list of names: \['value'\]"):
        environment.from_changelog_stream(rates, primary_key="value")  # type: ignore[arg-type]


@pytest.mark.private
@pytest.mark.spark
@pytest.mark.slow
def test_changes_go_to_a_dataframe_and_come_back(spark: Spark, tmp_path: Path) -> None:
    source = tmp_path / "t.json"
    source.write_text("".join(json.dumps(m) + "\n" for m in MESSAGES))
    environment = TableEnvironment.create(spark)
    environment.execute_sql(
        "CREATE TABLE t (id BIGINT, name STRING, cnt INT) WITH ('connector' = 'filesystem', "
        f"'path' = '{source}', 'format' = 'canal-json')"
    )
    changes = environment.to_changelog_stream(environment.from_path("t"))
    assert changes.columns == ["_change_type", "id", "name", "cnt"]
    changes.createOrReplaceTempView("changes_of_t")
    assert spark.session.table("changes_of_t").isStreaming
    assert environment.to_changelog_stream(environment.from_path("t")).columns == changes.columns
    feed = tmp_path / "feed"
    writer = changes.writeStream.format("parquet").option("checkpointLocation", str(tmp_path / "checkpoint"))
    writer.trigger(availableNow=True).start(str(feed)).awaitTermination(60)
    rows = spark.session.read.parquet(str(feed)).collect()
    kinds = sorted(row["_change_type"] for row in rows)
    assert kinds == ["delete", "insert", "insert", "update_postimage", "update_preimage"]

    schema = "_change_type STRING, id BIGINT, name STRING, cnt INT"
    back = spark.session.readStream.schema(schema).parquet(str(feed))
    table = environment.from_changelog_stream(back, primary_key=["id"])
    environment.create_temporary_view("feed", table)
    result: Any = environment.execute_sql("SELECT name, SUM(cnt), COUNT(*) FROM feed GROUP BY name")
    seen = []
    for change in result.texts():
        seen.append(change)
        left, invalid = folded(seen)
        assert invalid is None
        if left == {("Tom", "6", "1"): 1}:
            break
    result.cancel()
    assert left == {("Tom", "6", "1"): 1}


NAMED = {"+I": "insert", "-U": "update_preimage", "+U": "update_postimage", "-D": "delete"}


@pytest.mark.spark
@pytest.mark.full
def test_a_dataframe_that_does_not_stream_is_one_bounded_batch(spark: Spark) -> None:
    environment = TableEnvironment.create(spark)
    rows = [
        ("insert", 0, 1, "Tom", 5), ("insert", 0, 2, "Ann", 7), ("update_postimage", 1, 1, "Tom", 6),
        ("update_preimage", 1, 1, "Tom", 5), ("delete", 2, 2, "Ann", 7),
    ]  # fmt: skip
    schema = "_change_type string, _commit_version long, id long, name string, cnt int"
    feed = spark.session.createDataFrame(rows, schema).repartition(3)
    feeds = [environment.from_changelog_stream(feed, primary_key=["id"]) for _ in range(2)]
    environment.create_temporary_view("t", feeds[1])
    query = environment.sql_query("SELECT name, SUM(cnt) AS n FROM t GROUP BY name")
    changes = [(row.kind.short, *row) for row in query.execute().collect()]
    assert sorted(changes[:2]) == [("+I", "Ann", 7), ("+I", "Tom", 5)]
    assert changes[2:] == [("-D", "Tom", 5), ("+I", "Tom", 6), ("-D", "Ann", 7)]
    assert query.to_pandas().values.tolist() == [["Tom", 6]]
    writer = environment.to_changelog_stream(query).writeStream.format("memory").queryName("of_batch")
    writer.trigger(availableNow=True).start().awaitTermination()
    found = [tuple(row) for row in spark.session.table("of_batch").collect()]
    assert sorted(found) == sorted((NAMED[kind], *values) for kind, *values in changes)


@pytest.mark.spark
def test_rows_of_a_dataframe_that_does_not_stream_are_inserts(spark: Spark) -> None:
    environment = TableEnvironment.create(spark)
    table = environment.from_changelog_stream(spark.session.range(250_000, numPartitions=3))
    environment.create_temporary_view("r", table)
    (row,) = environment.sql_query("SELECT COUNT(*), SUM(id), MAX(id) FROM r").to_pandas().values.tolist()
    assert row == [250_000, 250_000 * 249_999 // 2, 249_999]
    assert environment.from_changelog_stream(spark.session.range(0)).execute().to_pandas().empty
    with pytest.raises(DataError, match="_change_type is 'x'"):
        environment.from_changelog_stream(spark.session.sql("SELECT 'x' AS _change_type, 1 AS a"))
