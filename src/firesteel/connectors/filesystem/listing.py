"""Listing of new files: each file below a path is returned once, at a cost that depends on the new files.

A folder is listed again if its modification time has changed. That time may be as coarse as two seconds, so a
file that is added right after a listing may not change it. After a change of the time, a folder is therefore
listed at each search, until a listing is five seconds after the change was seen. Some mounts never update the
time, so each folder is also listed every half minute. If this listing finds a new file, the folder is listed
at each search from then on.

Paths are strings, and names come from os.listdir: with a million names, path objects would take most of the
time.
"""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from firesteel.connectors.filesystem.splits import FileInfo, local_path
from firesteel.errors import DataError
from firesteel.functions.java.regular_expressions import parsed

_SETTLED_SECONDS, _AGAIN_SECONDS = 5.0, 30.0
"""First: seconds from a change of a folder's modification time until this time is trusted.

Second: seconds after which a folder is listed again although its modification time has not changed.
"""


@dataclass
class _Folder:
    """State of a folder.

    Args:
        names: Names of files, folders and hidden entries that were found.
        folders: The names of folders to look into.
        modified: Modification time of the folder, first seen at `since` on the monotonic clock.
        listed: Time of the last listing.
        settled: Whether the last listing was at least 5 seconds after `since`. A file that is added later
            then changes the modification time, even if that time is coarse.
        trusted: Whether the mount updates the modification time. False once a listing has found a new file
            although `settled` was True and the modification time had not changed.
    """

    names: set[str] = field(default_factory=set)
    folders: list[str] = field(default_factory=list)
    modified: int = -1
    since: float = 0.0
    listed: float = 0.0
    settled: bool = False
    trusted: bool = True

    def needs_listing(self, modified: int, now: float) -> bool:
        """Store the folder's modification time. Return whether the folder may have new files."""
        if modified != self.modified:
            self.modified, self.since, self.settled = modified, now, False
        return not (self.settled and self.trusted) or now - self.listed >= _AGAIN_SECONDS


class Listing:
    """Files below a path that were not found before.

    Names that begin with `_` or `.` are hidden, as in Flink.

    Args:
        path: A file or a folder (the option `path` of a table).
        pattern: `source.path.regex-pattern`, for the whole path; None for all files.
        wanted: Function that returns whether the file of a path belongs to the table.
    """

    def __init__(
        self, path: str, pattern: str | None = None, wanted: Callable[[str], bool] = lambda _: True
    ) -> None:
        self._path = path
        self._root = str(local_path(path).absolute())
        self._pattern = None if pattern is None else parsed(pattern)
        self._shown = str(local_path(path))
        self._wanted = wanted
        self._folders: dict[str, _Folder] = {}

    def know(self, paths: Iterable[str]) -> None:
        """Mark these files as found."""
        for path in paths:
            folder, _, name = path.rpartition("/")
            self._of(folder).names.add(name)

    def new(self) -> list[FileInfo]:
        """Return the new files, sorted by modification time, then path.

        Raises:
            DataError: The path does not exist or cannot be listed.
        """
        try:
            found = [_info(path, status) for path, status in self._found() if self._is_wanted(path)]
        except OSError as error:
            raise DataError(f"The path '{self._path}' cannot be listed: {error.strerror}.") from None
        return sorted(found, key=lambda file: (file.modified, file.path))

    def _found(self) -> Iterator[tuple[str, os.stat_result]]:
        root = Path(self._root)
        if root.is_dir():
            yield from self._look(self._root)
        elif not root.is_file():
            raise DataError(
                f"The path '{self._path}' does not exist.", hint="check the table's option 'path'"
            )
        else:
            folder, _, name = self._root.rpartition("/")
            if name not in self._of(folder).names:
                yield self._root, root.stat()
                self._of(folder).names.add(name)

    def _look(self, path: str) -> Iterator[tuple[str, os.stat_result]]:
        folder, now = self._of(path), time.monotonic()
        if folder.needs_listing(Path(path).stat().st_mtime_ns, now):
            was_settled, folder.listed = folder.settled, now
            folder.settled = now - folder.since >= _SETTLED_SECONDS
            for name in sorted(set(os.listdir(path)) - folder.names):  # noqa: PTH208
                found = self._named(folder, path, name)
                if found is not None:
                    folder.trusted &= not was_settled
                    yield found
        for name in list(folder.folders):
            try:
                yield from self._look(f"{path}/{name}")
            except FileNotFoundError:
                folder.folders.remove(name)
                folder.names.discard(name)

    def _named(self, folder: _Folder, path: str, name: str) -> tuple[str, os.stat_result] | None:
        """Record a new name in a folder. Return path and status if it is a file's name, else None."""
        whole = f"{path}/{name}"
        if not name.startswith(("_", ".")):
            try:
                status = os.stat(whole)  # noqa: PTH116
            except FileNotFoundError:  # The file was removed in the meantime, or is a link without a target.
                return None
            if stat.S_ISREG(status.st_mode):
                folder.names.add(name)
                return whole, status
            if not stat.S_ISDIR(status.st_mode):
                return None
            folder.folders.append(name)
        folder.names.add(name)
        return None

    def _is_wanted(self, path: str) -> bool:
        """Return whether a file belongs to the table.

        The pattern is compared with a path that begins as in the option `path`. For `path` = `data`, this
        is `data/a.csv`, not the absolute path.
        """
        shown = self._shown + path.removeprefix(self._root)
        return (self._pattern is None or bool(self._pattern.fullmatch(shown))) and self._wanted(path)

    def _of(self, path: str) -> _Folder:
        found = self._folders.get(path)
        if found is None:
            found = self._folders[path] = _Folder()
        return found


def list_files(
    path: str, pattern: str | None = None, wanted: Callable[[str], bool] = lambda _: True
) -> list[FileInfo]:
    """Return all files below a path, filtered as in Listing."""
    return Listing(path, pattern, wanted).new()


def _info(path: str, status: os.stat_result) -> FileInfo:
    return FileInfo(path, status.st_size, status.st_mtime_ns // 1_000_000)
