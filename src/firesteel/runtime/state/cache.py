"""Cache of runs as Arrow IPC files in a local directory, mapped into memory.

Files are immutable and named by the id of the run, a digest of its content. They are written to a temporary
name, then renamed. All worker processes share them without a copy.

The directory is disposable: a run that is missing or unreadable is fetched from the store again. The total
size is limited, and the least recently used files go first. A mapped file stays readable after its removal.
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
    """Cache of runs in a directory.

    Args:
        directory: Created if it is missing.
        limit: Maximum bytes of all files together.
    """

    def __init__(self, directory: Path, limit: int = DEFAULT_LIMIT) -> None:
        self._directory = directory
        self._limit = limit
        self._written = 0
        self._open: OrderedDict[str, Run] = OrderedDict()
        self._live: dict[object, Set[str]] = {}
        directory.mkdir(parents=True, exist_ok=True)

    def get(self, name: str) -> Run | None:
        """Return a run, None if it is not in the cache."""
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
        except (OSError, JobError):  # damaged, or of another version: counts as missing
            path.unlink(missing_ok=True)
            return None
        self.keep(name, opened)
        return opened

    def known(self, name: str) -> Run | None:
        """Return a run that this process has open, None if it has not."""
        known = self._open.get(name)
        if known is not None:
            self._open.move_to_end(name)
        return known

    def keep(self, name: str, run: Run) -> None:
        """Keep a run open in this process, without a file."""
        self._open[name] = run
        while len(self._open) > _OPEN_RUNS:
            self._open.popitem(last=False)

    def live(self, names: Set[str], state: object = None) -> None:
        """Set the ids of all runs that a state has now, and close its former runs.

        This process may have runs open that another process has merged away.

        Args:
            names: Ids of the runs.
            state: Any object that identifies the state, if several states share the cache.
        """
        for name in self._live.get(state, frozenset()) - names:
            self._open.pop(name, None)
        self._live[state] = frozenset(names)

    def load(self, name: str, data: bytes) -> Run:
        """Add a run that came from the store, and return it."""
        run = decode(data)
        self.put(name, run)
        return run

    def put(self, name: str, run: Run) -> None:
        """Add a run. If the disk is full, the run is not cached."""
        path = self._path(name)
        if path.exists():
            return
        temporary = self._temporary(name)
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

    def spill(self, run: Run) -> Run:
        """Write a run to an unnamed file and return it mapped from there, or `run` if the disk is full."""
        path = self._temporary("spilled")
        try:
            write_plain(run, path)
            with pa.memory_map(str(path)) as file:
                return decode(file.read_buffer())
        except OSError:
            return run
        finally:
            path.unlink(missing_ok=True)

    def clean(self) -> None:
        """Remove stale temporary files, and the least recently used files if the limit is exceeded.

        Files are removed down to four fifths of the limit. Other processes may clean at the same time.
        """
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

    def _temporary(self, name: str) -> Path:
        return self._directory / f"{name}.{os.getpid()}.{next(_NUMBERS)}{_TEMPORARY}"

    def _path(self, name: str) -> Path:
        return self._directory / f"{name}{_SUFFIX}"
