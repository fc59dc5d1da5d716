"""Checks whether other users of this machine could have written a file or a folder.

Code is loaded only from files of this user or of root that no other user may write. On a system without user
ids everything is trusted.
"""

from __future__ import annotations

import functools
import os
import stat
from collections.abc import Iterable
from pathlib import Path

PRIVATE_FOLDER, PRIVATE_FILE = 0o700, 0o600
_ROOT = 0


def distrust(path: Path, *, follow_links: bool = False) -> str | None:
    """Return why others could have written a file or a folder.

    Args:
        path: Path of the file or folder.
        follow_links: Whether a symbolic link stands for its target. If False, a link is not trusted.

    Returns:
        A clause such as `user 1001 owns it`, None if the path is trusted.

    Raises:
        OSError: The path does not exist or cannot be read.
    """
    return distrust_status(path.stat() if follow_links else path.lstat())


def distrust_status(status: os.stat_result) -> str | None:
    """Return why others could have written the file or folder with this status, None if they could not."""
    if not hasattr(os, "getuid"):
        return None
    if status.st_uid not in (os.getuid(), _ROOT):
        return f"user {_user_name(status.st_uid)} owns it"
    if stat.S_ISLNK(status.st_mode):
        return "it is a symbolic link"
    if status.st_mode & stat.S_IWOTH:
        return "every user may write to it"
    if status.st_mode & stat.S_IWGRP and not _is_own_group(status.st_gid):
        return f"group {status.st_gid} may write to it"
    return None


def first_distrusted(paths: Iterable[Path]) -> tuple[Path, str] | None:
    """Return the first path that others could have written, and the reason. Missing paths are skipped."""
    for path in paths:
        try:
            reason = distrust(path)
        except FileNotFoundError:
            continue
        if reason is not None:
            return path, reason
    return None


def make_private(folder: Path) -> None:
    """Make a folder that only this user can access. If this user's own folder exists, close it to others.

    Raises:
        OSError: The folder cannot be made or changed.
    """
    folder.parent.mkdir(parents=True, exist_ok=True)
    try:
        folder.mkdir(mode=PRIVATE_FOLDER)
    except FileExistsError:
        status = folder.lstat()
        is_own = hasattr(os, "getuid") and status.st_uid == os.getuid() and stat.S_ISDIR(status.st_mode)
        if is_own and distrust_status(status) is not None:
            folder.chmod(PRIVATE_FOLDER)


@functools.cache
def _is_own_group(group: int) -> bool:
    """Return whether only this user is in a group. Many systems give each user such a group."""
    try:
        import grp
        import pwd

        name = pwd.getpwuid(os.getuid()).pw_name
        found = grp.getgrgid(group)
    except (ImportError, KeyError):
        return False
    return found.gr_name == name and set(found.gr_mem) <= {name}


def _user_name(user: int) -> str:
    try:
        import pwd

        return pwd.getpwuid(user).pw_name
    except (ImportError, KeyError):
        return str(user)
