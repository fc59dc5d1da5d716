"""The folder for this process's temporary files: private, removed at its end, and swept up by a later process
where it was killed.

Sockets, secrets, Spark's local files and checkpoints that nobody asked for lie in it. Whether its process
still lives tells a lock on a file in it: process ids mean nothing in another container with the same /tmp.
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
except ImportError:  # Windows: nothing is swept
    fcntl = None  # type: ignore[assignment]

PREFIX = "firesteel-"
_LOCK = "lock"
_SHORT = "/tmp"
"""Where sockets lie if the path of the folder for temporary files is too long for them."""
_SOCKET_PATH, _SOCKET_NAME = 103, 43
"""Bytes that every system takes as the path of a socket, and bytes of Spark's name for one: `/.UUID.sock`."""
_held: list[IO[str]] = []
"""Open files whose locks last as long as the process."""


def private_folder(name: str) -> Path:
    """A new folder that only this user can look into."""
    return Path(tempfile.mkdtemp(prefix=f"{name}-", dir=process_folder()))


def socket_folder() -> Path:
    """Return a new private folder whose path is short enough for sockets in it."""
    folder = private_folder("sockets")
    if len(os.fsencode(folder)) + _SOCKET_NAME <= _SOCKET_PATH:
        return folder
    return Path(tempfile.mkdtemp(prefix="sockets-", dir=process_folder(_SHORT)))


@functools.cache
def process_folder(parent: str | None = None) -> Path:
    """Return the folder of this process, which is made at the first call.

    Args:
        parent: Where it is made; None for the system's folder for temporary files.
    """
    while (folder := _locked_folder(parent)) is None:
        continue
    atexit.register(_remove, folder, os.getpid())
    return folder


def _locked_folder(parent: str | None) -> Path | None:
    """Make a folder and hold its lock. Return None if a sweeper of another process took it first.

    A sweeper may see the lock's file before it is locked, and lock it itself. The file that is locked here
    may therefore be one that was just removed.
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
    except OSError:  # a file system without locks, on which nothing is swept
        is_there = True
    if not is_there:
        lock.close()
        return None
    _held.append(lock)
    return folder


def _remove(folder: Path, process: int) -> None:
    if os.getpid() == process:  # not in its forks
        shutil.rmtree(folder, ignore_errors=True)
        process_folder.cache_clear()


def sweep() -> None:
    """Remove what processes have left that were killed."""
    if fcntl is None:
        return
    with suppress(OSError):
        for parent in {Path(tempfile.gettempdir()), Path(_SHORT)}:
            for lock in parent.glob(f"{PREFIX}*/{_LOCK}"):
                with suppress(OSError):  # held by a process, of another user, or just gone
                    _sweep(lock)


def _sweep(lock: Path) -> None:
    if lock.stat().st_uid != os.getuid() or lock.is_symlink() or lock.parent.is_symlink():
        return
    with lock.open("r+", encoding="utf-8") as file:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        shutil.rmtree(lock.parent, ignore_errors=True)
