"""Ways to continue with files that have changed after a micro-batch was planned with them.

Such a file ends the job (changes.py). The user may choose to read the changed file, or to leave out its
uncommitted rows. Both choices change the file's entry in the log of files (log.py), but not the planned
micro-batch.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from firesteel.connectors.base import Offset
from firesteel.connectors.filesystem.changes import SKIP, Change, change_of, with_digest
from firesteel.connectors.filesystem.log import FileLog
from firesteel.connectors.filesystem.splits import FileInfo
from firesteel.errors import NotSupportedError


def mended_files(
    log: FileLog, committed: Offset, way: str, is_read_whole: Callable[[FileInfo], bool]
) -> dict[str, FileInfo]:
    """Return new log entries for files that have changed and have rows that are not committed yet.

    Args:
        log: The log of a source.
        committed: Offset up to which rows are committed.
        way: READ or SKIP.
        is_read_whole: Function that returns True for a file that a reader reads up to its end, even if the
            file has grown. Such a file has changed also if rows were only appended.

    Returns:
        The new entries of changed files, by path. With READ, they describe the files as they are now. With
        SKIP, they are the old entries with `left_out=True`: no more rows of these files are read.

    Raises:
        NotSupportedError: With READ, some rows of a changed file are committed, or a file is gone.
    """
    changed = {}
    for place in range(committed["file"], len(log.files)):
        file = log.files[place]
        if not file.left_out and _has_changed(file, is_read_whole=is_read_whole(file)):
            read = committed["byte"] if place == committed["file"] else 0
            changed[file.path] = replace(file, left_out=True) if way == SKIP else _as_it_is(file, read)
    return changed


def _has_changed(file: FileInfo, *, is_read_whole: bool) -> bool:
    try:
        change = change_of(file)
    except OSError:
        return True
    return change is Change.REPLACED or (change is Change.GROWN and is_read_whole)


def _as_it_is(file: FileInfo, read: int) -> FileInfo:
    hint = f"bring the file back as it was, or run once with --recover {SKIP}"
    if read:
        raise NotSupportedError(
            f"{file.path}: cannot be read as it is now: rows of its first {read:,} bytes, as it was, are "
            "committed.",
            hint=hint,
        )
    try:
        status = Path(file.path).stat()
    except OSError as error:
        raise NotSupportedError(
            f"{file.path}: cannot be read as it is now: {error.strerror}.", hint=hint
        ) from None
    return with_digest(FileInfo(file.path, status.st_size, status.st_mtime_ns // 1_000_000))
