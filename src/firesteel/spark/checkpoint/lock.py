"""Lock that lets only one run use a checkpoint.

Two runs would overwrite each other's offsets and read files twice.

The lock is a file in the checkpoint's folder that names its owner: process, host, start time, and a token.
The kernel holds the lock (flock) as long as the process lives. A killed run therefore leaves only its name
behind, and another process with the same process ID is not mistaken for it.

The kernel may not know of a run on another machine, and some file systems have no locks. So an owner touches
the file every few seconds, and an owner that has not done so counts as gone. If that owner was only paused,
it finds another token in the file when it continues, and stops. Owners have ascending numbers, so that a run
sees whether the owner in the file is an earlier or a later one. A released lock keeps the last owner's name
and number, because a paused run may continue after the release.

Spark's JVM also writes offsets. It may run for a moment after its Python process was killed. So the JVM holds
a second lock (SPARK_FILE).
"""

from __future__ import annotations

import atexit
import json
import os
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from firesteel.errors import UsageError
from firesteel.notices import say
from firesteel.spark.checkpoint.owner import (
    BEAT_SECONDS,
    HINT,
    LEASE_SECONDS,
    RELEASED,
    Owner,
    ShutOutError,
    has_ended,
    in_use,
    machine,
    read_owner,
    say_taken_over,
    shut_out,
    this_run,
)
from firesteel.spark.internals.jvm_lock import JvmLock

FILE, SPARK_FILE = "firesteel.lock", "firesteel.spark.lock"
RUN_FILE = "firesteel.run.lock"
"""Name of the lock file in a checkpoint's own folder: a command locks the whole checkpoint by it.

The lock file FILE is in the folder of each statement.
"""
_BYTES = 1024
"""Size of a lock file."""
RACE_SECONDS = 0.5
"""Seconds to wait for a concurrent run on a file system without locks. The last to write its name wins."""
SPARK_SECONDS = 60.0
"""Longest wait, in seconds, for the Spark of a killed run to end."""


def local_folder(checkpoint: str) -> Path | None:
    """Return the folder of a checkpoint if it is on a file system of this machine, else None."""
    scheme, colon, path = checkpoint.partition(":/")
    if not colon:
        return Path(checkpoint)
    return Path("/" + path.lstrip("/")) if scheme == "file" else None


class CheckpointLock:
    """A lock on an existing folder, held until `release` or the end of the process.

    Raises:
        UsageError: Another run holds the folder, or the lock file cannot be written.
    """

    def __init__(self, folder: Path, file: str = FILE) -> None:
        self._folder, self._path = folder, folder / file
        self._released, self._asking = threading.Event(), threading.Lock()
        self._spark: JvmLock | None = None
        self._owner = this_run()
        self._tell: Callable[[ShutOutError], object] = lambda _: None
        atexit.register(self._leave)
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
        """Lock the folder for Spark's JVM too, after waiting for the JVM of a killed run to end.

        Raises:
            UsageError: The other JVM does not end within 60 seconds.
        """
        from py4j.protocol import Py4JJavaError

        end, is_reported = time.monotonic() + SPARK_SECONDS, False
        try:
            self._spark = JvmLock(context, self._folder / SPARK_FILE)
            while not (held := self._spark.is_taken()) and time.monotonic() < end:
                if not is_reported:
                    say(f"waiting for the Spark of the run before to leave the checkpoint {self._folder}")
                    is_reported = True
                time.sleep(0.05)
        except Py4JJavaError:  # The file system has no locks.
            return
        if not held:
            raise UsageError(
                f"the Spark of an earlier run still holds the checkpoint {self._folder}", hint=HINT
            )

    def watch(self, tell: Callable[[ShutOutError], object]) -> None:
        """Register a function. The heartbeat thread calls it with the error if another run has taken over."""
        self._tell = tell

    def check(self) -> None:
        """Raise ShutOutError if another run has taken over the checkpoint."""
        with self._asking:
            self._check()

    def _check(self) -> None:
        if self._released.is_set():
            return
        try:
            now = read_owner(self._path.read_bytes())
        except OSError:  # An unreadable file does not show that there is another owner.
            return
        if now.get("name") == self._owner["name"]:
            return
        if not now or ("number" in now and now["number"] < self._owner["number"]):
            # An earlier owner has released the lock late and overwritten this run's name: write it again.
            self._write(self._owner)
        else:
            raise shut_out(self._folder, now)

    def release(self) -> None:
        """Release the folder. If another run has taken it over, that run's name stays."""
        with self._asking:
            if self._released.is_set():
                return
            self._released.set()
            if self._spark is not None:
                self._spark.close()
            with suppress(OSError):
                if _owner(self._file).get("name") == self._owner["name"]:
                    self._write({**self._owner, RELEASED: True})
            os.close(self._file)
        atexit.unregister(self._leave)

    def _leave(self) -> None:
        """Release the folder when the process exits for any reason. The JVM's lock ends with the JVM."""
        self._spark = None
        # A forked process must not release its parent's lock. An owner without number never had the lock.
        if self._owner["pid"] == os.getpid() and "number" in self._owner:
            with suppress(OSError):
                self.release()

    def _take(self) -> None:
        locked = _flock(self._file)
        before = _owner(self._file)
        if locked is False:
            raise in_use(self._folder, before)
        if before and not before.get(RELEASED):
            self._take_over(before, is_kernels=locked is True)
        self._owner["number"] = before.get("number", 0) + 1
        self._write(self._owner)
        if locked is None:
            time.sleep(RACE_SECONDS)
            now = _owner(self._file)
            if now.get("name") != self._owner["name"]:
                raise in_use(self._folder, now)

    def _write(self, owner: Owner) -> None:
        """Write the owner in one call of constant size. Readers see either the old or the new owner."""
        os.pwrite(self._file, json.dumps(owner).encode().ljust(_BYTES), 0)
        os.fsync(self._file)

    def _take_over(self, before: Owner, *, is_kernels: bool) -> None:
        """Take the lock over from an owner that has ended or is silent.

        Args:
            before: The owner whose name is in the file.
            is_kernels: Whether the kernel has granted the lock, so no process of this machine holds it.

        Raises:
            UsageError: The owner may still be running.
        """
        silent = max(0.0, time.time() - os.fstat(self._file).st_mtime)
        is_here = before.get("machine") == machine()
        is_gone = has_ended(before) or (is_here and is_kernels)
        if not is_gone and silent < LEASE_SECONDS:
            raise in_use(self._folder, before, f" (it was seen {silent:.0f} s ago)")
        say_taken_over(self._folder, before)

    def _beat(self) -> None:
        while not self._released.wait(BEAT_SECONDS):
            try:
                self.check()
                os.utime(self._path)
            except ShutOutError as error:
                self._tell(error)
                return
            except OSError:
                continue


def _flock(file: int) -> bool | None:
    """Lock a file, and return True. False if another process has it, None if the file system has no locks."""
    try:
        import fcntl

        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except (ImportError, OSError):
        return None
    return True


def _owner(file: int) -> Owner:
    """Return the owner that is named in the lock file; empty if there is none or the file is damaged."""
    return read_owner(os.pread(file, 4096, 0))
