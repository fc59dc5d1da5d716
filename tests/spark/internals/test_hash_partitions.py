"""Key groups lie in the partitions they belong to. Without it tasks stand idle."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from firesteel.spark.internals.hash_partitions import key_group_labels, murmur3

if TYPE_CHECKING:
    from firesteel.spark.launch.launch import Spark


@pytest.mark.parametrize(("groups", "partitions"), [(1, 1), (2, 2), (5, 2), (64, 7), (3, 8)])
def test_labels_are_distinct_and_spread_evenly(groups: int, partitions: int) -> None:
    labels = key_group_labels(groups, partitions)
    assert len(set(labels)) == groups
    assert [murmur3(label) % partitions for label in labels] == [g % partitions for g in range(groups)]


@pytest.mark.spark
def test_the_hash_is_sparks(spark: Spark) -> None:
    numbers = [0, 1, 2, 42, 1000, 2**31 - 1]
    rows = spark.session.createDataFrame([(n,) for n in numbers], "n int").selectExpr("hash(n)").collect()
    assert [row[0] for row in rows] == [murmur3(n) for n in numbers]


@pytest.mark.spark
def test_a_shuffle_goes_by_the_remainder_of_the_hash(spark: Spark) -> None:
    frame = spark.session.createDataFrame([(n,) for n in range(40)], "n int")
    rows = frame.repartition(3, "n").selectExpr("n", "spark_partition_id()").collect()
    assert {(n, place) for n, place in rows} == {(n, murmur3(n) % 3) for n in range(40)}
