"""Key groups lie in the partitions they belong to."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from firesteel.runtime.packets import Packet
from firesteel.spark.stream_rows import ARROW, from_values, key_group_labels, murmur3, to_batch

if TYPE_CHECKING:
    from firesteel.spark.launch import Spark


@pytest.mark.parametrize(("groups", "partitions"), [(1, 1), (2, 2), (5, 2), (64, 7), (3, 8)])
def test_labels_are_distinct_and_spread_evenly(groups: int, partitions: int) -> None:
    labels = key_group_labels(groups, partitions)
    assert len(set(labels)) == groups
    assert [murmur3(label) % partitions for label in labels] == [g % partitions for g in range(groups)]


def test_a_packet_is_a_row() -> None:
    packet = Packet(1, 7, 3, 9, b"payload", 0)
    batch = to_batch(packet, (5, 8))
    assert batch.schema == ARROW
    assert from_values(tuple(batch.to_pylist()[0].values())) == Packet(8, 7, 3, 9, b"payload", 0)


@pytest.mark.spark
def test_the_hash_is_sparks(spark: Spark) -> None:
    numbers = [0, 1, 2, 42, 1000, 2**31 - 1]
    rows = spark.session.createDataFrame([(n,) for n in numbers], "n int").selectExpr("hash(n)").collect()
    assert [row[0] for row in rows] == [murmur3(n) for n in numbers]
