"""Hidden files and drafts of manifests that killed runs have left in a table's folder.

The driver of each job that writes into the folder holds a lock on the file `_firesteel/JOB.run` while it
lives. If the kernel of the same machine says that nobody holds it, the job's driver has ended, and nobody
else can show its files. Of drivers on other machines, and of versions that made no such file, files go that
nobody has written to for a week.
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
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

_HIDDEN = re.compile(r"\.part-(?P<job>(?:run-)?[^-]+)-[0-9a-f]{32}-\d+\.inprogress")
_WEEK_SECONDS = 7 * 24 * 3600.0


class RunMark:
    """Says that the driver of a job lives, until `remove` or the end of its process."""

    def __init__(self, table: Path, job: str) -> None:
        self._path = table / FOLDER / f"{job}.run"
        self._path.parent.mkdir(parents=True, exist_ok=True)
        self._file = self._path.open("a+", encoding="ascii")
        if fcntl is not None and _lock(self._file.fileno()):
            self._file.truncate(0)
            self._file.write(_machine())
            self._file.flush()

    def remove(self) -> None:
        """The job is over: nothing of it is left that is not shown."""
        self._path.unlink(missing_ok=True)
        self._file.close()
        with suppress(OSError):  # other jobs have files there
            self._path.parent.rmdir()


def sweep_leftovers(table: Path, own: str) -> None:
    """Remove the hidden files of other jobs whose drivers have ended, and drafts of manifests that are left.

    Files are listed before their job is looked at: a run that takes up the job afterwards writes others.

    Args:
        table: The table's folder.
        own: The job that opens the table, which sees to its own files. Its drafts are of earlier runs.
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
            with suppress(OSError):  # gone, or of another user
                if path.name not in named and (over or _age(path) > _WEEK_SECONDS):
                    path.unlink()


def _is_over(mark: Path) -> bool:
    """Whether it is known that the driver with this mark has ended. Its mark goes, too."""
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
    """What tells kernels apart; empty where that is unknown, which is nobody's."""
    with suppress(OSError):
        return Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
    return f"no kernel {os.getpid()}"
