"""Completion of a command that has written new files of a checkpoint.

    .rescaled.tmp/   the new files while they are written. If the process ends, they are not used.
    rescaled/        the same folder, renamed when all its files are durable. From then on they are used.

After the rename, each entry of the folder replaces the checkpoint's entry of the same name. If the process
ends meanwhile, the next process that opens the checkpoint repeats these steps. So the checkpoint is the old
one until the rename, and the new one after it.
"""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path

from firesteel.durability import sync_folder
from firesteel.spark.checkpoint.lock import FILE, RUN_FILE, CheckpointLock, local_folder


@dataclass(frozen=True)
class PendingChange:
    """A kind of change that replaces entries of a folder at once.

    Attributes:
        name: Name of the folder with the new entries.
        before: Name of the folder in it that the replaced entries are moved to.
        lock: File of the lock that a command must hold.
    """

    name: str
    before: str
    lock: str

    @property
    def draft(self) -> str:
        """Name of the folder while it is written."""
        return f".{self.name}.tmp"

    def decide(self, folder: Path) -> None:
        """Rename the draft, so that its entries count, and complete the change. Its files must be durable."""
        (folder / self.draft).rename(folder / self.name)
        sync_folder(folder)
        self.complete(folder)

    def complete_if_interrupted(self, checkpoint: str) -> None:
        """Complete the change of a folder, if one was interrupted.

        Raises:
            UsageError: Another command holds the folder.
            OSError: The folder cannot be written.
        """
        folder = local_folder(checkpoint)
        if folder is None or not (folder / self.name).is_dir():
            return
        lock = CheckpointLock(folder, self.lock)
        try:
            self.complete(folder)
        finally:
            lock.release()

    def complete(self, folder: Path) -> None:
        """Complete the change of a folder, if one was interrupted. The caller holds the lock.

        Raises:
            OSError: The folder cannot be written.
        """
        shutil.rmtree(folder / self.draft, ignore_errors=True)
        pending = folder / self.name
        if not pending.is_dir():
            return
        before = pending / self.before
        before.mkdir(exist_ok=True)
        for new in sorted(pending.iterdir()):
            if new == before:
                continue
            old = folder / new.name
            if old.is_dir():
                shutil.rmtree(before / new.name, ignore_errors=True)
                old.rename(before / new.name)
            new.replace(old)
            sync_folder(folder)
        shutil.rmtree(pending)
        sync_folder(folder)


RESCALE = PendingChange("rescaled", "before", FILE)
"""A rescale, in the folder of a statement."""
UPGRADE = PendingChange("upgraded", ".before", RUN_FILE)
"""An upgrade, in the folder of a checkpoint. Its entries are the folders of statements."""
