"""Private folder for this process's temporary files.

It is removed at exit, or by a later process after a kill.

The folder holds sockets, secrets, Spark's local files, and temporary checkpoints. A lock on a file in the
folder shows whether its process still lives: a process ID means nothing in another container that shares
/tmp.
"""

from __future__ import annotations

import atexit
import functools
import os
import shutil
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import IO

try:
    import fcntl
except ImportError:  # Windows has no fcntl, so folders of killed processes stay.
    fcntl = None  # type: ignore[assignment]

PREFIX = "firesteel-"
_LOCK = "lock"
_SHORT = "/tmp"
"""Folder for sockets if the path of the folder for temporary files is too long for them."""
_SOCKET_PATH, _SOCKET_NAME = 103, 43
"""Longest path of a socket in bytes on every system, and bytes of Spark's socket names: `/.UUID.sock`."""
_held: list[IO[str]] = []
"""Open files whose locks last as long as the process."""


def private_folder(name: str) -> Path:
    """Create a folder that only this user can read, and return its path."""
    return Path(tempfile.mkdtemp(prefix=f"{name}-", dir=process_folder()))


def socket_folder() -> Path:
    """Return a new private folder whose path is short enough for sockets in it."""
    folder = private_folder("sockets")
    if len(os.fsencode(folder)) + _SOCKET_NAME <= _SOCKET_PATH:
        return folder
    return Path(tempfile.mkdtemp(prefix="sockets-", dir=process_folder(_SHORT)))


@functools.cache
def process_folder(parent: str | None = None) -> Path:
    """Return the folder of this process, and create it at the first call.

    Args:
        parent: Folder in which to create it; None for the system's folder for temporary files.
    """
    while (folder := _locked_folder(parent)) is None:
        continue
    atexit.register(_remove, folder, os.getpid())
    return folder


def _locked_folder(parent: str | None) -> Path | None:
    """Create a folder with a locked file, and return it; None if `sweep` in another process removes it.

    `sweep` removes folders whose file is not locked, because their processes are gone. So it also removes
    this folder if it runs after the file is created and before it is locked. The result is then None:

    - If `sweep` still runs, it holds the lock.
    - If `sweep` has ended, this process gets the lock, but the locked file is no longer in the folder.
    """
    folder = Path(tempfile.mkdtemp(prefix=PREFIX, dir=parent))
    if fcntl is None:
        return folder
    try:
        lock = (folder / _LOCK).open("w", encoding="utf-8")
    except FileNotFoundError:
        return None
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        is_there = os.path.samestat((folder / _LOCK).stat(), os.fstat(lock.fileno()))
    except (BlockingIOError, FileNotFoundError):
        is_there = False
    except OSError:  # The file system has no locks, so `sweep` removes nothing on it.
        is_there = True
    if not is_there:
        lock.close()
        return None
    _held.append(lock)
    return folder


def held_locks() -> tuple[int, ...]:
    """Return the file descriptors of the locks of this process's folders.

    A child process that inherits them holds the locks, too. As long as it runs, `sweep` does not remove the
    folders, even if this process has been killed.
    """
    return tuple(lock.fileno() for lock in _held if not lock.closed)


def _remove(folder: Path, process: int) -> None:
    if os.getpid() == process:  # A forked process must not remove the folder.
        shutil.rmtree(folder, ignore_errors=True)
        process_folder.cache_clear()


def sweep() -> None:
    """Remove the folders of killed processes."""
    if fcntl is None:
        return
    with suppress(OSError):
        for parent in {Path(tempfile.gettempdir()), Path(_SHORT)}:
            for lock in parent.glob(f"{PREFIX}*/{_LOCK}"):
                # The lock is held by a process, belongs to another user, or has just been removed.
                with suppress(OSError):
                    _sweep(lock)


def _sweep(lock: Path) -> None:
    if lock.stat().st_uid != os.getuid() or lock.is_symlink() or lock.parent.is_symlink():
        return
    with lock.open("r+", encoding="utf-8") as file:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        shutil.rmtree(lock.parent, ignore_errors=True)
