"""Runs as Arrow IPC files in a directory of this machine, mapped into memory.

Files are immutable, named by the run's id (a digest of its content), written to a temporary name and
then renamed, and shared by all worker processes without a copy. The directory is disposable: a run
that is not there, or cannot be read, is fetched from the store again. It is kept below a size: the
files that were not used for longest go first. A mapped file stays readable after its removal.
"""

from __future__ import annotations

import itertools
import os
import time
from collections import OrderedDict
from collections.abc import Set
from contextlib import suppress
from pathlib import Path

import pyarrow as pa

from firesteel.errors import JobError
from firesteel.runtime.state.codec import decode, write_plain
from firesteel.runtime.state.runs import Run

DEFAULT_LIMIT = 4 << 30
_SUFFIX = ".run"
_TEMPORARY = ".tmp"
_NUMBERS = itertools.count()
_OPEN_RUNS = 1024
_STALE_SECONDS = 3600


class RunCache:
    """directory: made where it is missing. limit: bytes that its files may have in all."""

    def __init__(self, directory: Path, limit: int = DEFAULT_LIMIT) -> None:
        self._directory = directory
        self._limit = limit
        self._written = 0
        self._open: OrderedDict[str, Run] = OrderedDict()
        self._live: dict[object, Set[str]] = {}
        directory.mkdir(parents=True, exist_ok=True)

    def get(self, name: str) -> Run | None:
        """The run, None where it is not here."""
        known = self.known(name)
        if known is not None:
            return known
        path = self._path(name)
        try:
            with pa.memory_map(str(path)) as file:
                opened = decode(file.read_buffer())
            os.utime(path)
        except FileNotFoundError:
            return None
        except (OSError, JobError):  # damaged, or of another version: as if it were not here
            path.unlink(missing_ok=True)
            return None
        self.keep(name, opened)
        return opened

    def known(self, name: str) -> Run | None:
        """The run, where this process has it open."""
        known = self._open.get(name)
        if known is not None:
            self._open.move_to_end(name)
        return known

    def keep(self, name: str, run: Run) -> None:
        """Have a run open in this process, without a file."""
        self._open[name] = run
        while len(self._open) > _OPEN_RUNS:
            self._open.popitem(last=False)

    def live(self, names: Set[str], state: object = None) -> None:
        """These are all runs that a state has now: its former ones are closed. This process may have them
        open without being the one that merged them away. state: which, where several use the cache."""
        for name in self._live.get(state, frozenset()) - names:
            self._open.pop(name, None)
        self._live[state] = frozenset(names)

    def load(self, name: str, data: bytes) -> Run:
        """Add a run that came from the store."""
        run = decode(data)
        self.put(name, run)
        return run

    def put(self, name: str, run: Run) -> None:
        """Add a run. A full disk is no error: the cache does without it."""
        path = self._path(name)
        if path.exists():
            return
        temporary = self._directory / f"{name}.{os.getpid()}.{next(_NUMBERS)}{_TEMPORARY}"
        try:
            write_plain(run, temporary)
            self._written += temporary.stat().st_size
            temporary.replace(path)
        except OSError:
            temporary.unlink(missing_ok=True)
            return
        if self._written > self._limit // 16:
            self._written = 0
            self.clean()

    def clean(self) -> None:
        """Remove the files used longest ago until four fifths of the limit are left, and what writers
        that died left behind. Other processes may clean at the same time."""
        files = []
        for entry in os.scandir(self._directory):
            with suppress(FileNotFoundError):
                files.append((entry.stat().st_mtime, entry.stat().st_size, entry.path))
        total = sum(size for _, size, _ in files)
        bound = self._limit * 4 // 5 if total > self._limit else self._limit
        for used, size, path in sorted(files):
            stale = path.endswith(_TEMPORARY) and used < time.time() - _STALE_SECONDS
            if stale or (total > bound and path.endswith(_SUFFIX)):
                Path(path).unlink(missing_ok=True)
                total -= size

    def _path(self, name: str) -> Path:
        return self._directory / f"{name}{_SUFFIX}"
