"""What the user has set around Spark is named where it is wrong, before Spark is started."""

from __future__ import annotations

import os
import shlex
import socket
import sys
import time
from pathlib import Path

import pytest

from firesteel.errors import JobError, UsageError
from firesteel.spark.launch.launch import Spark
from firesteel.spark.launch.preflight import check_master, check_variables, did_not_start
from firesteel.spark.launch.settings import LaunchOptions
from tests.spark.test_modules_beside import trap


def executable(folder: Path, answer: str) -> str:
    file = folder / "python"
    file.write_text(f"#!/bin/sh\n{answer}\n", encoding="utf-8")
    file.chmod(0o755)
    return str(file)


@pytest.mark.parametrize(
    ("answer", "problem"),
    [
        ("exit 1", "which is no Python"),
        ("echo 2 7 True", "a Python 2.7; this is "),
        (f"echo {sys.version_info[0]} {sys.version_info[1]} False", "which has no Firesteel installed"),
    ],
)
def test_a_python_that_workers_cannot_be_is_named(tmp_path: Path, answer: str, problem: str) -> None:
    python = executable(tmp_path, answer)
    with pytest.raises(UsageError, match=f"PYSPARK_PYTHON is {python}, {problem}") as told:
        check_variables({"PYSPARK_PYTHON": python}, is_local=True)
    assert "unset PYSPARK_PYTHON to use" in str(told.value.hint)
    check_variables({"PYSPARK_PYTHON": python}, is_local=False)


def test_the_python_that_is_asked_runs_no_module_of_the_current_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    python = executable(tmp_path, f'exec {shlex.quote(sys.executable)} "$@"')
    trap(tmp_path, tmp_path / "marks")
    monkeypatch.chdir(tmp_path)
    for spelt in (python, "./python"):
        check_variables({"PYSPARK_PYTHON": spelt}, is_local=True)
    assert not list(Path("marks").iterdir())


def test_a_python_that_is_not_there_is_named_by_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYSPARK_PYTHON", "/no/such/python")
    with pytest.raises(UsageError, match="PYSPARK_PYTHON is /no/such/python, which is not there"):
        Spark(LaunchOptions())


def test_a_python_of_the_same_kind_will_do(tmp_path: Path) -> None:
    check_variables({"PYSPARK_PYTHON": executable(tmp_path, f'exec "{sys.executable}" "$@"')}, is_local=True)
    check_variables({"PYSPARK_PYTHON": sys.executable}, is_local=True)
    check_variables({}, is_local=True)


def test_a_spark_home_without_a_spark_or_with_another_is_named(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"SPARK_HOME is .*, but there is no Spark: no bin/spark-submit"):
        check_variables({"SPARK_HOME": str(tmp_path)}, is_local=True)
    for folder in ("bin", "jars"):
        (tmp_path / folder).mkdir()
    (tmp_path / "bin" / "spark-submit").touch()
    (tmp_path / "jars" / "spark-core_2.13-3.5.1.jar").touch()
    with pytest.raises(UsageError, match=r"SPARK_HOME is .*, a Spark 3.5; pyspark is \d") as told:
        check_variables({"SPARK_HOME": str(tmp_path)}, is_local=True)
    assert "unset SPARK_HOME" in str(told.value.hint)


def test_a_master_that_does_not_answer_is_named_soon() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        master = f"spark://127.0.0.1:{free.getsockname()[1]}"
        began = time.monotonic()
        spark = Spark(LaunchOptions(master))
        with pytest.raises(JobError, match=f"Spark's master {master} cannot be reached: Connection refused"):
            _ = spark.context
    assert time.monotonic() - began < 100


def test_a_master_that_answers_passes_be_it_the_second() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        check_master(f"spark://127.0.0.1:1,127.0.0.1:{server.getsockname()[1]}")
    check_master("local[2]")
    check_master("yarn")
    check_master(None)
    with pytest.raises(UsageError, match="no address of a Spark master"):
        check_master("spark://here")


def test_a_user_without_a_name_gets_a_hint() -> None:
    said = (
        "An error occurred while calling None.org.apache.spark.api.java.JavaSparkContext.\n"
        ": java.io.IOException: Invalid UID, could not determine effective user\n"
        "\tat org.apache.X\nCaused by: javax.security.auth.login.LoginException: "
        "java.lang.NullPointerException: invalid null input: name\n"
    )
    error = did_not_start(RuntimeError(said))
    assert isinstance(error, UsageError)
    assert error.message.startswith(f"Spark did not start: user id {os.getuid()} has no name")
    other = did_not_start(RuntimeError(said.replace("invalid null input: name", "no")))
    assert isinstance(other, JobError)
    assert (
        other.message == "Spark did not start: IOException: Invalid UID, could not determine effective user"
    )


def test_without_a_home_there_is_no_archive(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    from firesteel.spark.launch.archive import ClassArchive, class_archive
    from firesteel.spark.launch.java import Java

    def no_home() -> Path:
        raise RuntimeError("Could not determine home directory.")

    for name in ("HOME", "XDG_CACHE_HOME", "FIRESTEEL_CACHE_DIR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(Path, "home", no_home)
    assert class_archive(Java(tmp_path, "17"), [], "batch") == ClassArchive()
