"""Files in a checkpoint from which Spark loads one version of its state.

Version V of a state is the state after micro-batch V - 1. Spark keeps it in the folder of each partition:

    V.zip, SSTs/*   a snapshot: the archive names the SST files that belong to it
    V.changelog     the changes of micro-batch V - 1

Spark loads the newest snapshot up to the wanted version, then all later changelogs. The files never change
once the micro-batch is committed. Spark removes the files of old versions.
"""

from __future__ import annotations

import errno
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from firesteel.spark.checkpoint.snapshots import SSTS, is_whole, sst_sizes

_FILE = re.compile(r"(\d+)(?:_[^.]+)?\.(zip|changelog)")
_SNAPSHOT, _CHANGELOG = "zip", "changelog"
_CHECKSUM = ".crc"
"""Suffix of the file with Spark's checksum of another file."""


def state_files(state: Path, version: int) -> Iterator[Path]:
    """Yield the snapshots and changelogs from which Spark loads one version of the states of all operators.

    Args:
        state: Folder of the states in Spark's checkpoint.
        version: The version.

    Raises:
        FileNotFoundError: A file is missing: Spark has just removed it, or the checkpoint is damaged.
    """
    for partition in sorted(state.glob("[0-9]*/[0-9]*")):
        for folder in _stores(partition):
            yield from _files_of_store(folder, version)


def metadata_files(state: Path, last: int) -> Iterator[Path]:
    """Yield the files that describe the operators and the schemas of their states.

    If the layout of a state changes in a micro-batch, Spark writes a new description file. Its name is the
    number of this micro-batch.

    Args:
        state: Folder of the states in Spark's checkpoint.
        last: Number of a micro-batch. Description files with a higher number are left out.
    """
    for path in sorted(state.glob("[0-9]*/_*/**/*")):
        is_later = path.name.isdigit() and path.parent.name == "v2" and int(path.name) > last
        if path.is_file() and not (is_later or path.name.startswith(".") or path.suffix == ".tmp"):
            yield path


def _stores(partition: Path) -> Iterator[Path]:
    """Yield the folders of a partition's state stores: of the default store, and of named stores in it."""
    yield partition
    for folder in sorted(partition.iterdir()):
        if folder.is_dir() and folder.name != SSTS and folder.name[0] not in "._":
            yield folder


def _files_of_store(folder: Path, version: int) -> Iterator[Path]:
    found: dict[str, dict[int, list[Path]]] = {_SNAPSHOT: defaultdict(list), _CHANGELOG: defaultdict(list)}
    for path in folder.iterdir():
        if (named := _FILE.fullmatch(path.name)) and int(named[1]) <= version:
            found[named[2]][int(named[1])].append(path)
    if not any(found.values()) and any(path.is_dir() for path in folder.iterdir()):
        return  # The partition has only named stores.
    snapshots = {v: files for v, files in found[_SNAPSHOT].items() if all(map(is_whole, files))}
    begin = max(snapshots, default=0)
    for snapshot in snapshots.get(begin, ()):
        yield from _with_checksum(snapshot)
        for name in _ssts(snapshot):
            yield from _with_checksum(folder / SSTS / name)
    for number in range(begin + 1, version + 1):
        if number not in found[_CHANGELOG]:
            raise FileNotFoundError(errno.ENOENT, "missing", str(folder / f"{number}.{_CHANGELOG}"))
        for changelog in found[_CHANGELOG][number]:
            yield from _with_checksum(changelog)


def _ssts(snapshot: Path) -> list[str]:
    """Return the SST files of a snapshot, or all SST files if the format of its metadata is unknown."""
    try:
        return [*sst_sizes(snapshot)]
    except (KeyError, TypeError, ValueError):
        return [path.name for path in (snapshot.parent / SSTS).iterdir() if path.suffix != _CHECKSUM]


def _with_checksum(path: Path) -> Iterator[Path]:
    yield path
    if (checksum := path.with_name(f"{path.name}{_CHECKSUM}")).exists():
        yield checksum
