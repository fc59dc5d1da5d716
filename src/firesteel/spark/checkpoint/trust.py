"""Check that other users of this machine cannot have written a checkpoint.

A checkpoint can hold pickles: accumulators of user-defined functions and watermark generators are Python
objects. A pickle can run any code, so a job does not continue from a checkpoint that others can write.
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
    """Create a checkpoint's folder for this user alone. An existing folder is not changed.

    Raises:
        OSError: The folder cannot be created.
    """
    folder.parent.mkdir(parents=True, exist_ok=True)
    folder.mkdir(mode=PRIVATE_FOLDER, exist_ok=True)


def check_trust(folder: Path, checkpoint: str) -> None:
    """Check that only this user and root can have written a checkpoint.

    The content of a folder that others cannot enter is not checked.

    Raises:
        UsageError: Other users can have written to it.
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
    """Yield all files and folders in a folder, except symbolic links of this user: others cannot set them."""
    for parent, folders, files in os.walk(folder):
        for name in (*folders, *files):
            path = Path(parent, name)
            if not (path.is_symlink() and path.lstat().st_uid == os.getuid()):
                yield path
