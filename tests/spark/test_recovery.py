"""Checkpoints that do not go with their sinks: refused, or brought together in one of two ways."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from firesteel.connectors.filesystem.sink import FilesystemSink
from firesteel.connectors.positions import Origin
from firesteel.errors import NotSupportedError, UsageError
from firesteel.spark.checkpoint import recovery_plan
from firesteel.spark.checkpoint.recovery_plan import DELIVER_AGAIN, RESUME
from tests.connectors.jdbc.databases import SqliteDatabase
from tests.recovery.line import ROWS, Line
from tests.recovery.sinks import database

if TYPE_CHECKING:
    from firesteel.spark.launch.launch import Spark

pytestmark = [pytest.mark.spark, pytest.mark.slow]


def restored(spark: Spark, folder: Path, kind: str = "files") -> Line:
    """A line whose checkpoint is of before the second file, and whose sink is of after; with a third one."""
    pytest.importorskip("sqlalchemy")
    sink = None if kind == "files" else database(SqliteDatabase(folder / "db"))
    line = Line(spark, folder / "line", 7, sink)
    line.feed(ROWS)
    line.run()
    copy = folder / "copy"
    shutil.copytree(line.checkpoint, copy)
    line.feed(2 * ROWS)
    line.run()
    shutil.rmtree(line.checkpoint)
    copy.rename(line.checkpoint)
    line.feed(ROWS)
    return line


@pytest.mark.full
@pytest.mark.parametrize("kind", ["sqlite", "files"])
def test_an_older_copy_is_refused_and_resumes(
    spark: Spark, tmp_path: Path, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    line = restored(spark, tmp_path, kind)
    before = line.left()
    with pytest.raises(UsageError, match=r"has micro-batch 2 .*with micro-batches up to 0,") as refused:
        line.run()
    assert all(f"--recover {way}" in str(refused.value.hint) for way in (DELIVER_AGAIN, RESUME))
    assert line.left() == before

    def fails(*_: Any) -> None:
        raise RuntimeError("killed")

    with monkeypatch.context() as patched:  # the plan is written down, and nothing is done of it
        patched.setattr(recovery_plan, "_do", fails)
        with pytest.raises(RuntimeError, match="killed"):
            line.run(RESUME)
    line.run()  # finishes it
    assert line.left() == line.answer()
    line.feed(ROWS)
    line.run()
    assert line.left() == line.answer()


@pytest.mark.full
def test_an_older_copy_delivers_again(spark: Spark, tmp_path: Path) -> None:
    line = restored(spark, tmp_path, "sqlite")
    line.run(DELIVER_AGAIN)
    assert line.answer().keys() <= line.ever()
    assert line.left() != line.answer()  # the second file's changes came twice
    line.feed(ROWS)
    line.run()
    assert line.answer().keys() <= line.ever()


def test_lost_offsets_are_refused(spark: Spark, tmp_path: Path) -> None:
    """As after a power cut on a machine where nothing synced them."""
    line = Line(spark, tmp_path / "line", 7)
    line.feed(2 * ROWS)
    line.run()
    for log in ("offsets", "commits"):
        (line.checkpoint / "spark" / log / "1").unlink()
    line.feed(2 * ROWS)
    with pytest.raises(UsageError, match=r"has micro-batch 1 .*which is not in the log"):
        line.run()
    line.run(RESUME)
    assert line.left() == line.answer()


def test_state_is_replaced_where_a_batch_gets_other_rows(spark: Spark, tmp_path: Path) -> None:
    """The second batch runs again with more rows. The next run begins with what it wrote."""
    line = Line(spark, tmp_path / "line", 7)
    for rows in (ROWS, ROWS // 2):
        line.feed(rows)
    line.run()
    for log in ("offsets", "commits"):
        (line.checkpoint / "spark" / log / "1").unlink()
    line.feed(ROWS - ROWS // 2)  # so that no batch after it writes the same keys
    line.run(DELIVER_AGAIN)
    line.feed(ROWS)
    line.run()
    assert line.answer().keys() <= line.ever()


@pytest.mark.full
def test_notes_of_an_earlier_version(spark: Spark, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Numbers alone: a checkpoint that goes with them goes on, an older one is refused and cannot resume."""
    with monkeypatch.context() as earlier:
        earlier.setattr(
            FilesystemSink, "begin_batch", lambda self, origin: setattr(self, "_origin", Origin())
        )
        line = restored(spark, tmp_path)
    with pytest.raises(UsageError, match=r"has micro-batch 2, which is not in the log"):
        line.run()
    with pytest.raises(NotSupportedError, match="has not noted where it stands"):
        line.run(RESUME)
    line.run(DELIVER_AGAIN)
    assert line.answer().keys() <= line.ever()


@pytest.mark.full
def test_another_copy_is_refused(spark: Spark, tmp_path: Path) -> None:
    """Two copies of one checkpoint do not go on side by side."""
    line = restored(spark, tmp_path, "sqlite")
    older = tmp_path / "older"
    shutil.copytree(line.checkpoint, older)
    line.run(RESUME)
    shutil.rmtree(line.checkpoint)
    older.rename(line.checkpoint)
    with pytest.raises(UsageError):
        line.run()
