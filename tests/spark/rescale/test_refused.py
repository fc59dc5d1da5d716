"""What refuses a rescale, before anything is changed. No Spark runs."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING

import pytest

from firesteel.errors import FiresteelError, JobError, NotSupportedError, UsageError
from firesteel.spark.checkpoint.lock import RUN_FILE, CheckpointLock
from firesteel.spark.rescale.rescale import Rescaled, rescale
from firesteel.spark.rescale.spark_logs import offsets_with_partitions
from firesteel.spark.savepoint import draft_folder
from tests.spark.savepoint.test_savepoint import WINDOWS, checkpoint_of, files

if TYPE_CHECKING:
    from firesteel.spark.launch.launch import Spark


def no_spark() -> Spark:
    raise AssertionError("Spark is not needed")


def content(folder: Path) -> dict[str, bytes]:
    return {name: data for name, data in files(folder).items() if not name.endswith(".lock")}


def _nothing(checkpoint: Path, patch: pytest.MonkeyPatch) -> None:
    return


def _run(checkpoint: Path, patch: pytest.MonkeyPatch) -> None:
    CheckpointLock(checkpoint, RUN_FILE)


def _statement(checkpoint: Path, patch: pytest.MonkeyPatch) -> None:
    CheckpointLock(checkpoint / WINDOWS)


def _recovery(checkpoint: Path, patch: pytest.MonkeyPatch) -> None:
    (checkpoint / WINDOWS / "recovery.json").write_text("{}")


def _no_commit(checkpoint: Path, patch: pytest.MonkeyPatch) -> None:
    for path in (checkpoint / WINDOWS / "spark" / "commits").iterdir():
        path.unlink()


def _no_room(checkpoint: Path, patch: pytest.MonkeyPatch) -> None:
    patch.setattr(draft_folder.shutil, "disk_usage", lambda path: SimpleNamespace(free=100))


def _lost(checkpoint: Path, patch: pytest.MonkeyPatch) -> None:
    (checkpoint / WINDOWS / "spark/state/0/1/2.changelog").unlink()


def _others(checkpoint: Path, patch: pytest.MonkeyPatch) -> None:
    (checkpoint / WINDOWS / "statement.sql").chmod(0o666)


def _newer(checkpoint: Path, patch: pytest.MonkeyPatch) -> None:
    file = checkpoint / WINDOWS / "firesteel.json"
    file.write_text(json.dumps(json.loads(file.read_text()) | {"version": 3}))


@pytest.mark.parametrize(
    ("spoil", "parallelism", "kind", "text"),
    [
        (_nothing, 0, UsageError, "the parallelism is at least 1, got 0"),
        (_nothing, 4, UsageError, "the parallelism 4 is above 3, the max parallelism of the checkpoint"),
        (_run, 1, UsageError, "is in use by process"),
        (_statement, 1, UsageError, "is in use by process"),
        (_recovery, 1, UsageError, "was interrupted"),
        (_no_commit, 1, UsageError, "no micro-batch of the checkpoint"),
        (_no_room, 1, UsageError, "the disk has 0.0 MB free"),
        (_lost, 1, JobError, "is damaged: .*2.changelog is missing"),
        (_others, 1, UsageError, "is not used"),
        (_newer, 1, UsageError, "made by a version of Firesteel that keeps state in another way"),
    ],
)
def test_what_refuses_a_rescale(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    spoil: Callable[[Path, pytest.MonkeyPatch], None],
    parallelism: int,
    kind: type[FiresteelError],
    text: str,
) -> None:
    checkpoint = checkpoint_of(tmp_path / "job")
    spoil(checkpoint, monkeypatch)
    before = content(checkpoint)
    with pytest.raises(kind, match=text):
        rescale(str(checkpoint), parallelism, no_spark)
    assert content(checkpoint) == before


def test_other_file_systems() -> None:
    with pytest.raises(NotSupportedError, match="hdfs://host/job is on another file system"):
        rescale("hdfs://host/job", 2, no_spark)


def test_the_parallelism_that_it_has(tmp_path: Path) -> None:
    checkpoint = checkpoint_of(tmp_path / "job")
    before = content(checkpoint)
    assert rescale(str(checkpoint), 2, no_spark) == [Rescaled(WINDOWS, 2, 2, 3)]
    assert content(checkpoint) == before


def test_settings_in_offsets() -> None:
    text = 'v1\n{"batchWatermarkMs":0,"conf":{"a":"1","spark.sql.shuffle.partitions":"2"}}\n{"file": 1}\n-'
    version, settings, *offsets = offsets_with_partitions(text, 7).splitlines()
    assert (version, offsets) == ("v1", ['{"file": 1}', "-"])
    assert json.loads(settings) == {
        "batchWatermarkMs": 0,
        "conf": {"a": "1", "spark.sql.shuffle.partitions": "7"},
    }
