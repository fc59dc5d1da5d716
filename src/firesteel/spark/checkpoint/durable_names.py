"""Syncs of single files in a checkpoint, as they are written.

What Spark writes, and what can wait for the next micro-batch, is synced by sync.py. Checkpoints on
file systems other than this machine's are left to these.
"""

from __future__ import annotations

from firesteel.durability import sync_file, sync_folder
from firesteel.spark.checkpoint.lock import local_folder


def sync_name(checkpoint: str, name: str) -> None:
    """Make a file in a checkpoint on this machine durable, with its name.

    Raises FileNotFoundError where it is not there.
    """
    folder = local_folder(checkpoint)
    if folder is not None:
        sync_file(folder / name)
        sync_folder((folder / name).parent)


def sync_folder_name(checkpoint: str, name: str) -> None:
    """Make the names in a folder of a checkpoint on this machine durable, if the folder is there."""
    folder = local_folder(checkpoint)
    if folder is not None and (folder / name).is_dir():
        sync_folder(folder / name)
