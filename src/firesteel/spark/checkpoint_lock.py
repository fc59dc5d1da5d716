"""One run at a time on a checkpoint: two would write each other's offsets, and read files twice.

The lock is a file in the checkpoint's folder that names its owner: process, host, since when. The kernel
holds it (flock) for as long as the process lives, so a killed run leaves nothing behind but its name, and
another process with its number is not taken for it. Of a run on another machine the kernel may know nothing,
and some file systems have no locks: an owner touches the file every few seconds, one that has not is gone.

Spark's JVM writes offsets, too, and outlives a killed Python by a moment: it holds a lock of its own.
"""

from __future__ import annotations

import json
import os
import socket
import sys
import threading
import time
import uuid
from contextlib import suppress
from pathlib import Path
from typing import Any

from firesteel.errors import UsageError
from firesteel.spark.internals.jvm_lock import JvmLock

FILE, SPARK_FILE = "firesteel.lock", "firesteel.spark.lock"
RUN_FILE = "firesteel.run.lock"
"""Of a command, which holds the checkpoint of all its statements; FILE is one statement's."""
BEAT_SECONDS, LEASE_SECONDS = 5.0, 30.0
"""How often an owner touches its file, and how long one that does not counts as alive."""
RACE_SECONDS = 0.5
"""Where there are no locks: of two that start at once, the one that wrote its name last has the folder."""
SPARK_SECONDS = 60.0
"""How long the Spark of a run that was killed is waited for."""

Owner = dict[str, Any]


def local_folder(checkpoint: str) -> Path | None:
    """The folder of a checkpoint on a file system of this machine, else None."""
    scheme, colon, path = checkpoint.partition(":/")
    if not colon:
        return Path(checkpoint)
    return Path("/" + path.lstrip("/")) if scheme == "file" else None


class CheckpointLock:
    """Holds a folder, which must be there, until `release` or the end of the process.

    Raises UsageError where another run holds it, or where the lock's file cannot be written.
    """

    def __init__(self, folder: Path, file: str = FILE) -> None:
        self._folder, self._path = folder, folder / file
        self._released = threading.Event()
        self._spark: JvmLock | None = None
        try:
            self._file = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        except OSError as error:
            raise UsageError(f"{self._path} cannot be written: {error.strerror}") from None
        try:
            self._take()
        except OSError as error:
            os.close(self._file)
            raise UsageError(f"{self._path} cannot be written: {error.strerror}") from None
        except UsageError:
            os.close(self._file)
            raise
        threading.Thread(target=self._beat, daemon=True).start()

    def hold_spark(self, context: Any) -> None:
        """Have Spark's JVM hold the folder, too. Waits for the one of a run that was killed.

        Raises UsageError where it does not end.
        """
        from py4j.protocol import Py4JJavaError

        end, told = time.monotonic() + SPARK_SECONDS, False
        try:
            self._spark = JvmLock(context, self._folder / SPARK_FILE)
            while not (held := self._spark.is_taken()) and time.monotonic() < end:
                if not told:
                    _say(f"waiting for the Spark of the run before to leave the checkpoint {self._folder}")
                    told = True
                time.sleep(0.05)
        except Py4JJavaError:  # a file system without locks
            return
        if not held:
            raise UsageError(
                f"the Spark of an earlier run still holds the checkpoint {self._folder}", hint=_HINT
            )

    def release(self) -> None:
        """Let others have the folder."""
        if self._released.is_set():
            return
        self._released.set()
        if self._spark is not None:
            self._spark.close()
        with suppress(OSError):
            os.ftruncate(self._file, 0)
        os.close(self._file)

    def _take(self) -> None:
        locked = _flock(self._file)
        before = _owner(self._file)
        if locked is False:
            raise self._in_use(before)
        if before:
            self._take_over(before, is_kernels=locked is True)
        name = uuid.uuid4().hex
        owner = {
            "pid": os.getpid(),
            "host": socket.gethostname(),
            "since": time.strftime("%Y-%m-%d %H:%M:%S %z"),
            "machine": _machine(),
            "name": name,
        }
        os.ftruncate(self._file, 0)
        os.pwrite(self._file, json.dumps(owner).encode(), 0)
        os.fsync(self._file)
        if locked is None:
            time.sleep(RACE_SECONDS)
            now = _owner(self._file)
            if now.get("name") != name:
                raise self._in_use(now)

    def _take_over(self, before: Owner, *, is_kernels: bool) -> None:
        """From an owner that left its name. is_kernels: the kernel says that none on this machine has it."""
        silent = max(0.0, time.time() - os.fstat(self._file).st_mtime)
        is_here = before.get("machine") == _machine()
        is_gone = is_here and (is_kernels or not _is_running(before.get("pid")))
        if not is_gone and silent < LEASE_SECONDS:
            raise self._in_use(before, f" (it was seen {silent:.0f} s ago)")
        shown = _shown(before)
        if shown not in _told:
            _told.add(shown)
            _say(f"taking over the checkpoint {self._folder} from {shown}, which ended without closing it")

    def _in_use(self, owner: Owner, more: str = "") -> UsageError:
        return UsageError(f"the checkpoint {self._folder} is in use by {_shown(owner)}{more}", hint=_HINT)

    def _beat(self) -> None:
        while not self._released.wait(BEAT_SECONDS):
            with suppress(OSError):
                os.utime(self._path)


_told: set[str] = set()
"""Owners that were taken over from: a command's and its statements' locks have one."""
_HINT = "wait for its end or stop it, or give this run a checkpoint folder of its own"


def _flock(file: int) -> bool | None:
    """Lock the file; False where another has it, None where files cannot be locked."""
    try:
        import fcntl

        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except (ImportError, OSError):
        return None
    return True


def _owner(file: int) -> Owner:
    """Whose name the file holds; empty for none, or for one that cannot be read."""
    try:
        found = json.loads(os.pread(file, 4096, 0) or b"{}")
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def _shown(owner: Owner) -> str:
    if "pid" not in owner:
        return "another run"
    return f"process {owner['pid']} on {owner.get('host')} since {owner.get('since')}"


def _machine() -> str:
    """What tells kernels apart: containers of one machine have one."""
    with suppress(OSError):
        return Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
    return f"{uuid.getnode():x}"


def _is_running(pid: Any) -> bool:
    try:
        os.kill(int(pid), 0)
    except (ProcessLookupError, TypeError, ValueError):
        return False
    except OSError:
        return True
    return True


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)
