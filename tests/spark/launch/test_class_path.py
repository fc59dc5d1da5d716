"""The class path of Spark's JVM."""

from __future__ import annotations

from pathlib import Path

from firesteel.spark.launch.class_path import _FIRST, _FOR_PROGRAMS, class_path
from firesteel.spark.launch.java import spark_home

NAMES = (
    "aircompressor-2.0.jar",
    "scala-library-2.13.18.jar",
    "spark-core_2.13-4.3.0.jar",
    "spark-mllib-local_2.13-4.3.0.jar",
    "spark-mllib_2.13-4.3.0.jar",
    "spark-sql-api_2.13-4.3.0.jar",
    "spark-sql_2.13-4.3.0.jar",
)


def names(folder: Path, own_process: bool) -> list[str]:
    for name in NAMES:
        (folder / name).touch()
    (folder / "connect-repl").mkdir()
    return [jar.name.rpartition("-")[0] for jar in class_path(folder, own_process=own_process)]


def test_jars_with_many_classes_come_first(tmp_path: Path) -> None:
    first = ["spark-core_2.13", "scala-library", "spark-sql_2.13", "spark-sql-api_2.13"]
    assert names(tmp_path, False) == [*first, "aircompressor", "spark-mllib-local_2.13", "spark-mllib_2.13"]


def test_a_process_of_firesteel_alone_needs_no_machine_learning(tmp_path: Path) -> None:
    assert names(tmp_path, True)[4:] == ["aircompressor", "spark-mllib-local_2.13"]


def test_pyspark_has_the_jars() -> None:
    jars = spark_home() / "jars"
    found = class_path(jars)
    assert sorted(found) == sorted(jars.glob("*.jar"))
    assert (
        len({name for name in _FIRST if any(jar.name.startswith(name) for jar in found)}) > len(_FIRST) * 0.9
    )
    assert len(class_path(jars, own_process=True)) == len(found) - len(_FOR_PROGRAMS)
