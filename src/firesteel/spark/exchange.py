"""The batch host's exchange: packets go to the partition of their target and stand there by their order."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any

from firesteel.spark.tasks import Keyed, target_of

if TYPE_CHECKING:
    from pyspark import RDD


def exchange(packets: RDD[Keyed], targets: int) -> RDD[Keyed]:
    """As many partitions as targets; each holds the packets of its target by ascending order."""
    exchanged = packets.repartitionAndSortWithinPartitions(targets, target_of)
    _spare_kryo(exchanged)
    return exchanged


def _spare_kryo(exchanged: Any) -> None:
    """Have the shuffle write as Java does. For pairs of a number and bytes Spark would take Kryo, which
    brings nothing for large arrays of bytes and takes 80 ms to set up. A Spark whose RDDs are put together
    in another way keeps what it chose."""
    from py4j.protocol import Py4JError

    context = exchanged.ctx
    with suppress(AttributeError, Py4JError):
        values = exchanged.prev._jrdd.rdd()
        shuffled = values.dependencies().head().rdd()
        serializers = context._jvm.org.apache.spark.serializer
        shuffled.setSerializer(serializers.JavaSerializer(context._conf._jconf))
