"""What makes a first job of RDDs begin sooner. It changes no result; where Spark has it otherwise, the job
runs as Spark runs it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from firesteel.spark.launch.spark_submit_launcher import tell

if TYPE_CHECKING:
    from pyspark import RDD, SparkContext

_NO_SCOPES = "spark.rdd.scope.noOverride"


def leave_out_scopes(context: SparkContext) -> None:
    """For this thread: Spark does not write down the call that made each RDD, as JSON for its UI, which takes
    50 ms of a first job. Private: the name of the local property."""
    context.setLocalProperty(_NO_SCOPES, "true")


def write_as_java(exchanged: RDD[Any]) -> None:
    """Have the shuffle before `exchanged` write as Java does. For pairs of a number and bytes Spark would
    take Kryo, which brings nothing for large arrays of bytes and takes 80 ms to set up.

    Private: how pyspark puts a shuffle of pairs together (`prev`, `_jrdd`), and ShuffledRDD.setSerializer.
    """
    from py4j.protocol import Py4JError

    context: Any = exchanged.ctx
    made: Any = exchanged
    try:
        values = made.prev._jrdd.rdd()
        shuffled = values.dependencies().head().rdd()
        serializers = context._jvm.org.apache.spark.serializer
        shuffled.setSerializer(serializers.JavaSerializer(context._conf._jconf))
    except (AttributeError, TypeError, Py4JError) as error:
        tell("the shuffle is written", error)
