"""Settings that shorten a context's first RDD job.

They change no result. If Spark lacks the internals that they use, they are skipped.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from firesteel.spark.launch.spark_submit_launcher import tell

if TYPE_CHECKING:
    from pyspark import RDD, SparkContext

_NO_SCOPES = "spark.rdd.scope.noOverride"


def leave_out_scopes(context: SparkContext) -> None:
    """Stop Spark from recording the call that created each RDD, for jobs of this thread.

    Spark would write it as JSON for its UI, which takes 50 ms of a first job. The name of the local property
    is private to Spark.
    """
    context.setLocalProperty(_NO_SCOPES, "true")


def write_as_java(exchanged: RDD[Any]) -> None:
    """Make the shuffle whose result is `exchanged` use Java serialization.

    Spark would use Kryo, because keys are numbers and values are bytes. Kryo takes 80 ms to set up, and is no
    better for large byte arrays.

    This depends on private API: `prev` and `_jrdd` of pyspark's shuffled RDD, and ShuffledRDD.setSerializer.
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
