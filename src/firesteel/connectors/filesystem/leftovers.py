"""Removal of hidden files and drafts of manifests that killed runs have left in a table's folder.

The driver of each job that writes into the folder holds a lock on the file `_firesteel/JOB.run` as long as it
lives. If no process of the same machine holds the lock, the job's driver has ended, and no other run can
publish its files. If the driver is on another machine, or is an earlier version of Firesteel that has no lock
file, its files are removed only if nobody has written to them for a week.
"""

from __future__ import annotations

import os
import re
import time
from collections import defaultdict
from contextlib import suppress
from pathlib import Path

from firesteel.connectors.filesystem.manifests import FOLDER, Manifests, drafts_in

try:
    import fcntl
except ImportError:  # Windows has no fcntl.
    fcntl = None  # type: ignore[assignment]

_HIDDEN = re.compile(r"\.part-(?P<job>(?:run-)?[^-]+)-[0-9a-f]{32}-\d+\.inprogress")
_WEEK_SECONDS = 7 * 24 * 3600.0


class RunMark:
    """Lock file that shows that a job's driver lives, until `remove` or the end of its process."""

    def __init__(self, table: Path, job: str) -> None:
        self._path = table / FOLDER / f"{job}.run"
        self._path.parent.mkdir(parents=True, exist_ok=True)
        self._file = self._path.open("a+", encoding="ascii")
        if fcntl is not None and _lock(self._file.fileno()):
            self._file.truncate(0)
            self._file.write(_machine())
            self._file.flush()

    def remove(self) -> None:
        """Remove the lock file at the end of the job, which then has no unpublished files."""
        self._path.unlink(missing_ok=True)
        self._file.close()
        with suppress(OSError):  # Other jobs have files in the folder.
            self._path.parent.rmdir()


def sweep_leftovers(table: Path, own: str) -> None:
    """Remove hidden files and drafts of manifests of jobs whose drivers have ended.

    If it is unknown whether a driver has ended, files are removed that nobody has written to for a week.
    Files that a job's newest manifest names always stay.

    The function first lists the files of a job, and then checks whether the job's driver has ended. If a run
    continues the job in the meantime, its new files are not in the list, so they stay.

    Args:
        table: The table's folder.
        own: The job that opens the table. Its hidden files stay: the sink removes them itself. Its drafts
            come from earlier runs, and are removed.
    """
    found: defaultdict[str, list[Path]] = defaultdict(list)
    for path in table.glob(".part-*.inprogress"):
        name = _HIDDEN.fullmatch(path.name)
        if name is not None and name["job"] != own:
            found[name["job"]].append(path)
    for job, path in drafts_in(table):
        found[job].append(path)
    for job, files in found.items():
        over = job == own or _is_over(table / FOLDER / f"{job}.run")
        named = Manifests(table, job).last()[1].keys()
        for path in files:
            with suppress(OSError):  # The file is gone or belongs to another user.
                if path.name not in named and (over or _age(path) > _WEEK_SECONDS):
                    path.unlink()


def _is_over(mark: Path) -> bool:
    """Return whether the driver with this lock file has ended. If so, remove the lock file.

    Return False also if the answer is unknown: the driver is on another machine, or there is no lock file.
    """
    try:
        with mark.open("r+", encoding="ascii") as file:
            if file.read() != _machine() or fcntl is None or not _lock(file.fileno()):
                return False
            mark.unlink()
    except (OSError, ValueError):
        return False
    return True


def _age(path: Path) -> float:
    return time.time() - path.stat().st_mtime


def _lock(file: int) -> bool:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def _machine() -> str:
    """Return an id of the running operating system: Linux makes a new `boot_id` at each start.

    Processes with the same id see each other's file locks. If there is no `boot_id`, return a text with the
    id of this process, so that no other process finds its own text in a lock file.
    """
    with suppress(OSError):
        return Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
    return f"no kernel {os.getpid()}"
