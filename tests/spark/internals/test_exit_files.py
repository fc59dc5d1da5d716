"""Names of deleted sockets do not stay in the JVM's memory."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from firesteel.spark.internals.exit_files import ExitFiles
from firesteel.spark.launch.private_sockets import SOCKET_FOLDER

if TYPE_CHECKING:
    from firesteel.spark.launch.launch import Spark

pytestmark = pytest.mark.spark


def test_sockets_are_dropped_and_other_files_stay(spark: Spark, tmp_path: Path) -> None:
    jvm: Any = spark.context._jvm
    folder = spark.context.getConf().get(SOCKET_FOLDER)
    assert folder is not None
    assert Path(folder).stat().st_mode & 0o777 == 0o700
    for number in range(20):
        jvm.java.io.File(f"{folder}/.{number}.sock").deleteOnExit()
    other = tempfile.mktemp(dir=tmp_path)
    jvm.java.io.File(other).deleteOnExit()
    files = ExitFiles(spark.context, is_owned=True)
    assert files.drop() >= 20
    assert files.drop() == 0
    field = jvm.java.lang.Class.forName("java.io.DeleteOnExitHook").getDeclaredField("files")
    field.setAccessible(True)
    assert field.get(None).contains(other)


def test_a_stream_drops_them_by_itself(spark: Spark, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("firesteel.spark.internals.exit_files._EVERY", 2)
    jvm: Any = spark.context._jvm
    files = ExitFiles(spark.context, is_owned=True)
    jvm.java.io.File(f"{spark.context.getConf().get(SOCKET_FOLDER)}/.x.sock").deleteOnExit()
    files.end_batch()
    files.end_batch()
    assert files.drop() == 0


def test_the_names_of_a_jvm_of_the_user_s_stay(spark: Spark, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("firesteel.spark.internals.exit_files._EVERY", 1)
    jvm: Any = spark.context._jvm
    jvm.java.io.File(f"{spark.context.getConf().get(SOCKET_FOLDER)}/.x.sock").deleteOnExit()
    ExitFiles(spark.context, is_owned=False).end_batch()
    assert ExitFiles(spark.context, is_owned=True).drop() >= 1
