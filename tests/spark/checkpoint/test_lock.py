"""A checkpoint belongs to one run at a time."""

from __future__ import annotations

import errno
import json
import os
import queue
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from firesteel.errors import JobError, UsageError
from firesteel.spark.checkpoint import lock as checkpoint_lock
from firesteel.spark.checkpoint import owner as checkpoint_owner
from firesteel.spark.checkpoint.folder import check_logs, open_folder
from firesteel.spark.checkpoint.lock import FILE, CheckpointLock, local_folder
from firesteel.spark.checkpoint.owner import LEASE_SECONDS, ShutOutError

HOLDER = """
import sys, time
from pathlib import Path
from firesteel.spark.checkpoint.lock import CheckpointLock
lock = CheckpointLock(Path(sys.argv[1]))
print("held", flush=True)
time.sleep(600)
"""


def holder(folder: Path) -> subprocess.Popen[str]:
    """Another process that holds the folder."""
    process = subprocess.Popen([sys.executable, "-c", HOLDER, folder], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "held\n"
    return process


def leave(folder: Path, silent: float = 0.0, **owner: object) -> None:
    """The file of a run that ended without releasing it, `silent` seconds ago."""
    known = {"pid": 1, "host": "elsewhere", "since": "2026-01-01 00:00:00 +0000", "machine": "another"}
    file = os.open(folder / FILE, os.O_RDWR | os.O_CREAT)
    os.pwrite(file, json.dumps(known | owner).encode().ljust(1024), 0)  # at once: a beat may read it now
    os.close(file)
    then = time.time() - silent
    os.utime(folder / FILE, (then, then))


@pytest.fixture
def no_locks(monkeypatch: pytest.MonkeyPatch) -> None:
    """A file system that locks no files."""
    import fcntl

    def refuse(*_: object) -> None:
        raise OSError(errno.ENOTSUP, "not supported")

    monkeypatch.setattr(fcntl, "flock", refuse)
    monkeypatch.setattr(checkpoint_lock, "RACE_SECONDS", 0.01)


def test_another_process_is_refused_with_the_owners_name(tmp_path: Path) -> None:
    process = holder(tmp_path)
    with pytest.raises(
        UsageError, match=rf"is in use by process {process.pid} on \S+ since \d{{4}}-"
    ) as found:
        CheckpointLock(tmp_path)
    # `rescale` and `upgrade` are refused, too, and have no use for another folder.
    assert found.value.hint is not None
    assert found.value.hint.startswith("stop it (STOP JOB in a shell) or wait; another job")
    process.kill()
    process.wait()


def test_a_killed_owners_lock_is_taken_over_and_that_is_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    process = holder(tmp_path)
    process.send_signal(signal.SIGKILL)
    process.wait()
    lock = CheckpointLock(tmp_path)
    said = capsys.readouterr().err
    assert f"taking over the checkpoint {tmp_path} from process {process.pid} on " in said
    assert json.loads((tmp_path / FILE).read_text())["pid"] == os.getpid()
    lock.release()


def test_a_released_folder_is_free_and_nothing_is_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for _ in range(2):
        lock = CheckpointLock(tmp_path)
        lock.release()
        lock.release()
    assert capsys.readouterr().err == ""


def test_a_process_cannot_hold_it_twice(tmp_path: Path) -> None:
    lock = CheckpointLock(tmp_path)
    with pytest.raises(UsageError, match=f"process {os.getpid()} "):
        CheckpointLock(tmp_path)
    lock.release()


def test_a_process_that_was_given_the_owners_number_is_not_the_owner(tmp_path: Path) -> None:
    leave(tmp_path, pid=os.getppid(), machine=checkpoint_owner.machine())  # runs, but holds nothing
    CheckpointLock(tmp_path).release()


def test_a_run_on_another_machine_counts_while_it_is_heard_of(tmp_path: Path) -> None:
    leave(tmp_path, silent=3)
    with pytest.raises(UsageError, match=r"process 1 on elsewhere since .* \(it was seen 3 s ago\)"):
        CheckpointLock(tmp_path)
    leave(tmp_path, silent=LEASE_SECONDS + 1)
    CheckpointLock(tmp_path).release()


def test_an_owner_shows_that_it_lives(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checkpoint_lock, "BEAT_SECONDS", 0.01)
    lock = CheckpointLock(tmp_path)
    os.utime(tmp_path / FILE, (1, 1))
    end = time.monotonic() + 30
    while (tmp_path / FILE).stat().st_mtime == 1 and time.monotonic() < end:
        time.sleep(0.01)
    assert (tmp_path / FILE).stat().st_mtime > 1
    lock.release()


@pytest.mark.usefixtures("no_locks")
def test_without_locks_an_owner_that_runs_is_believed(tmp_path: Path) -> None:
    lock = CheckpointLock(tmp_path)
    with pytest.raises(UsageError, match="in use"):
        CheckpointLock(tmp_path)
    lock.release()
    CheckpointLock(tmp_path).release()


@pytest.mark.usefixtures("no_locks")
def test_without_locks_the_last_of_two_that_start_at_once_has_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def rival(_: float) -> None:
        leave(tmp_path, pid=77, name="rival")

    monkeypatch.setattr(time, "sleep", rival)
    with pytest.raises(UsageError, match="in use by process 77"):
        CheckpointLock(tmp_path)


@pytest.mark.usefixtures("no_locks")
def test_a_run_that_was_taken_over_learns_by_whom(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checkpoint_lock, "BEAT_SECONDS", 0.01)
    told: queue.Queue[ShutOutError] = queue.Queue()
    paused = CheckpointLock(tmp_path)
    paused.watch(told.put)
    paused.check()
    leave(tmp_path, pid=77, name="other", number=2)
    error = told.get(timeout=30)
    assert "was taken over by process 77 on elsewhere since 2026-01-01" in error.message
    with pytest.raises(ShutOutError, match="taken over by process 77"):
        paused.check()
    before = (tmp_path / FILE).read_bytes()
    paused.release()
    assert (tmp_path / FILE).read_bytes() == before


@pytest.mark.usefixtures("no_locks")
def test_a_paused_run_learns_of_one_that_has_ended_since(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    paused = CheckpointLock(tmp_path)
    monkeypatch.setattr(checkpoint_lock, "has_ended", lambda _: True)
    CheckpointLock(tmp_path).release()
    with pytest.raises(ShutOutError, match=f"taken over by process {os.getpid()} "):
        paused.check()
    third = CheckpointLock(tmp_path)
    paused.release()  # which takes nothing away from the third
    third.check()
    third.release()


@pytest.mark.usefixtures("no_locks")
@pytest.mark.parametrize("left", [b"", b'{"pid": 3, "name": "earlier", "number": 0, "released": true}'])
def test_an_owner_puts_its_name_over_that_of_an_earlier_run(tmp_path: Path, left: bytes) -> None:
    """The earlier one looked whether it still was the owner, was paused, and released what it had no more."""
    lock = CheckpointLock(tmp_path)
    (tmp_path / FILE).write_bytes(left)
    lock.check()
    assert json.loads((tmp_path / FILE).read_text())["name"] == lock._owner["name"]
    lock.release()


def test_an_unreadable_owner_is_nobody(tmp_path: Path) -> None:
    (tmp_path / FILE).write_bytes(b'{"pid": 1')
    CheckpointLock(tmp_path).release()


@pytest.mark.parametrize(
    ("checkpoint", "folder"),
    [
        ("/a/b", "/a/b"),
        ("a", "a"),
        ("file:///a", "/a"),
        ("file:/a", "/a"),
        ("hdfs://h/a", None),
        ("s3a://b/a", None),
    ],
)
def test_local_folders(checkpoint: str, folder: str | None) -> None:
    assert local_folder(checkpoint) == (None if folder is None else Path(folder))


def test_a_folder_that_is_a_file(tmp_path: Path) -> None:
    (tmp_path / "f").write_text("")
    for name in ("f", "f/below"):
        with pytest.raises(UsageError, match=f"cannot be made: {tmp_path}/f is a file"):
            open_folder(str(tmp_path / name))


def test_a_folder_that_cannot_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(UsageError, match=f"folder {tmp_path} cannot be written: No space left on device"):
        open_folder(str(tmp_path))
    assert list(tmp_path.iterdir()) == []


def test_a_file_system_that_cannot_rename(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def rename(self: Path, to: Path) -> None:
        raise OSError(errno.EPERM, os.strerror(errno.EPERM))

    monkeypatch.setattr(Path, "rename", rename)
    with pytest.raises(UsageError, match=f"{tmp_path} is on a file system that cannot rename files"):
        open_folder(str(tmp_path))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("log", ["offsets", "commits"])
@pytest.mark.parametrize("text", ["v1\n{", "v1\n", '{"a": 1}\n', "v1\n{}\n{'file'"])
def test_a_damaged_file_of_sparks_is_named(tmp_path: Path, log: str, text: str) -> None:
    for name in ("offsets", "commits"):
        (tmp_path / "spark" / name).mkdir(parents=True)
        for batch in (8, 9, 10):
            (tmp_path / "spark" / name / str(batch)).write_text('v1\n{"batchWatermarkMs":0}\n-\n{"file": 1}')
    check_logs(str(tmp_path))
    (tmp_path / "spark" / log / "8").write_text(text)  # which Spark does not read
    check_logs(str(tmp_path))
    (tmp_path / "spark" / log / "10").write_text(text)
    with pytest.raises(JobError, match=f"{tmp_path}/spark/{log}/10: the checkpoint's file is damaged"):
        check_logs(str(tmp_path))


LEAVE = """
import atexit, os, sys
from pathlib import Path
from firesteel.spark.checkpoint.lock import CheckpointLock
held = CheckpointLock(Path(sys.argv[1]))
atexit._run_exitfuncs()
os._exit(0)
"""


def test_a_process_that_was_stopped_before_it_could_release_the_lock_has_done_so(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """As the command ends after a signal: without the interpreter's own end."""
    subprocess.run([sys.executable, "-c", LEAVE, str(tmp_path)], check=True, timeout=100)
    CheckpointLock(tmp_path).release()
    assert capsys.readouterr().err == ""


def test_a_fork_does_not_release_the_lock(tmp_path: Path) -> None:
    held = CheckpointLock(tmp_path)
    held._owner = {**held._owner, "pid": os.getpid() + 1}
    held._leave()
    held._owner["pid"] = os.getpid()
    with pytest.raises(UsageError, match="in use by"):
        CheckpointLock(tmp_path)
    held.release()
