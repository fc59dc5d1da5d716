"""The batch host's exchange: packets go to the partition of their target and stand there by position."""

from __future__ import annotations

from typing import TYPE_CHECKING

from firesteel.spark.internals.first_job import write_as_java
from firesteel.spark.tasks import Keyed, target_of

if TYPE_CHECKING:
    from pyspark import RDD


def exchange(packets: RDD[Keyed], targets: int) -> RDD[Keyed]:
    """As many partitions as targets; each holds the packets of its target by ascending position."""
    exchanged = packets.repartitionAndSortWithinPartitions(targets, target_of)
    write_as_java(exchanged)
    return exchanged
