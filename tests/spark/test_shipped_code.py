"""What is sent to the executors of a cluster, without one."""

from __future__ import annotations

import os
import py_compile
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from zipfile import ZipFile

import pytest

import firesteel
from firesteel.errors import UsageError
from firesteel.spark import shipped_code
from firesteel.spark.shipped_code import ship_code
from firesteel.spark.task import source_task
from firesteel.types.user_function import UserFunction


class Context:
    """Takes what a SparkContext would send."""

    def __init__(self, application: str) -> None:
        self.applicationId = application
        self.environment = {"PYTHONPATH": "/elsewhere"}
        self.files: list[str] = []
        self.archives: list[tuple[str, str]] = []

    def addPyFile(self, path: str) -> None:
        self.files.append(path)

    def addArchive(self, path: str) -> None:
        file, _, name = path.partition("#")
        self.archives.append((file, name))


@pytest.fixture
def spark(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setattr(shipped_code, "use_archives", lambda _: None)  # asks Spark for its files
    return SimpleNamespace(is_local=False, context=Context(request.node.name))


def names(archive: str) -> set[str]:
    with ZipFile(archive) as opened:
        return {name for name in opened.namelist() if not name.endswith("/")}


def function(folder: Path, code: str = "functions:f") -> UserFunction:
    return UserFunction("f", code, str(folder))


def test_firesteel_goes_once_and_runs_out_of_its_zip(spark: Any, tmp_path: Path) -> None:
    for _ in range(2):
        ship_code(spark, ())
    (file,) = spark.context.files
    assert spark.context.environment["PYTHONPATH"] == f"{file}{os.pathsep}/elsewhere"
    said = subprocess.run(
        [sys.executable, "-c", "import firesteel.spark.task.source_task as t; print(t.__file__)"],
        env={**os.environ, "PYTHONPATH": file},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    assert said.startswith(file)
    assert f"firesteel-{firesteel.__version__}.zip" in file


def test_modules_and_packages_of_a_folder_go_and_nothing_else(spark: Any, tmp_path: Path) -> None:
    for name in ("functions.py", "data.csv", "package/__init__.py", "package/model.bin", "data/part-0.py"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("")
    ship_code(spark, (function(tmp_path), function(tmp_path, "functions:g")))
    ((archive, name),) = spark.context.archives
    assert names(archive) == {"functions.py", "package/__init__.py", "package/model.bin"}
    ship_code(spark, (function(tmp_path),))
    assert len(spark.context.archives) == 1
    (tmp_path / "new.py").write_text("")
    ship_code(spark, (function(tmp_path),))
    assert max(each for _, each in spark.context.archives) == spark.context.archives[1][1] != name


def test_what_is_installed_stays(spark: Any) -> None:
    ship_code(spark, (function(Path(pytest.__file__).parents[1]),))
    assert spark.context.archives == []


def test_a_folder_that_is_too_large(spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "functions.py").write_text("a = 1\n")
    monkeypatch.setattr(shipped_code, "_MOST_BYTES", 3)
    with pytest.raises(UsageError, match=f"{tmp_path}: its modules have"):
        ship_code(spark, (function(tmp_path),))


def test_to_a_local_spark_nothing_is_sent(spark: Any, tmp_path: Path) -> None:
    spark.is_local = True
    ship_code(spark, (function(tmp_path),))
    assert spark.context.files == spark.context.archives == []


def test_it_has_its_bytecode_and_the_kernels_of_the_installed_one(
    spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "pycache_prefix", str(tmp_path / "kept"))
    timed = py_compile.PycInvalidationMode.TIMESTAMP
    py_compile.compile(source_task.__file__, doraise=True, invalidation_mode=timed)
    ship_code(spark, ())
    (file,) = spark.context.files
    program = (
        "import firesteel.kernels.objects as o, firesteel.spark.task.source_task as t\n"
        "print(o._fingerprint(), t.__loader__.get_filename(t.__name__))"
    )

    def said(path: str) -> list[str]:
        command = [sys.executable, "-c", program]
        variables = {**os.environ, "PYTHONPATH": path}
        done = subprocess.run(
            command, env=variables, cwd=tmp_path, capture_output=True, text=True, check=True
        )
        return done.stdout.split()

    kernels, module = said(file)
    assert module == f"{file}/firesteel/spark/task/source_task.pyc"
    installed, own = said(str(Path(firesteel.__file__).parents[1]))
    assert kernels == installed
    assert own.endswith(".py")
