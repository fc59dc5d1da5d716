"""Make files and names in folders durable: after a power cut they are still there.

A rename or a new file changes its folder, so a file that must survive needs two syncs: its own, and its
folder's. All syncs of Firesteel pass through this module. Where the environment variable
FIRESTEEL_SYNC_TRACE names a folder, each of them is also recorded there (durability_trace.py).
"""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import IO, Any

TRACE = "FIRESTEEL_SYNC_TRACE"
_NOT_FOR_FOLDERS = (errno.EINVAL, errno.ENOTSUP, errno.EBADF, errno.EACCES, errno.EPERM, errno.EISDIR)
"""Errors of file systems that cannot sync a folder, and of folders that may be entered but not read."""


def sync_stream(stream: IO[Any]) -> None:
    """Write what an open file has buffered, and make its content durable. Its name is not: `sync_folder`."""
    stream.flush()
    _sync(stream.fileno(), Path(stream.name))


def sync_file(path: Path) -> None:
    """Make the content of a file durable that another process may have written.

    Raises FileNotFoundError where it is gone, OSError where the disk fails.
    """
    descriptor = os.open(path, os.O_RDONLY)
    try:
        _sync(descriptor, path)
    finally:
        os.close(descriptor)


def sync_folder(path: Path) -> None:
    """Make the names in a folder durable. A file system that has no such thing is left alone.

    Raises FileNotFoundError where the folder is gone, OSError where the disk fails.
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


def replace(draft: Path, path: Path) -> None:
    """Give a file, whose content is durable, the name of another one in the same folder, durably."""
    draft.replace(path)
    sync_folder(path.parent)


def write_whole(path: Path, text: str) -> None:
    """Write a file durably so that it is there whole or not at all; makes its folder."""
    make_folders(path.parent)
    draft = path.with_suffix(".tmp")
    with draft.open("w", encoding="utf-8") as stream:
        stream.write(text)
        sync_stream(stream)
    replace(draft, path)


def make_folders(path: Path) -> None:
    """Make a folder and those above it durably, where they are missing.

    Raises OSError as `Path.mkdir`.
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
    """Call the answer once the sync is done. What is recorded is the state before it began."""
    folder = os.environ.get(TRACE)
    if not folder:
        return _nothing
    from firesteel.durability_trace import traced

    with suppress(FileNotFoundError):
        return traced(Path(folder), path, is_folder)
    return _nothing


def _nothing() -> None:
    """No trace is wanted."""
