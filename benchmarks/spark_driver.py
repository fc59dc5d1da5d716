"""Run a Nexmark query with Structured Streaming. usage: spark_driver.py SELECT.sql FOLDER PARALLELISM

The events come from FOLDER/events.json. If Spark refuses the query, the exit status is 1 and the last line is
the reason.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from pyspark.sql import SparkSession

_SCHEMA = """
event_type INT,
person STRUCT<id: BIGINT, name: STRING, emailAddress: STRING, creditCard: STRING, city: STRING, state: STRING,
  dateTime: TIMESTAMP_NTZ, extra: STRING>,
auction STRUCT<id: BIGINT, itemName: STRING, description: STRING, initialBid: BIGINT, reserve: BIGINT,
  dateTime: TIMESTAMP_NTZ, expires: TIMESTAMP_NTZ, seller: BIGINT, category: BIGINT, extra: STRING>,
bid STRUCT<auction: BIGINT, bidder: BIGINT, price: BIGINT, channel: STRING, url: STRING,
  dateTime: TIMESTAMP_NTZ, extra: STRING>
"""
_KINDS = ("person", "auction", "bid")
_OUTPUT_MODES = ("append", "update")


def main(select: str, folder: str, parallelism: str) -> int:
    builder = SparkSession.builder.master(f"local[{parallelism}]").config("spark.ui.enabled", "false")
    spark = builder.config("spark.sql.shuffle.partitions", parallelism).getOrCreate()
    spark.sparkContext.setLogLevel("OFF")
    options = {"pathGlobFilter": "events.json", "timestampNTZFormat": "yyyy-MM-dd HH:mm:ss[.SSS]"}
    events = spark.readStream.schema(_SCHEMA).options(**options).json(folder)
    for number, kind in enumerate(_KINDS):
        rows = events.where(f"event_type = {number}").select(f"{kind}.*")
        rows.createOrReplaceTempView(kind)
    query = Path(select).read_text(encoding="utf-8")
    refused = ""
    for mode in _OUTPUT_MODES:
        try:
            with tempfile.TemporaryDirectory() as checkpoint:
                writer = spark.sql(query).writeStream.format("noop").outputMode(mode)
                writer.option("checkpointLocation", checkpoint).trigger(
                    availableNow=True
                ).start().awaitTermination()
            return 0
        except Exception as error:
            refused = str(error).strip().splitlines()[0]
    sys.stderr.write(f"{refused}\n")
    return 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
