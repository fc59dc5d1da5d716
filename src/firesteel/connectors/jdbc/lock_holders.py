"""Processes that hold the lock of a SQLite database, for the error after a vain wait."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

_LOCKS = Path("/proc/locks")
_ENDINGS = ("", "-shm")
"""Endings of the files that SQLite locks: the database, and with write-ahead logging its shared memory."""


def locked_hint(path: str) -> str:
    """Return what to do about a SQLite database that stays locked.

    Args:
        path: Path of the database.
    """
    holders = ", ".join(lock_holders(path))
    who = holders or "a process with an open transaction (`fuser -v` or `lsof` on the file lists them)"
    return (
        f"{who} holds the lock of {path}: let its transaction end, or end the process. Jobs that write to "
        "one SQLite file wait for each other"
    )


def lock_holders(path: str) -> list[str]:
    """Return the other processes that hold a lock of a database, such as `process 4711 (sqlite3)`.

    If any process has a lock for writing, the result has only the processes with such a lock. Otherwise, it
    has the processes with a lock for reading, because readers delay a commit. The locks are read from
    /proc/locks, which only Linux has. On other systems, the list is empty.
    """
    found: dict[str, set[str]] = {"WRITE": set(), "READ": set()}
    with suppress(OSError, ValueError, IndexError, KeyError):
        inodes = set(_inodes(path))
        for line in _LOCKS.read_text(encoding="ascii").splitlines():
            fields = line.split()
            if "->" in fields:  # This process waits for a lock.
                continue
            mode, process, file = fields[3], int(fields[4]), fields[5]
            if int(file.rpartition(":")[2]) in inodes and process != os.getpid():
                found[mode].add(_named(process))
    return sorted(found["WRITE"] or found["READ"])


def _inodes(path: str) -> Iterator[int]:
    for ending in _ENDINGS:
        with suppress(FileNotFoundError):
            yield Path(path + ending).stat().st_ino


def _named(process: int) -> str:
    try:
        name = Path(f"/proc/{process}/comm").read_text(encoding="utf-8", errors="replace").strip()
    except OSError:
        return f"process {process}"
    return f"process {process} ({name})"
