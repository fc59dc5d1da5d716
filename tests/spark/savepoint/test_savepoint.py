"""Savepoints of checkpoints that real jobs have written, and what refuses one. No Spark runs."""

from __future__ import annotations

import errno
import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest

from firesteel.errors import FiresteelError, JobError, NotSupportedError, UsageError
from firesteel.spark.savepoint import draft_folder
from firesteel.spark.savepoint.savepoint import SavedStatement, write_savepoint
from tests.recovery.kept_archive import unpack
from tests.recovery.kept_run import KEPT

WINDOWS = "insert-tumbles-hops-sessions-members-panes-gaps"


def checkpoint_of(base: Path, job: str = "windows") -> Path:
    """Unpack a kept job and return its checkpoint."""
    unpack(KEPT / "2026-11-25" / f"{job}.tar.gz", base)
    return base / "checkpoint"


def save(checkpoint: Path, target: Path) -> list[SavedStatement]:
    return write_savepoint(str(checkpoint), str(target), lambda folder, batch: None)


def files(folder: Path) -> dict[str, bytes]:
    return {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


def test_the_files_of_the_last_micro_batch(tmp_path: Path) -> None:
    checkpoint, target = checkpoint_of(tmp_path / "job"), tmp_path / "savepoint"
    (checkpoint / WINDOWS / "firesteel.lock").write_text("{}")
    replay = checkpoint / WINDOWS / "replays" / "000001-a"
    replay.mkdir(parents=True)
    (replay / "letters.arrow").write_bytes(b"x")
    before = files(checkpoint)
    (saved,) = save(checkpoint, target)
    assert (saved.name, saved.batch) == (WINDOWS, 2)
    found = files(target / WINDOWS)
    assert set(found) == {name.removeprefix(f"{WINDOWS}/") for name in before} - {
        "firesteel.lock",
        "spark/offsets/0",
        "spark/commits/0",
        "spark/commits/1",
        *(f"spark/state/0/{partition}/1.changelog" for partition in (0, 1)),
    }
    assert files(checkpoint) == before
    assert (target.stat().st_mode & 0o777) == 0o700
    assert not [path for path in tmp_path.iterdir() if path.name.startswith(".")]


def test_the_copy_names_its_own_schemas(tmp_path: Path) -> None:
    target = tmp_path / "savepoint"
    save(checkpoint_of(tmp_path / "job"), target)
    (described,) = (target / WINDOWS).glob("spark/state/0/_metadata/v2/*")
    store = json.loads(described.read_text().partition("\n")[2])["stateStoreInfo"][0]
    (path,) = store["stateSchemaFilePaths"]
    assert path.startswith(f"file:{target}/{WINDOWS}/")
    assert Path(path.removeprefix("file:")).is_file()


def test_offsets_of_a_planned_micro_batch_and_sinks_of_the_committed_one(tmp_path: Path) -> None:
    """What is behind the last committed micro-batch is not copied, but for the plan of the next one."""
    checkpoint = checkpoint_of(tmp_path / "job")
    folder = checkpoint / WINDOWS
    for number in (3, 4):
        (folder / "spark" / "offsets" / str(number)).write_text("v1\n{}\n{}")
        shutil.copy(
            folder / "spark/state/0/0/3.changelog", folder / f"spark/state/0/0/{number + 1}.changelog"
        )
    (folder / "sink-positions").mkdir()
    for number in (1, 2, 3):
        (folder / "sink-positions" / str(number)).write_text("{}")
    save(checkpoint, tmp_path / "savepoint")
    found = set(files(tmp_path / "savepoint" / WINDOWS))
    assert {name for name in found if "offsets" in name} == {f"spark/offsets/{n}" for n in (1, 2, 3)}
    assert {name for name in found if "positions" in name} == {"sink-positions/2"}
    assert not {name for name in found if name.endswith(("/4.changelog", "/5.changelog"))}


def test_a_job_that_commits_meanwhile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Spark removes what an earlier micro-batch needs: the copy is of the later one, and whole."""
    checkpoint = checkpoint_of(tmp_path / "job")
    spark, copied = checkpoint / WINDOWS / "spark", shutil.copyfile
    left = [1]

    def again(folder: Path, of: str, to: str) -> None:
        (folder / to).write_bytes((folder / of).read_bytes())

    def copyfile(source: Path, to: Path) -> object:
        if left and source == spark / "metadata":
            left.pop()
            for partition in ("0", "1"):
                again(spark / "state" / "0" / partition, "3.changelog", "4.changelog")
            for log in ("offsets", "commits"):
                again(spark / log, "2", "3")
            (spark / "offsets" / "1").unlink()
        return copied(source, to)

    monkeypatch.setattr(shutil, "copyfile", copyfile)
    (saved,) = save(checkpoint, tmp_path / "savepoint")
    assert saved.batch == 3
    found = set(files(tmp_path / "savepoint" / WINDOWS))
    assert {name for name in found if "offsets" in name} == {"spark/offsets/2", "spark/offsets/3"}
    assert {name for name in found if "commits" in name} == {"spark/commits/3"}
    assert {f"spark/state/0/{partition}/4.changelog" for partition in (0, 1)} <= found


def test_a_statement_that_has_not_begun_and_an_older_layout(tmp_path: Path) -> None:
    """A checkpoint of one query once was the statement's folder itself."""
    checkpoint = checkpoint_of(tmp_path / "job") / WINDOWS
    other = checkpoint / "insert-other"
    other.mkdir()
    shutil.copy(checkpoint / "firesteel.json", other)
    saved = save(checkpoint, tmp_path / "savepoint")
    assert [(each.name, each.batch) for each in saved] == [("", 2), ("insert-other", -1)]
    found = set(files(tmp_path / "savepoint"))
    assert {"firesteel.json", "spark/commits/2", "insert-other/firesteel.json"} <= found


def _exists(checkpoint: Path, target: Path, patch: pytest.MonkeyPatch) -> None:
    target.mkdir()


def _recovery(checkpoint: Path, target: Path, patch: pytest.MonkeyPatch) -> None:
    (checkpoint / WINDOWS / "recovery.json").write_text("{}")


def _others(checkpoint: Path, target: Path, patch: pytest.MonkeyPatch) -> None:
    (checkpoint / WINDOWS / "statement.sql").chmod(0o666)


def _newer(checkpoint: Path, target: Path, patch: pytest.MonkeyPatch) -> None:
    file = checkpoint / WINDOWS / "firesteel.json"
    file.write_text(json.dumps(json.loads(file.read_text()) | {"version": 3}))


def _no_room(checkpoint: Path, target: Path, patch: pytest.MonkeyPatch) -> None:
    patch.setattr(draft_folder.shutil, "disk_usage", lambda path: SimpleNamespace(free=100))


def _no_rename(checkpoint: Path, target: Path, patch: pytest.MonkeyPatch) -> None:
    def rename(self: Path, to: Path) -> None:
        raise OSError(errno.EPERM, os.strerror(errno.EPERM))

    patch.setattr(Path, "rename", rename)


def _no_commit(checkpoint: Path, target: Path, patch: pytest.MonkeyPatch) -> None:
    for path in (checkpoint / WINDOWS / "spark" / "commits").iterdir():
        path.unlink()


def _full(checkpoint: Path, target: Path, patch: pytest.MonkeyPatch) -> None:
    def copyfile(source: Path, to: Path) -> None:
        to.write_bytes(b"half")
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    patch.setattr(shutil, "copyfile", copyfile)


def _lost(checkpoint: Path, target: Path, patch: pytest.MonkeyPatch) -> None:
    (checkpoint / WINDOWS / "spark/state/0/1/2.changelog").unlink()


def _lost_partition(checkpoint: Path, target: Path, patch: pytest.MonkeyPatch) -> None:
    shutil.rmtree(checkpoint / WINDOWS / "spark/state/0/1")


def _lost_offsets(checkpoint: Path, target: Path, patch: pytest.MonkeyPatch) -> None:
    (checkpoint / WINDOWS / "spark/offsets/2").unlink()


@pytest.mark.parametrize(
    ("spoil", "kind", "text"),
    [
        (_exists, UsageError, "savepoint exists"),
        (_recovery, UsageError, "was interrupted"),
        (_others, UsageError, "is not used"),
        (_newer, UsageError, "made by a version of Firesteel that keeps state in another way"),
        (_no_room, UsageError, "the disk has 0.0 MB free"),
        (_no_rename, UsageError, "cannot rename folders: Operation not permitted"),
        (_no_commit, UsageError, "no micro-batch of the checkpoint"),
        (_full, JobError, "savepoint cannot be written: No space left on device"),
        (_lost, JobError, "2.changelog is missing"),
        (_lost_partition, JobError, "state/0/1 is missing"),
        (_lost_offsets, JobError, "has lost the offsets of micro-batch 2"),
    ],
)
def test_what_refuses_a_savepoint(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    spoil: Callable[[Path, Path, pytest.MonkeyPatch], None],
    kind: type[FiresteelError],
    text: str,
) -> None:
    """One error, the checkpoint as it was, and nothing beside it."""
    checkpoint, target = checkpoint_of(tmp_path / "job"), tmp_path / "here" / "savepoint"
    target.parent.mkdir()
    spoil(checkpoint, target, monkeypatch)
    before, there = files(checkpoint), set(target.parent.iterdir())
    with pytest.raises(kind, match=text):
        save(checkpoint, target)
    assert files(checkpoint) == before
    assert set(target.parent.iterdir()) == there


def test_state_that_cannot_be_opened(tmp_path: Path) -> None:
    checkpoint, target = checkpoint_of(tmp_path / "job"), tmp_path / "savepoint"

    def check(folder: Path, batch: int) -> None:
        raise JobError(f"cannot open {batch}")

    with pytest.raises(JobError, match="cannot open 2"):
        write_savepoint(str(checkpoint), str(target), check)
    assert not target.exists()


@pytest.mark.parametrize(
    ("checkpoint", "target", "kind", "text"),
    [
        ("{0}/none", "{0}/savepoint", UsageError, "there is no folder"),
        ("{0}", "{0}/savepoint", UsageError, "is not a checkpoint of Firesteel"),
        ("{0}/job/checkpoint", "{0}/job/checkpoint/sp", UsageError, "is in the checkpoint"),
        (
            "{0}/job/checkpoint",
            "hdfs://host/sp",
            NotSupportedError,
            "host/sp is on another file system",
        ),
        (
            "s3a://bucket/job",
            "{0}/savepoint",
            NotSupportedError,
            "s3a://bucket/job is on another",
        ),
    ],
)
def test_wrong_folders(
    tmp_path: Path, checkpoint: str, target: str, kind: type[FiresteelError], text: str
) -> None:
    checkpoint_of(tmp_path / "job")
    with pytest.raises(kind, match=text):
        save(checkpoint.format(tmp_path), target.format(tmp_path))  # type: ignore[arg-type]


def test_drafts_of_killed_processes_are_removed(tmp_path: Path) -> None:
    checkpoint, target = checkpoint_of(tmp_path / "job"), tmp_path / "savepoint"
    gone = tmp_path / f".savepoint.999999999.{draft_folder.machine()}.draft"
    others = tmp_path / ".savepoint.1.another.draft"
    for folder in (gone, others):
        folder.mkdir()
        (folder / "half").touch()
    save(checkpoint, target)
    assert not gone.exists()
    assert others.exists()
