"""Removal of unusable RocksDB snapshots from a checkpoint on this machine, before a job continues from it.

Spark begins with the newest snapshot up to the version that it wants, and reads changelogs from there on. A
crash or a power cut can leave two kinds of snapshots that lead to a wrong state or to an error:

    of a later version     A failed attempt of a micro-batch wrote it. If the batch gets other rows when it
                           runs again, its changelog is replaced, but the snapshot stays.
    with lost SST files    `VERSION.zip` was on the disk, and a file of `SSTs/` that it names was not.

Both kinds are removed. Spark then begins with an older snapshot and has all later changelogs.
"""

from __future__ import annotations

import json
import zipfile
import zlib
from collections import defaultdict
from pathlib import Path
from typing import Any

from firesteel.spark.checkpoint.batch_origins import batches
from firesteel.spark.checkpoint.fingerprint import SPARK
from firesteel.spark.checkpoint.lock import local_folder
from firesteel.spark.internals.hadoop_files import delete, files_under

_VERSIONED = ("zip", "changelog")
"""Suffixes of snapshots and changelogs, whose names begin with the version of the state."""
SSTS = "SSTs"
"""Folder of the SST files beside the snapshots."""
_METADATA = "metadata"
"""File in a snapshot that names its SST files: a line `v1`, then JSON."""


def remove_useless_snapshots(context: Any, checkpoint: str) -> None:
    """Remove the snapshots that would lead to a wrong state or to an error.

    Args:
        context: The SparkContext.
        checkpoint: The statement's folder. On file systems of other machines, nothing is removed.
    """
    folder = local_folder(checkpoint)
    if folder is None:
        return
    wanted = first_batch(context, checkpoint)
    found: dict[Path, list[tuple[int, Path]]] = defaultdict(list)
    for path in (folder / SPARK / "state").glob("**/*.zip"):
        number = path.stem.split("_")[0]
        if number.isdigit():
            found[path.parent].append((int(number), path))
    for snapshots in found.values():
        for version, path in sorted(snapshots, reverse=True):
            if version <= wanted and is_whole(path):
                break
            path.unlink()
            (path.parent / f".{path.name}.crc").unlink(missing_ok=True)


def remove_versions_after(context: Any, checkpoint: str, version: int) -> None:
    """Remove snapshots and changelogs of later versions, because the checkpoint goes back to this version.

    Spark writes these versions again, with other content. It may keep a file of the same name as it is.
    """
    for file in files_under(context, f"{checkpoint}/{SPARK}/state"):
        name = file.rpartition("/")[2]
        number, _, kind = name.partition(".")
        if kind in _VERSIONED and number.split("_")[0].isdigit() and int(number.split("_")[0]) > version:
            delete(context, file)


def first_batch(context: Any, checkpoint: str) -> int:
    """Return the number of the batch that Spark runs first. It is also the state version that Spark loads.

    The last planned batch runs again if it is not committed.
    """
    planned = batches(context, checkpoint, "offsets")
    committed = batches(context, checkpoint, "commits")
    last = planned[-1] if planned else -1
    return last + (last < 0 or committed[-1:] == [last])


def is_whole(snapshot: Path) -> bool:
    """Return whether a snapshot can be read and all its SST files exist with the right sizes."""
    try:
        sizes = sst_sizes(snapshot)
    except (zipfile.BadZipFile, zlib.error, EOFError):
        return False
    except (KeyError, TypeError, ValueError):  # Metadata of an unknown form cannot be checked: keep the file.
        return True
    return all(_size(snapshot.parent / SSTS / name) == size for name, size in sizes.items())


def sst_sizes(snapshot: Path) -> dict[str, int]:
    """Return the SST files that a snapshot names, by their names in `SSTs/`, with their sizes in bytes.

    Raises:
        zipfile.BadZipFile, zlib.error, EOFError: The archive is damaged.
        KeyError, TypeError, ValueError: Its metadata has an unknown form.
    """
    with zipfile.ZipFile(snapshot) as archive:
        named = json.loads(archive.read(_METADATA).partition(b"\n")[2])["sstFiles"]
    return {each["dfsSstFileName"]: each["sizeBytes"] for each in named}


def _size(file: Path) -> int | None:
    return file.stat().st_size if file.exists() else None
