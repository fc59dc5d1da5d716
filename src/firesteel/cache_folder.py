"""Cache folder for files that are made once on a machine: class-data archives and compiled kernels.

Code is loaded from it, so it is used only if no other user could have written to it (file_trust.py).
"""

from __future__ import annotations

import os
import shutil
import stat
import time
from collections.abc import Iterable
from pathlib import Path
from uuid import uuid4

from firesteel.file_trust import PRIVATE_FILE, distrust, distrust_status, make_private
from firesteel.notices import say

_OWN = "FIRESTEEL_CACHE_DIR"
_TOLD = "FIRESTEEL_CACHE_NOT_USED"
"""Environment variable with the reason for not using the cache, set by the process that printed the reason.

Child processes inherit the variable, and do not print the same reason again.
"""
_NAMES = ("jvm", "kernels", "flink")
"""Folders in the cache folder. If one of them is not trusted, none is used."""
UNUSED = 30 * 86_400.0
"""Seconds after which an unused folder is deleted."""


def cache_folder() -> Path:
    """Return FIRESTEEL_CACHE_DIR if set, else `firesteel` in the user's cache folder.

    Raises:
        RuntimeError: The user has no home folder.
    """
    own = os.environ.get(_OWN)
    if own:
        return Path(own)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "firesteel"


def private_cache_folder(name: str) -> Path:
    """Make a folder in the cache folder that only this user can access, and return it.

    If others could have written to the cache folder or to one of its folders, no folder is made. The first
    process of a job then prints a notice.

    Raises:
        OSError: The folder cannot be made, or others could have written to the cache folder.
        RuntimeError: The user has no home folder.
    """
    reason = _why_not_used()
    if reason is not None:
        _tell_once(reason)
        raise PermissionError(reason)
    folder = cache_folder() / name
    make_private(folder)
    return folder


def _why_not_used() -> str | None:
    """Return why others could have written to the cache folder or a folder in it, None if they could not."""
    root = cache_folder()
    if not (os.environ.get(_OWN) and root.exists()):
        make_private(root)
    if root.exists():
        reason = distrust(root, follow_links=True)
        if reason is not None and not _keeps_names(root.stat()):
            return f"{root}: {reason}"
    for name in _NAMES:
        folder = root / name
        if os.path.lexists(folder):
            make_private(folder)
            reason = distrust(folder)
            if reason is not None:
                return f"{folder}: {reason}"
    return None


def _keeps_names(status: os.stat_result) -> bool:
    """Return whether this user's folders in a shared folder like /tmp are safe from replacement by others.

    True if the shared folder has the sticky bit, and its owner is this user or root. With the sticky bit,
    users can rename and delete only what they own. The owner of the shared folder is the exception, and must
    therefore be trusted.

    Args:
        status: Status of the shared folder.
    """
    return bool(status.st_mode & stat.S_ISVTX) and status.st_uid in (os.getuid(), 0)


def _tell_once(reason: str) -> None:
    if os.environ.get(_TOLD) != reason:
        os.environ[_TOLD] = reason  # inherited by the processes of this job
        say(
            f"The cache is not used, and the start is slower: {reason}. "
            f"Delete it, or set {_OWN} to a folder of your own."
        )


def read_trusted(file: Path) -> bytes:
    """Return the content of a file that no other user could have written.

    Raises:
        OSError: The file does not exist, is a symbolic link, or others could have written it.
    """
    with os.fdopen(os.open(file, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0)), "rb") as stream:
        reason = distrust_status(os.fstat(stream.fileno()))
        if reason is not None:
            raise PermissionError(f"{file}: {reason}")
        return stream.read()


def write_private(file: Path, data: bytes) -> None:
    """Write a file that only this user can access, completely or not at all.

    The temporary name is unique, because processes of containers that share the folder may have equal process
    ids.

    Raises:
        OSError: The file cannot be written.
    """
    temporary = file.with_name(f"{uuid4().hex}.tmp")
    try:
        opened = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, PRIVATE_FILE)
        with os.fdopen(opened, "wb") as stream:
            stream.write(data)
        temporary.replace(file)
    except OSError:
        temporary.unlink(missing_ok=True)
        raise


def forget_unused(folders: Iterable[Path], seconds: float = UNUSED) -> None:
    """Delete those of the folders whose last modification is more than `seconds` ago."""
    for folder in folders:
        if time.time() - folder.stat().st_mtime > seconds:
            shutil.rmtree(folder, ignore_errors=True)
