"""Operations on DataFrames and schemas that pyspark's public API does not offer."""

from __future__ import annotations

import importlib
import threading
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.streaming.stateful_processor import StatefulProcessor
    from pyspark.sql.types import StructType


def in_session(frame: DataFrame, session: SparkSession) -> DataFrame:
    """Return a DataFrame with the same plan in another session of the same Spark.

    The settings of that session then apply: a job's state store and shuffle partitions must not be set in the
    user's session.

    This uses private API: a DataFrame's analysed plan, and `Dataset.ofRows`, which makes a DataFrame from it.
    """
    from pyspark.sql.classic.dataframe import DataFrame as ClassicDataFrame

    given: Any = frame
    other: Any = session
    dataset = other._jvm.org.apache.spark.sql.classic.Dataset
    plan = given._jdf.queryExecution().analyzed()
    return ClassicDataFrame(dataset.ofRows(other._jsparkSession, plan), session)


_checking = threading.Lock()


def with_state(packets: DataFrame, key: str, processor: StatefulProcessor, schema: StructType) -> DataFrame:
    """Return a DataFrame of the rows that a processor sends for packets grouped by the column `key`.

    The driver does not use pandas, but pyspark imports pandas to check its version, which takes a third of a
    second. So pyspark's private `require_minimum_pandas_version` does nothing during this call: it is
    replaced before, and put back afterwards.
    """
    functions = importlib.import_module("pyspark.sql.pandas.functions")
    name = "require_minimum_pandas_version"
    with _checking:
        check = functions.__dict__.get(name)
        setattr(functions, name, lambda: None)
        try:
            return packets.groupBy(key).transformWithState(processor, schema, "Append", "None")
        finally:
            setattr(functions, name, check)


def let_go(frame: DataFrame) -> None:
    """Free the JVM's objects for a DataFrame, which cannot be used any more.

    py4j's objects are reference cycles. Python frees them only when its garbage collector runs, which a
    mostly waiting driver does once in hundreds of micro-batches. Each DataFrame takes a third of a MiB in the
    JVM: its plan, its metrics, and a Hadoop configuration. This uses private attributes: the Java object of a
    DataFrame, and its gateway.
    """
    given: Any = frame
    given.sparkSession.sparkContext._gateway.detach(given._jdf)


def spark_schema(schema: pa.Schema) -> StructType:
    """Return the Spark schema for an Arrow schema, by a function in a private module of pyspark."""
    from pyspark.sql.pandas.types import from_arrow_schema

    found: StructType = from_arrow_schema(schema)
    return found
