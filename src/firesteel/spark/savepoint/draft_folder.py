"""Draft folder: a folder is written under a temporary name beside its target and renamed when complete."""

from __future__ import annotations

import errno
import os
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from firesteel.durability import make_folders, sync_folder
from firesteel.errors import JobError, UsageError
from firesteel.spark.checkpoint.owner import has_ended, machine
from firesteel.spark.checkpoint.trust import make_folder

_SUFFIX = ".draft"


@contextmanager
def draft_folder(target: Path) -> Iterator[Path]:
    """Make a private folder beside `target`, and rename it to `target` after the `with` block.

    If the block raises an error, the folder is removed. If the process is killed, the next draft for the same
    target removes it.

    Raises:
        UsageError: The target exists, or no folder can be made or renamed beside it.
        JobError: The disk is full, or fails.
    """
    _check_free(target)
    draft = _begin(target)
    try:
        yield draft
        _check_free(target)
        draft.rename(target)
        sync_folder(target.parent)
    except OSError as error:
        raise JobError(
            f"{target} cannot be written: {error.strerror}",
            hint="make room on the disk, or name a folder on another one"
            if error.errno in (errno.ENOSPC, errno.EDQUOT)
            else "name a folder on a disk that is well",
        ) from None
    finally:
        shutil.rmtree(draft, ignore_errors=True)


def check_space(target: Path, size: int) -> None:
    """Raise UsageError if the disk of a folder has less free space than `size` bytes."""
    there = next(path for path in (target.parent, *target.parents) if path.exists())
    free = shutil.disk_usage(there).free
    if free < size:
        raise UsageError(
            f"{target} needs {_megabytes(size)}, and the disk has {_megabytes(free)} free",
            hint="make room on the disk, or name a folder on another one",
        )


def _check_free(target: Path) -> None:
    if os.path.lexists(target):
        raise UsageError(f"{target} exists", hint="name a folder that does not exist yet")


def _begin(target: Path) -> Path:
    """Create the draft under another name and rename it, to check that this works. Return the draft."""
    draft = target.with_name(f".{target.name}.{os.getpid()}.{machine()}{_SUFFIX}")
    first = draft.with_name(f"{draft.name}.new")
    try:
        make_folders(target.parent)
        _sweep(target)
        for path in (draft, first):
            shutil.rmtree(path, ignore_errors=True)
        make_folder(first)
    except OSError as error:
        raise UsageError(f"{target} cannot be made: {error.strerror}") from None
    try:
        first.rename(draft)
    except OSError as error:
        first.rmdir()
        raise UsageError(
            f"{target} cannot be made: the file system cannot rename folders: {error.strerror}",
            hint="name a folder on another file system",
        ) from None
    return draft


def _sweep(target: Path) -> None:
    """Remove the drafts of the same target that processes of this machine have left when they ended."""
    form = re.compile(rf"\.{re.escape(target.name)}\.(\d+)\.([^.]+){re.escape(_SUFFIX)}(\.new)?")
    for path in target.parent.iterdir():
        found = form.fullmatch(path.name)
        if found and has_ended({"pid": int(found[1]), "machine": found[2]}):
            with suppress(OSError):
                shutil.rmtree(path)


def _megabytes(size: int) -> str:
    return f"{size / 1e6:.1f} MB"
