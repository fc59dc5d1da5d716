"""Error for a job that ended because a disk is full: it names the full folder."""

from __future__ import annotations

import os
import re
import shutil
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from firesteel.errors import JobError
from firesteel.spark.checkpoint.lock import local_folder
from firesteel.spark.temporary import process_folder

if TYPE_CHECKING:
    from pyspark import SparkContext

_FULL = ("No space left on device", "Disk quota exceeded", "File too large")
_CUT_OFF = "EOFError"
"""Error of a Python worker whose connection to the JVM has ended without a message.

A full disk is one cause: the JVM's thread that writes the worker's keyed state fails, and ends.
"""
_LITTLE = 1 << 20
"""Free bytes of a disk below which it counts as full."""
_PATH = re.compile(r"(?:file:)?(/[^\s:'\"]+)['\"]?:? *(?:\(|: *)?(?:" + "|".join(_FULL) + ")")
_TEMPORARY = re.compile(
    r"\.(?:shuffle\.|storage\.(?:Disk|Block)|util\.collection\.|memory\.\w*Spill|execution\.UnsafeExternal)"
    r"|streaming\.state\.RocksDB(?:\.|\$|FileManager)|RocksDBException"
)
"""Classes of Spark that write temporary files."""
_CHECKPOINT = re.compile(
    r"CheckpointFileManager|MetadataLog|OffsetSeqLog|CommitLog|ChecksumFile|hadoop\.fs\."
)


def full_disk(error: BaseException, checkpoint: str | None, temporary: Sequence[str] = ()) -> JobError | None:
    """Return an error that names the full folder, if a job ended because a disk is full.

    Args:
        error: Exception of Spark or of a worker.
        checkpoint: The job's checkpoint, None if it has none.
        temporary: Spark's folders for temporary files, if they are known.

    Returns:
        The error; None if `error` does not come from a full disk.
    """
    text = f"{error}\n{getattr(error, '_stackTrace', None) or ''}"
    kept = local_folder(checkpoint) if checkpoint is not None else None
    short_lived = [*map(Path, temporary)] or [Path(tempfile.gettempdir())]
    folders = [folder for folder in (kept, *short_lived) if folder is not None]
    said = next((words for words in _FULL if words in text), None)
    full = [folder for folder in folders if _free(folder) < _LITTLE]
    if said is None and full and _CUT_OFF in text:
        said = _FULL[0]
    if said is None:
        return None
    found = _named(text, folders) or full or _by_class(text, kept, short_lived) or folders
    return JobError(
        f"{said[0].lower()}{said[1:]}: {' or '.join(map(str, found))}",
        hint="make room and run it again: it goes on from its checkpoint"
        if checkpoint
        else "make room there",
    )


def local_folders(context: SparkContext) -> list[str]:
    """Return Spark's folders for temporary files.

    Firesteel has a temporary folder for each process. If Spark's folder is inside of that of this process,
    the parent of the process's folder is returned instead.
    """
    own = os.environ.get("SPARK_LOCAL_DIRS")
    if not own:
        with suppress(Exception):  # a JVM that has ended does not answer
            own = context.getConf().get("spark.local.dir")
    folders = [Path(folder) for folder in (own or "").split(",") if folder]
    inside = process_folder()
    return [str(inside.parent if inside in folder.parents else folder) for folder in folders]


def _named(text: str, folders: Sequence[Path]) -> list[Path]:
    """Return a folder around the file that an error text names, as a list of one; [] if it names no file.

    The folder is the first of these that there is:

    1. the innermost one of `folders` around the file
    2. the innermost folder around the file that exists on this machine, except `/`
    3. the file's own folder: the file is on another machine
    """
    if (file := _PATH.search(text)) is None:
        return []
    path = Path(file[1])
    known = [folder for folder in folders if folder in path.parents]
    if known:
        return [max(known, key=lambda folder: len(folder.parts))]
    there = next(parent for parent in path.parents if parent.exists())
    return [there if there != Path(path.root) else path.parent]


def _by_class(text: str, kept: Path | None, short_lived: list[Path]) -> list[Path]:
    """Return the folders to which the class of Spark that failed writes; [] if the class is not known.

    Some of Spark's classes write temporary files, others the checkpoint. The first such class in the stack
    trace of the innermost cause decides. The disks themselves may not show which one was full: Spark may
    have removed the files of the failed work.

    Args:
        text: Text and stack trace of the error.
        kept: Folder of the checkpoint on this machine; None if there is none.
        short_lived: Spark's folders for temporary files.
    """
    stack = text.rpartition("Caused by: ")[2]
    places = ((_TEMPORARY, short_lived), (_CHECKPOINT, [] if kept is None else [kept]))
    hits = [(hit.start(), folders) for pattern, folders in places if (hit := pattern.search(stack))]
    return min(hits, key=lambda one: one[0])[1] if hits else []


def _free(folder: Path) -> int:
    there = next((path for path in (folder, *folder.parents) if path.exists()), folder)
    try:
        return shutil.disk_usage(there).free
    except OSError:
        return _LITTLE
