"""A rescale that ends at any step leaves the old checkpoint or the new one. No Spark runs."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from typing import Any

import pytest

from firesteel.errors import UsageError
from firesteel.spark.checkpoint.fingerprint import read
from firesteel.spark.checkpoint.lock import CheckpointLock
from firesteel.spark.checkpoint.pending_change import RESCALE
from tests.spark.savepoint.test_savepoint import files

OLD, NEW = "2", "4"


class CutError(BaseException):
    """The process ends here."""


def begin(folder: Path) -> None:
    """Make a statement's folder, and the draft of its rescale."""
    for place, parallelism in ((folder, OLD), (folder / RESCALE.draft, NEW)):
        (place / "spark" / "state").mkdir(parents=True)
        (place / "spark" / "state" / parallelism).write_text(parallelism)
        (place / "spark" / "metadata").write_text(parallelism)
        (place / "firesteel.json").write_text(json.dumps({"partitions": int(parallelism)}))
    (folder / "delivered").write_text("as it was")


def content(folder: Path) -> dict[str, bytes]:
    return {name: data for name, data in files(folder).items() if not name.endswith(".lock")}


def expected(parallelism: str) -> dict[str, bytes]:
    return {
        "delivered": b"as it was",
        "firesteel.json": json.dumps({"partitions": int(parallelism)}).encode(),
        "spark/metadata": parallelism.encode(),
        f"spark/state/{parallelism}": parallelism.encode(),
    }


def cut(monkeypatch: pytest.MonkeyPatch, steps: int) -> None:
    """End the process instead of a step that changes the disk, after so many steps."""
    left = [steps]

    def patched(name: str, of: Any) -> None:
        call = getattr(of, name)

        def wrapped(*args: Any, **kwargs: Any) -> Any:
            if not left[0]:
                raise CutError
            left[0] -= 1
            return call(*args, **kwargs)

        monkeypatch.setattr(of, name, wrapped)

    for name in ("rename", "replace", "mkdir"):
        patched(name, Path)
    for name in ("unlink", "rmdir"):
        patched(name, os)


@pytest.mark.parametrize("steps", range(14))
def test_a_cut_at_each_step(tmp_path: Path, steps: int) -> None:
    folder = tmp_path / "statement"
    begin(folder)
    with pytest.MonkeyPatch.context() as patches:
        cut(patches, steps)
        try:
            RESCALE.decide(folder)
        except CutError:
            is_decided = not (folder / RESCALE.draft).exists()
        else:
            is_decided = True
            assert steps > 5, "all steps are counted"
    for again in range(3):  # the next process may be killed, too
        with pytest.MonkeyPatch.context() as patches:
            cut(patches, again)
            try:
                read(None, str(folder))
            except CutError:
                continue
    saved = read(None, str(folder))
    parallelism = NEW if is_decided else OLD
    assert saved == {"partitions": int(parallelism)}
    shutil.rmtree(folder / RESCALE.draft, ignore_errors=True)
    assert content(folder) == expected(parallelism)
    assert not (folder / RESCALE.name).exists()


def test_another_process_completes_it_just_now(tmp_path: Path) -> None:
    begin(tmp_path)
    (tmp_path / RESCALE.draft).rename(tmp_path / RESCALE.name)
    lock = CheckpointLock(tmp_path)
    with pytest.raises(UsageError, match="is in use by process"):
        read(None, str(tmp_path))
    lock.release()
    assert read(None, str(tmp_path)) == {"partitions": int(NEW)}
