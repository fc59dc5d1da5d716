"""DataFrames and their schemas, past what pyspark offers for them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.types import StructType


def in_session(frame: DataFrame, session: SparkSession) -> DataFrame:
    """The same DataFrame in another session of its Spark, whose settings then apply: a job's own state store
    and shuffle partitions must not be set in the user's session.

    Private: the analysed plan of a DataFrame, and making one of a plan (`Dataset.ofRows`).
    """
    from pyspark.sql.classic.dataframe import DataFrame as ClassicDataFrame

    given: Any = frame
    other: Any = session
    dataset = other._jvm.org.apache.spark.sql.classic.Dataset
    plan = given._jdf.queryExecution().analyzed()
    return ClassicDataFrame(dataset.ofRows(other._jsparkSession, plan), session)


def let_go(frame: DataFrame) -> None:
    """Free what the JVM keeps for a DataFrame, which cannot be used any more.

    py4j's objects are cycles, so Python frees them only when its collector runs, which in a driver that
    mostly waits is after hundreds of micro-batches; each one's DataFrame has a third of a MiB in the JVM: its
    plan, its metrics, a configuration of Hadoop's. Private: the Java object of a DataFrame, and its gateway.
    """
    given: Any = frame
    given.sparkSession.sparkContext._gateway.detach(given._jdf)


def spark_schema(schema: pa.Schema) -> StructType:
    """Spark's types for Arrow's. Private: the module of the function that does it."""
    from pyspark.sql.pandas.types import from_arrow_schema

    found: StructType = from_arrow_schema(schema)
    return found
