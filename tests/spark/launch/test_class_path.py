"""The class path of Spark's JVM."""

from __future__ import annotations

from pathlib import Path

from firesteel.spark.launch.class_path import _FIRST, class_path
from firesteel.spark.launch.java import spark_home


def test_jars_with_many_classes_come_first(tmp_path: Path) -> None:
    names = ("aircompressor-2.0.jar", "spark-core_2.13-4.3.0.jar", "spark-sql_2.13-4.3.0.jar")
    for name in (*names, "spark-sql-api_2.13-4.3.0.jar", "scala-library-2.13.18.jar"):
        (tmp_path / name).touch()
    path = [Path(entry).name for entry in class_path(tmp_path).split(":")]
    assert path == [
        "spark-core_2.13-4.3.0.jar",
        "scala-library-2.13.18.jar",
        "spark-sql_2.13-4.3.0.jar",
        "spark-sql-api_2.13-4.3.0.jar",
        "*",
    ]


def test_pyspark_has_the_jars() -> None:
    path = class_path(spark_home() / "jars").split(":")
    assert len(path) > len(_FIRST) * 0.9
