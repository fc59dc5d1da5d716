"""Changes to a DataFrame and back, as users of Delta's change feed have them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest

from firesteel import TableEnvironment
from firesteel.errors import DataError, NotSupportedError, UsageError, ValidationError
from firesteel.runtime.spec import ORDER_ROW_BITS, ChainSpec, ScanSpec
from firesteel.spark.frame_source import FrameTask
from firesteel.spark.tasks import Destination
from firesteel.types.sql import BIGINT, STRING
from tests.cases.changes import folded

if TYPE_CHECKING:
    from firesteel.spark.launch import Spark

MESSAGES = [
    {"data": [{"id": 1, "name": "Tom", "cnt": 5}, {"id": 2, "name": "Ann", "cnt": 7}], "type": "INSERT"},
    {"data": [{"id": 1, "name": "Tom", "cnt": 6}], "old": [{"cnt": 5}], "type": "UPDATE"},
    {"data": [{"id": 2, "name": "Ann", "cnt": 7}], "type": "DELETE"},
]


def task(projection: tuple[int, ...] = (0, 1)) -> FrameTask:
    scan = ScanSpec(
        "dataframe", (), ("id", "name"), (BIGINT, STRING), projection, (None, None), "UTC", "a.b.c"
    )
    return FrameTask(ChainSpec(0, scan, (), None), Destination(), (0,), 0)


def frame(**columns: list[Any]) -> pa.Table:
    return pa.table(columns)


def test_rows_without_change_type_are_inserts() -> None:
    changes = task().changes(frame(id=[1, 2], name=["a", "b"]), 3)
    assert changes.column("$kind").to_pylist() == [0, 0]
    assert changes.column("$order").to_pylist() == [3 << ORDER_ROW_BITS, (3 << ORDER_ROW_BITS) + 1]
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
    order = changes.column("$order").to_pylist()
    assert order == sorted(set(order))


def test_an_unknown_change_type_is_named() -> None:
    with pytest.raises(DataError, match="_change_type is 'upsert'"):
        task().changes(frame(_change_type=["upsert"], id=[1], name=["a"]), 0)


@pytest.mark.spark
def test_a_table_of_a_static_frame_or_with_a_wrong_key_is_refused(spark: Spark) -> None:
    environment = TableEnvironment.create(spark)
    with pytest.raises(NotSupportedError, match="does not stream"):
        environment.from_changelog_stream(spark.session.range(3))
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
