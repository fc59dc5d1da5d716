"""The folder that is full is named, not another of the job's."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path
from types import SimpleNamespace

import pytest

from firesteel.spark.full_disk import full_disk

FULL = "java.io.IOException: No space left on device"


def stacked(*classes: str) -> Exception:
    """Return an error as pyspark raises it, with the stack of what caused it."""
    error = Exception("the job was ended: " + FULL)
    frames = "\n".join(f"\tat org.apache.{name}(File.scala:1)" for name in classes)
    error._stackTrace = f"SparkException: a\n\tat org.apache.hadoop.fs.X(Y.java)\nCaused by: {FULL}\n{frames}"  # type: ignore[attr-defined]
    return error


def message(error: Exception, checkpoint: Path | None, *temporary: Path) -> str | None:
    found = full_disk(error, None if checkpoint is None else str(checkpoint), [*map(str, temporary)])
    return None if found is None else found.message.removeprefix("no space left on device: ")


@pytest.fixture
def folders(tmp_path: Path) -> tuple[Path, Path]:
    for name in ("kept", "short"):
        (tmp_path / name).mkdir()
    return tmp_path / "kept", tmp_path / "short"


def test_a_disk_that_is_full_now(folders: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    kept, short = folders
    full = kept

    def usage(folder: Path) -> SimpleNamespace:
        return SimpleNamespace(free=0 if folder == full else 1 << 40)

    monkeypatch.setattr(shutil, "disk_usage", usage)
    for full in (kept, short):
        assert message(Exception(FULL), kept, short) == str(full)
        assert message(Exception("a worker failed: EOFError"), kept, short) == str(full)
    full = Path("/elsewhere")
    assert message(Exception("a worker failed: EOFError"), kept, short) is None
    assert message(Exception("another"), kept, short) is None


def test_a_disk_that_has_room_again_by_the_file(folders: tuple[Path, Path]) -> None:
    kept, short = folders
    text = "RocksDBException: While appending to file: {}/spark-1/a.log: No space left on device"
    assert message(Exception(text.format(short)), kept, short) == str(short)
    assert message(Exception(text.format(kept)), kept, short) == str(kept)
    python = f"OSError: [Errno 28] No space left on device: '{short}/x'"
    assert message(Exception(python), None, short) == str(short)


@pytest.mark.parametrize(
    ("frame", "place"),
    [
        ("spark.shuffle.sort.BypassMergeSortShuffleWriter.write", "short"),
        ("spark.storage.DiskBlockObjectWriter.write", "short"),
        ("spark.sql.execution.streaming.state.RocksDBFileManager.zip", "short"),
        ("spark.sql.execution.streaming.checkpointing.CheckpointFileManager.close", "kept"),
        ("spark.sql.execution.streaming.checkpointing.HDFSMetadataLog.write", "kept"),
    ],
)
def test_a_disk_that_has_room_again_by_what_wrote(frame: str, place: str, folders: tuple[Path, Path]) -> None:
    kept, short = folders
    assert message(stacked("spark.util.Utils.run", frame), kept, short) == str(kept.with_name(place))


def test_where_nothing_tells_all_are_named(folders: tuple[Path, Path]) -> None:
    kept, short = folders
    assert message(Exception(FULL), kept, short) == f"{kept} or {short}"
    assert message(Exception(FULL), None) == tempfile.gettempdir()
