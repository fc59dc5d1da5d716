"""What makes a first job begin sooner is there; where it is not, the job runs, and that is told once."""

from __future__ import annotations

from typing import Any

import pytest

from firesteel.spark.internals.first_job import leave_out_scopes, write_as_java
from firesteel.spark.launch import spark_submit_launcher as plain
from firesteel.spark.launch.launch import Spark

pytestmark = pytest.mark.spark


def shuffled(spark: Spark) -> Any:
    pairs = spark.context.parallelize([((n, 0), b"x") for n in range(4)], 2)
    return pairs.repartitionAndSortWithinPartitions(2, lambda key: key[0])


def test_the_shuffle_is_written_without_kryo(spark: Spark) -> None:
    exchanged = shuffled(spark)
    write_as_java(exchanged)
    dependency = exchanged.prev._jrdd.rdd().dependencies().head().rdd().dependencies().head()
    assert dependency.serializer().getClass().getSimpleName() == "JavaSerializer"


def test_where_rdds_are_put_together_otherwise_the_job_runs_and_that_is_reported_once(
    spark: Spark, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(plain, "_told", set())
    for _ in range(2):
        exchanged = shuffled(spark)
        monkeypatch.setattr(exchanged, "prev", None)
        write_as_java(exchanged)
        monkeypatch.undo()
        assert len(exchanged.collect()) == 4
        monkeypatch.setattr(plain, "_told", {"the shuffle is written"})
    said = capsys.readouterr().err
    assert said.count("the shuffle is written in a slower way, with the same results (pyspark ") == 1


def test_rdds_have_no_scope(spark: Spark) -> None:
    leave_out_scopes(spark.context)
    try:
        assert spark.context.parallelize([1])._jrdd.rdd().scope().isEmpty()
    finally:
        spark.context.setLocalProperty("spark.rdd.scope.noOverride", None)
    assert not spark.context.parallelize([1])._jrdd.rdd().scope().isEmpty()
