"""Delta's change feed as a source of changes. Runs where delta-spark and its jars are there."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

delta = pytest.importorskip("delta", reason="needs delta-spark (pip install delta-spark)")

ARTIFACTS = ("delta-spark_4*", "delta-storage", "delta-kernel-*")
PROGRAM = """
import sys
from pyspark.sql import SparkSession
from firesteel import TableEnvironment

folder, jars = sys.argv[1:]
delta = "org.apache.spark.sql.delta.catalog.DeltaCatalog"
builder = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
builder = builder.config("spark.jars", jars).config("spark.sql.catalog.spark_catalog", delta)
builder = builder.config("spark.sql.extensions", "io.delta.sql.DeltaSparkSessionExtension")
spark = builder.config("spark.sql.shuffle.partitions", "2").getOrCreate()
spark.sql(f"CREATE TABLE delta.`{folder}` (id BIGINT, name STRING, cnt INT) USING delta "
          "TBLPROPERTIES (delta.enableChangeDataFeed = true)")
spark.sql(f"INSERT INTO delta.`{folder}` VALUES (1, 'Tom', 5), (2, 'Ann', 7), (3, 'Tom', 1)")
spark.sql(f"UPDATE delta.`{folder}` SET cnt = 6 WHERE id = 1")
spark.sql(f"DELETE FROM delta.`{folder}` WHERE id = 2")

feed = spark.readStream.format("delta").option("readChangeFeed", "true").option("startingVersion", 0)
environment = TableEnvironment.create(spark)
table = environment.from_changelog_stream(feed.load(folder), primary_key=["id"])
environment.create_temporary_view("t", table)
totals = environment.sql_query("SELECT name, SUM(cnt) AS total FROM t GROUP BY name")
writer = environment.to_changelog_stream(totals).writeStream.format("memory").queryName("totals")
writer.trigger(availableNow=True).start().awaitTermination()
for row in spark.table("totals").collect():
    print(*row)
"""


def jars() -> list[str]:
    """The jars of the installed delta-spark in the local Maven or Ivy repository."""
    from importlib.metadata import version

    wanted = version("delta-spark")
    places = (
        f".m2/repository/io/delta/{{}}/{wanted}/*-{wanted}.jar",
        f".ivy2*/jars/io.delta_{{}}-{wanted}.jar",
    )
    return [
        str(found)
        for artifact in ARTIFACTS
        for place in places
        for found in Path.home().glob(place.format(artifact))
    ]


@pytest.mark.spark
@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.skipif(
    not jars(), reason="needs Delta's jars: mvn dependency:get -Dartifact=io.delta:delta-spark_..."
)
def test_deltas_change_feed_comes_in_and_changes_go_out(tmp_path: Path) -> None:
    command = [sys.executable, "-c", PROGRAM, str(tmp_path / "table"), ",".join(jars())]
    done = subprocess.run(command, capture_output=True, text=True, timeout=800, check=False, cwd=tmp_path)
    left: dict[str, str] = {}
    for line in done.stdout.splitlines():
        kind, name, total = line.split()
        if kind in ("insert", "update_postimage"):
            left[name] = total
        elif left.get(name) == total:
            del left[name]
    assert left == {"Tom": "7"}, done.stderr[-3000:]
