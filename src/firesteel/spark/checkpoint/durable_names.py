"""Syncs of single files in a checkpoint, right after they are written.

checkpoint/sync.py syncs Spark's own files and files that can wait for the next micro-batch. The functions do
nothing for checkpoints on file systems of other machines.
"""

from __future__ import annotations

from firesteel.durability import sync_file, sync_folder
from firesteel.spark.checkpoint.lock import local_folder


def sync_name(checkpoint: str, name: str) -> None:
    """Make a file in a checkpoint on this machine durable: its content, and its name in the folder.

    Raises:
        FileNotFoundError: The file does not exist.
    """
    folder = local_folder(checkpoint)
    if folder is not None:
        sync_file(folder / name)
        sync_folder((folder / name).parent)


def sync_folder_name(checkpoint: str, name: str) -> None:
    """Make the file names in a folder of a checkpoint on this machine durable, if the folder exists."""
    folder = local_folder(checkpoint)
    if folder is not None and (folder / name).is_dir():
        sync_folder(folder / name)
