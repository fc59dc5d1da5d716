"""Durable files and names of files, which still exist after a power cut.

A rename or a new file changes its folder, so a file that must survive needs two syncs: its own, and its
folder's. All syncs of Firesteel pass through this module. If the environment variable FIRESTEEL_SYNC_TRACE
names a folder, each sync is also recorded there (durability_trace.py).
"""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import IO, Any

_AT_ONCE = 8
"""Number of parallel syncs. A file system with a journal completes many of them at once."""
TRACE = "FIRESTEEL_SYNC_TRACE"
_NOT_FOR_FOLDERS = (errno.EINVAL, errno.ENOTSUP, errno.EBADF, errno.EACCES, errno.EPERM, errno.EISDIR)
"""Errors to ignore: the file system cannot sync folders, or the folder may be entered but not read."""


def sync_stream(stream: IO[Any]) -> None:
    """Flush an open file and make its content durable. Its name is durable only after `sync_folder`."""
    stream.flush()
    _sync(stream.fileno(), Path(stream.name))


def sync_file(path: Path) -> None:
    """Make the content of a file durable, also if another process has written it.

    Raises:
        FileNotFoundError: The file is gone.
        OSError: The disk fails.
    """
    descriptor = os.open(path, os.O_RDONLY)
    try:
        _sync(descriptor, path)
    finally:
        os.close(descriptor)


def sync_folder(path: Path) -> None:
    """Make the names in a folder durable. Nothing happens on a file system that cannot sync folders.

    Raises:
        FileNotFoundError: The folder is gone.
        OSError: The disk fails.
    """
    try:
        descriptor = os.open(path, os.O_RDONLY)
    except PermissionError:
        return
    try:
        _sync(descriptor, path, is_folder=True)
    except OSError as error:
        if error.errno not in _NOT_FOR_FOLDERS:
            raise
    finally:
        os.close(descriptor)


def sync_tree(folder: Path) -> None:
    """Make all files in a folder and its subfolders durable, and their names.

    Raises:
        OSError: The disk fails.
    """
    paths = [*folder.rglob("*")]
    with ThreadPoolExecutor(_AT_ONCE, "sync") as workers:
        list(workers.map(sync_file, (path for path in paths if path.is_file())))
        list(workers.map(sync_folder, (path for path in (folder, *paths) if path.is_dir())))


def replace(draft: Path, path: Path) -> None:
    """Rename `draft` to `path` and make the new name durable. A file at `path` is replaced.

    Args:
        draft: File in the folder of `path`. The caller has made its content durable, as with `sync_file`.
        path: The new path.
    """
    draft.replace(path)
    sync_folder(path.parent)


def write_whole(path: Path, text: str) -> None:
    """Write a file durably, completely or not at all. Its folder is made if it is missing."""
    make_folders(path.parent)
    draft = path.with_suffix(".tmp")
    with draft.open("w", encoding="utf-8") as stream:
        stream.write(text)
        sync_stream(stream)
    replace(draft, path)


def make_folders(path: Path) -> None:
    """Make a folder durably, with its missing parents.

    Raises:
        OSError: The folder cannot be made.
    """
    if path.is_dir():
        return
    missing = [path]
    while not (above := missing[-1].parent).exists() and above != missing[-1]:
        missing.append(above)
    path.mkdir(parents=True, exist_ok=True)
    for made in missing:
        sync_folder(made.parent)


def _sync(descriptor: int, path: Path, *, is_folder: bool = False) -> None:
    noted = _traced(path, is_folder)
    os.fsync(descriptor)
    noted()


def _traced(path: Path, is_folder: bool) -> Callable[[], None]:
    """Return a function that records a sync in the trace folder. Call it after the sync.

    The record has the size of the file, or the names in the folder, as they are now, before the sync. Without
    a trace folder (environment variable FIRESTEEL_SYNC_TRACE), the function does nothing.
    """
    folder = os.environ.get(TRACE)
    if not folder:
        return _nothing
    from firesteel.durability_trace import traced

    with suppress(FileNotFoundError):
        return traced(Path(folder), path, is_folder)
    return _nothing


def _nothing() -> None:
    """Do nothing: no trace is requested."""
