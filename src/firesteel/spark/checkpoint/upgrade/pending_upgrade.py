"""Completion of an upgrade that has written the new folders of a checkpoint's statements.

    .upgraded.tmp/   the new folders, while they are written: worth nothing if the process ends
    upgraded/        the same folder, renamed when all files in it are durable: from then on they count

Each new folder then takes the place of the statement's folder. Each step can be repeated: the next process
that opens the checkpoint completes an interrupted upgrade. All statements of the checkpoint are therefore the
old ones until the rename, and the new ones after it.
"""

from __future__ import annotations

import shutil
from pathlib import Path

from firesteel.durability import sync_folder
from firesteel.spark.checkpoint.lock import RUN_FILE, CheckpointLock, local_folder

DRAFT, PENDING = ".upgraded.tmp", "upgraded"
_BEFORE = ".before"
"""Folder in `upgraded` that the folders of before are moved to."""


def complete_upgrade_if_interrupted(checkpoint: str) -> None:
    """Complete the upgrade of a checkpoint, if one was interrupted.

    Raises:
        UsageError: Another command holds the checkpoint.
        OSError: The folder cannot be written.
    """
    folder = local_folder(checkpoint)
    if folder is None or not (folder / PENDING).is_dir():
        return
    lock = CheckpointLock(folder, RUN_FILE)
    try:
        complete_upgrade(folder)
    finally:
        lock.release()


def decide_upgrade(checkpoint: Path) -> None:
    """Make the new folders of a checkpoint count, and complete the upgrade. Their files are durable."""
    (checkpoint / DRAFT).rename(checkpoint / PENDING)
    sync_folder(checkpoint)
    complete_upgrade(checkpoint)


def complete_upgrade(checkpoint: Path) -> None:
    """Complete the upgrade of a checkpoint, if one was interrupted. The caller holds its lock.

    Raises:
        OSError: The folder cannot be written.
    """
    shutil.rmtree(checkpoint / DRAFT, ignore_errors=True)
    pending = checkpoint / PENDING
    if not pending.is_dir():
        return
    before = pending / _BEFORE
    before.mkdir(exist_ok=True)
    for new in sorted(pending.iterdir()):
        if new == before:
            continue
        old = checkpoint / new.name
        if old.is_dir():
            shutil.rmtree(before / new.name, ignore_errors=True)
            old.rename(before / new.name)
        new.rename(old)
        sync_folder(checkpoint)
    shutil.rmtree(pending)
    sync_folder(checkpoint)
