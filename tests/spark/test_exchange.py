"""The batch host's exchange: where packets go, in which order, and how they are written."""

from __future__ import annotations

import pytest

from firesteel.runtime.dataflow.packets import Packet, Position
from firesteel.spark.batch.host import exchange
from firesteel.spark.launch.launch import Spark

pytestmark = pytest.mark.spark


@pytest.mark.private
def test_packets_stand_by_position_in_the_partition_of_their_target(spark: Spark) -> None:
    packets = [Packet(n % 3, Position(n % 2, n % 5, n), 1, 0, b"x") for n in range(10)]
    pairs = spark.context.parallelize([((p.target, p.first), p) for p in packets], 2)
    found = exchange(pairs, 3).glom().collect()
    for target, partition in enumerate(found):
        positions = sorted(p.first for p in packets if p.target == target)
        assert [key for key, _ in partition] == [(target, position) for position in positions]
