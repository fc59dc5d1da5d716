"""Completion of a rescale that has written all new files of a statement's checkpoint.

    .rescaled.tmp/   the new files, while they are written: worth nothing if the process ends
    rescaled/        the same folder, renamed when all files in it are durable: from then on they count

The new files are then moved into the statement's folder. Each step can be repeated: the next process that
opens the checkpoint completes an interrupted rescale. The checkpoint is therefore the old one until the
rename, and the new one after it.
"""

from __future__ import annotations

import shutil
from pathlib import Path

from firesteel.durability import sync_folder
from firesteel.spark.checkpoint.lock import CheckpointLock, local_folder

DRAFT, PENDING = ".rescaled.tmp", "rescaled"
_BEFORE = "before"
"""Folder in `rescaled` that the files of before are moved to."""


def complete_if_interrupted(checkpoint: str) -> None:
    """Complete the rescale of a statement's folder, if one was interrupted.

    Raises:
        UsageError: Another run holds the folder.
        OSError: The folder cannot be written.
    """
    folder = local_folder(checkpoint)
    if folder is None or not (folder / PENDING).is_dir():
        return
    lock = CheckpointLock(folder)
    try:
        complete(folder)
    finally:
        lock.release()


def decide(folder: Path) -> None:
    """Make the new files in a statement's folder count, and complete the rescale. The files are durable."""
    (folder / DRAFT).rename(folder / PENDING)
    sync_folder(folder)
    complete(folder)


def complete(folder: Path) -> None:
    """Complete the rescale of a statement's folder, if one was interrupted. The caller holds the lock.

    Raises:
        OSError: The folder cannot be written.
    """
    shutil.rmtree(folder / DRAFT, ignore_errors=True)
    pending = folder / PENDING
    if not pending.is_dir():
        return
    before = pending / _BEFORE
    before.mkdir(exist_ok=True)
    for new in sorted(pending.iterdir()):
        old = folder / new.name
        if new == before:
            continue
        if old.is_dir():
            shutil.rmtree(before / new.name, ignore_errors=True)
            old.rename(before / new.name)
        new.replace(old)
        sync_folder(folder)
    shutil.rmtree(pending)
    sync_folder(folder)
