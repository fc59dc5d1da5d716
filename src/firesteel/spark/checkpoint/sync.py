"""Durability of Spark's files in a checkpoint on this machine, which Spark itself does not sync.

A power cut could lose offsets, commits and state whose results a sink already has. A job therefore syncs the
new files of the checkpoint twice in each micro-batch:

    before a sink gets anything        the offsets of the batch, and all files of earlier batches
    before Spark commits the batch     the state that the tasks of the batch have written

If a batch is run again, it needs the state that the previous batch has written. So this state is synced
before a sink gets rows. After the commit, the next batch needs the state of this batch.

Both syncs run in a thread, while the batch computes. The batch waits for the end of the first sync before it
delivers rows to sinks, and for the end of the second sync before its commit.

Files on other file systems (HDFS, S3) are not synced: there, a file is durable as soon as it is closed.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

from firesteel.durability import sync_file, sync_folder
from firesteel.errors import JobError
from firesteel.spark.checkpoint.sink_positions import FOLDER

_AT_ONCE = 8
"""Number of parallel syncs. A file system with a journal completes many of them at once."""
_DRAFT = ".tmp"
"""Suffix of files that Spark is still writing."""


_UNSYNCED = (FOLDER,)
"""Names of folders whose files may be lost in a power cut (sink_positions.py)."""
_RENAMED = (".changelog", ".zip")
"""Suffixes of the files that Spark renames when they are complete.

Spark also renames the files whose name is a number.
"""

_Version = tuple[int, ...]
"""Version of a file: its inode if Spark renames the complete file (_RENAMED), else also its size and time.

Spark writes other files, such as copies of SST files, under their final names. A sync may happen while such a
file is half written. The next sync then sees another size or time, and syncs the file again.
"""


class CheckpointSync:
    """Sync of the new files of a checkpoint's folder. An unchanged file is synced only once."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._seen: dict[str, dict[str, _Version]] = {}
        self._turns = ThreadPoolExecutor(1, "checkpoint-sync")
        self._workers = ThreadPoolExecutor(_AT_ONCE, "sync")
        self._above = [folder.parent, *folder.parent.parents[:1]]

    def begin(self) -> Future[None]:
        """Begin to sync the files that are new now, in a thread. Give the result to `ended` to wait."""
        return self._turns.submit(self._run)

    def ended(self, begun: Future[None]) -> None:
        """Wait for the end of a sync that `begin` has started.

        Raises:
            JobError: The disk fails.
        """
        try:
            begun.result()
        except OSError as error:
            raise JobError(
                f"the checkpoint {self._folder} cannot be made durable: {error.strerror}: {error.filename}",
                hint="the sinks have not got the micro-batch; run the job again when the disk is well",
            ) from None

    def close(self) -> None:
        """Wait for all syncs and end the threads."""
        self._turns.shutdown()
        self._workers.shutdown()

    def _run(self) -> None:
        files: list[Path] = []
        folders: list[Path] = []
        for folder, new in self._changed():
            folders.append(folder)
            files += new
        list(self._workers.map(_sync_file, files))
        list(self._workers.map(_sync_folder, folders))
        while self._above:
            _sync_folder(self._above.pop())

    def _changed(self) -> Iterator[tuple[Path, list[Path]]]:
        """Yield each folder that has changed since the last call, and a list of its new or changed files.

        A folder has changed if it has a new or changed file, or a new sub-folder.
        """
        waiting = [str(self._folder)]
        while waiting:
            folder = waiting.pop()
            before, now, new = self._seen.get(folder, {}), dict[str, _Version](), []
            with suppress(FileNotFoundError), os.scandir(folder) as entries:
                for entry in entries:
                    if entry.name.endswith(_DRAFT) or entry.name in _UNSYNCED:
                        continue
                    is_folder = entry.is_dir(follow_symlinks=False)
                    now[entry.name] = version = _version(entry, is_folder=is_folder)
                    if is_folder:
                        waiting.append(entry.path)
                    elif before.get(entry.name) != version:
                        new.append(Path(entry.path))
            is_new = folder not in self._seen or any(before.get(name) != now[name] for name in now)
            self._seen[folder] = now
            if is_new:
                yield Path(folder), new


def _version(entry: os.DirEntry[str], *, is_folder: bool) -> _Version:
    if is_folder or entry.name.isdigit() or entry.name.endswith(_RENAMED):
        return (entry.inode(),)
    status = entry.stat(follow_symlinks=False)
    return (status.st_ino, status.st_size, status.st_mtime_ns)


def _sync_file(path: Path) -> None:
    with suppress(FileNotFoundError):  # Spark has removed the file in the meantime.
        sync_file(path)


def _sync_folder(path: Path) -> None:
    with suppress(FileNotFoundError):
        sync_folder(path)
