"""Delta's change feed as a source of changes, where the installed delta-spark fits the installed pyspark.

`make test-delta` makes an environment of versions that fit (docs/guide/dataframes.md).
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from packaging.requirements import Requirement

pytest.importorskip("delta", reason="needs delta-spark (pip install delta-spark)")

PROGRAM = """
import sys
from pyspark.sql import SparkSession
from firesteel import TableEnvironment

folder, package = sys.argv[1:]
delta = "org.apache.spark.sql.delta.catalog.DeltaCatalog"
builder = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
builder = builder.config("spark.jars.packages", package).config("spark.sql.catalog.spark_catalog", delta)
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


def package() -> str:
    """The jar of the installed delta-spark for the installed Spark, by its coordinates in Maven."""
    from importlib.metadata import version

    spark = ".".join(version("pyspark").split(".")[:2])
    return f"io.delta:delta-spark_{spark}_2.13:{version('delta-spark')}"


def fits() -> bool:
    """Whether the installed delta-spark says that it works with the installed pyspark."""
    from importlib.metadata import requires, version

    wanted = [Requirement(text) for text in requires("delta-spark") or ()]
    return all(one.specifier.contains(version("pyspark")) for one in wanted if one.name == "pyspark")


@pytest.mark.spark
@pytest.mark.slow
@pytest.mark.skipif(not fits(), reason="the installed delta-spark is for another pyspark")
@pytest.mark.timeout(900)
def test_deltas_change_feed_comes_in_and_changes_go_out(tmp_path: Path) -> None:
    command = [sys.executable, "-c", PROGRAM, str(tmp_path / "table"), package()]
    done = subprocess.run(command, capture_output=True, text=True, timeout=800, check=False, cwd=tmp_path)
    if lost := re.search(r"(unresolved dependency|download failed): [^\]]+", done.stderr):
        pytest.fail(f"Delta's jars cannot be fetched from Maven: {lost[0]}", pytrace=False)
    left: dict[str, str] = {}
    for line in done.stdout.splitlines():
        kind, name, total = line.split()
        if kind in ("insert", "update_postimage"):
            left[name] = total
        elif left.get(name) == total:
            del left[name]
    assert left == {"Tom": "7"}, done.stderr[-3000:]
