"""Checkpoints are written with few programs. Without it Spark forks its JVM dozens of times a micro-batch."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from firesteel.spark.internals.checkpoint_files import WRITER, write_with_few_programs

if TYPE_CHECKING:
    from firesteel.spark.launch.launch import Spark

pytestmark = pytest.mark.spark


def _write(session: Any, file: Path, text: str = "v1", *, replaces: bool = False) -> str:
    """Write a file as Spark does: an offset, or state, which it replaces. Return the name of the class."""
    jvm, settings = session.sparkContext._jvm, session._jsparkSession.sessionState().newHadoopConf()
    path = jvm.org.apache.hadoop.fs.Path(str(file))
    package = jvm.org.apache.spark.sql.execution.streaming.checkpointing
    manager = package.CheckpointFileManager.create(path.getParent(), settings)
    stream = manager.createAtomic(path, replaces)
    stream.write(bytearray(text.encode()))
    stream.close()
    return str(manager.getClass().getSimpleName())


def test_a_file_is_written_by_renaming_and_has_no_checksum_beside_it(spark: Spark, tmp_path: Path) -> None:
    session = spark.session.newSession()
    write_with_few_programs(session, owned=True)
    assert _write(session, tmp_path / "0") == "FileSystemBasedCheckpointFileManager"
    assert [file.name for file in tmp_path.iterdir()] == ["0"]
    assert (tmp_path / "0").read_text() == "v1"
    with pytest.raises(Exception, match="exist"):
        _write(session, tmp_path / "0")


def test_what_the_user_has_set_stays(spark: Spark) -> None:
    session = spark.session.newSession()
    session.conf.set(WRITER, "mine")
    write_with_few_programs(session, owned=False)
    assert session.conf.get(WRITER) == "mine"


def test_a_file_of_the_state_is_replaced(spark: Spark, tmp_path: Path) -> None:
    """By that of a micro-batch which runs again. Spark logs a rename that fails, and goes on."""
    session = spark.session.newSession()
    write_with_few_programs(session, owned=True)
    for text in ("first", "again"):
        manager = _write(session, tmp_path / "1.changelog", text, replaces=True)
        assert (tmp_path / "1.changelog").read_text() == text
    assert manager == "FileSystemBasedCheckpointFileManager"
    assert [file.name for file in tmp_path.iterdir()] == ["1.changelog"]
