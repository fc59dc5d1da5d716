"""The batch host's exchange: where packets go, in which order, and how they are written."""

from __future__ import annotations

import pytest

from firesteel.runtime.packets import Packet
from firesteel.spark.exchange import exchange
from firesteel.spark.launch import Spark

pytestmark = pytest.mark.spark


def test_packets_stand_by_order_in_the_partition_of_their_target(spark: Spark) -> None:
    packets = [Packet(n % 3, (n * 7) % 10, 1, 0, b"x") for n in range(10)]
    pairs = spark.context.parallelize([((p.target, p.order), p) for p in packets], 2)
    found = exchange(pairs, 3).glom().collect()
    for target, partition in enumerate(found):
        orders = sorted(p.order for p in packets if p.target == target)
        assert [key for key, _ in partition] == [(target, order) for order in orders]


def test_the_shuffle_is_written_without_kryo(spark: Spark) -> None:
    pairs = spark.context.parallelize([((0, 0), Packet(0, 0, 1, 0, b"x"))], 1)
    shuffled = exchange(pairs, 2).prev._jrdd.rdd().dependencies().head().rdd()
    serializer = shuffled.dependencies().head().serializer()
    assert serializer.getClass().getSimpleName() == "JavaSerializer"
