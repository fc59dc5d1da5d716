"""A DataFrame goes into another session. Without it a job would set its own in the user's."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest
from py4j.protocol import Py4JError
from pyspark.sql.pandas import functions
from pyspark.sql.streaming.stateful_processor import StatefulProcessor, StatefulProcessorHandle
from pyspark.sql.types import Row

from firesteel.spark.internals.frames import in_session, let_go, spark_schema, with_state

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from firesteel.spark.launch.launch import Spark

pytestmark = pytest.mark.spark


def test_a_frame_has_the_settings_of_the_session_it_was_put_into(spark: Spark) -> None:
    frame = spark.session.createDataFrame([(1, "a")], "n int, s string")
    other = spark.session.newSession()
    other.conf.set("spark.sql.shuffle.partitions", "3")
    other.conf.set("spark.sql.adaptive.enabled", "false")
    moved = in_session(frame, other)
    assert moved.sparkSession is other
    assert moved.groupBy("n").count().rdd.getNumPartitions() == 3
    assert [tuple(row) for row in moved.collect()] == [(1, "a")]


def test_a_stream_goes_into_another_session(spark: Spark) -> None:
    frame = spark.session.readStream.format("rate").load()
    assert in_session(frame, spark.session.newSession()).isStreaming


def test_arrows_types_as_sparks() -> None:
    schema = pa.schema(
        [("a", pa.int32()), ("b", pa.timestamp("us")), ("c", pa.map_(pa.string(), pa.int64()))]
    )
    assert spark_schema(schema).simpleString() == "struct<a:int,b:timestamp_ntz,c:map<string,bigint>>"


def test_the_jvm_no_longer_has_a_frame_that_was_let_go(spark: Spark) -> None:
    frame = spark.session.range(3)
    let_go(frame)
    with pytest.raises(Py4JError, match="does not exist for this gateway"):
        _count_on(frame)


def _count_on(frame: DataFrame) -> None:
    """A thread of py4j's lets go, a moment later."""
    while frame.count() == 3:
        continue


class _Same(StatefulProcessor):
    """A processor that returns its rows."""

    def init(self, handle: StatefulProcessorHandle) -> None:
        """It has no state."""

    def handleInputRows(self, key: Any, rows: Any, timers: object) -> Iterator[Row]:
        yield from rows

    def close(self) -> None:
        """There is nothing to close."""


def test_a_keyed_stream_does_not_ask_for_pandas(spark: Spark, monkeypatch: pytest.MonkeyPatch) -> None:
    def check() -> None:
        raise ImportError("pandas")

    monkeypatch.setattr(functions, "require_minimum_pandas_version", check)
    numbers = spark.session.readStream.format("rate").load()
    schema = numbers.schema
    with pytest.raises(ImportError, match="pandas"):
        numbers.groupBy("value").transformWithState(_Same(), schema, "Append", "None")
    assert with_state(numbers, "value", _Same(), schema).schema == schema
    assert functions.require_minimum_pandas_version is check
