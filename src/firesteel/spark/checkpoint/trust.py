"""Whether other users of this machine could have written a checkpoint.

A checkpoint can hold pickles: accumulators of user-defined functions and generators of watermarks are Python
objects. Who writes a pickle decides what code runs, so a job does not go on from one that others may write.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

from firesteel.errors import UsageError
from firesteel.file_trust import PRIVATE_FOLDER, distrust, first_distrusted

OPTION = "firesteel.checkpoint.allow-writable-by-others"
_LOOK_INSIDE = stat.S_IXGRP | stat.S_IXOTH


def make_folder(folder: Path) -> None:
    """Make a checkpoint's folder, for this user alone; one that is there stays as it is.

    Raises:
        OSError: If it cannot be made.
    """
    folder.parent.mkdir(parents=True, exist_ok=True)
    folder.mkdir(mode=PRIVATE_FOLDER, exist_ok=True)


def check_trust(folder: Path, checkpoint: str) -> None:
    """See that only this user and root could have written a checkpoint.

    Below a folder that others cannot enter nothing is looked at.

    Raises:
        UsageError: If others could have written to it.
    """
    reason = distrust(folder, follow_links=True)
    found = None if reason is None else (folder, reason)
    if found is None and folder.stat().st_mode & _LOOK_INSIDE:
        found = first_distrusted(_inside(folder))
    if found is None:
        return
    path, reason = found
    raise UsageError(
        f"the checkpoint {checkpoint} is not used: {path}: {reason}; what is in it can run as code",
        hint=f"take the right to write from others (chmod -R go-w {folder}), or, if you trust them, set "
        f"'{OPTION}' = 'true' (firesteel: --set)",
    )


def _inside(folder: Path) -> Iterator[Path]:
    """Everything in a folder but symbolic links of this user, which are as good as its files."""
    for parent, folders, files in os.walk(folder):
        for name in (*folders, *files):
            path = Path(parent, name)
            if not (path.is_symlink() and path.lstat().st_uid == os.getuid()):
                yield path
