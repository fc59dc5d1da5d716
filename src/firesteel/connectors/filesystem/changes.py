"""Detection of files that change after they were found.

A file is identified by its size, its modification time, and a digest of its first and last bytes. If someone
appends to a file, the source reads only the bytes that the file had when it was found. If someone replaces or
truncates a file, it counts as another file with the same name, and reading it is an error.
"""

from __future__ import annotations

import hashlib
from dataclasses import replace
from datetime import datetime, timezone
from enum import Enum, auto
from pathlib import Path

from firesteel.connectors.filesystem.splits import FileInfo
from firesteel.errors import DataError

READ, SKIP = "read-changed-files", "skip-changed-files"
"""Values of `firesteel.source-recovery`: the action for files that have changed (changed_files.py)."""
_PART = 4096
"""Bytes at each end of a file that its digest covers."""


class Change(Enum):
    """Kind of change of a file since it was found: none, bytes appended, or other or fewer bytes."""

    NONE = auto()
    GROWN = auto()
    REPLACED = auto()


def with_digest(file: FileInfo) -> FileInfo:
    """Return the file with the digest of its content, or without a digest if the file cannot be read."""
    try:
        return replace(file, digest=_digest(file.path, file.size))
    except OSError:
        return file


def change_of(file: FileInfo) -> Change:
    """Return how a file has changed since it was found.

    If its size and its modification time are as before, its content is not read.

    Raises:
        OSError: The file cannot be read or does not exist.
    """
    status = Path(file.path).stat()
    if (status.st_size, status.st_mtime_ns // 1_000_000) == (file.size, file.modified):
        return Change.NONE
    if status.st_size < file.size:
        return Change.REPLACED
    if file.digest and _digest(file.path, file.size) != file.digest:
        return Change.REPLACED
    return Change.GROWN if status.st_size > file.size else Change.NONE


def check_unchanged(file: FileInfo, *, is_read_whole: bool) -> None:
    """Check that a file still has the rows that it had when it was found.

    Args:
        file: The file as it was found.
        is_read_whole: Whether a reader reads up to the end of the file, even if it has grown. This is true of
            compressed files, and of formats such as Parquet.

    Raises:
        DataError: The file is gone, was replaced or truncated, or it has grown and is read whole.
    """
    try:
        change = change_of(file)
    except OSError as error:
        raise DataError(f"{file.path}: cannot be read: {error.strerror}.", hint=_HINT) from None
    if change is Change.REPLACED or (change is Change.GROWN and is_read_whole):
        raise DataError(
            f"{file.path}: the file has changed since it was found: it had {file.size:,} bytes of "
            f"{_shown(file.modified)}, now it is {'longer' if change is Change.GROWN else 'another file'}. "
            "Rows of it that are not committed yet can no longer be read.",
            hint=_HINT,
        )


_HINT = (
    "bring the file back as it was and run again: it goes on from there. With a checkpoint you can also run "
    f"once with --recover {READ} (the file is read as it is now, if none of its rows are committed) or "
    f"--recover {SKIP} (its rows that are not committed are left out). Otherwise begin again with an empty "
    "checkpoint folder and an empty sink. Write new rows into new files, under a name that begins with '.' "
    "or '_' until they are whole"
)


def _digest(path: str, size: int) -> str:
    """Return the digest of the first and last bytes of a file's first `size` bytes."""
    with Path(path).open("rb") as stream:
        data = stream.read(min(_PART, size))
        if size > _PART:
            stream.seek(max(_PART, size - _PART))
            data += stream.read(min(_PART, size - _PART))
    return hashlib.blake2b(data, digest_size=8).hexdigest()


def _shown(milliseconds: int) -> str:
    return datetime.fromtimestamp(milliseconds / 1000, timezone.utc).strftime("%Y-%m-%d %H:%M:%S UTC")
