"""Checks of a checkpoint's folder on this machine, before a job starts."""

from __future__ import annotations

import json
import uuid
from contextlib import suppress
from pathlib import Path

from firesteel.durability import make_folders, sync_folder, sync_stream
from firesteel.errors import JobError, UsageError
from firesteel.spark.checkpoint.lock import FILE, RUN_FILE, CheckpointLock, local_folder
from firesteel.spark.checkpoint.pending_change import RESCALE, UPGRADE
from firesteel.spark.checkpoint.schema_paths import name_own_schemas
from firesteel.spark.checkpoint.state_metadata import remove_torn_metadata, remove_unplanned_state
from firesteel.spark.checkpoint.trust import check_trust, make_folder


def open_folder(checkpoint: str, file: str = FILE, *, trusts_others: bool = False) -> CheckpointLock | None:
    """Create a checkpoint's folder if needed, check that it can be used, and lock it.

    Args:
        checkpoint: The folder, as a path or a URI.
        file: Name of the lock file.
        trusts_others: Whether other users of this machine may have write access.

    Returns:
        The lock, or None if the folder is not on a file system of this machine.

    Raises:
        UsageError: The folder cannot be created or written, others can write to it, or another run holds it.
    """
    folder = local_folder(checkpoint)
    if folder is None:
        return None
    try:
        make_folders(folder.parent)
        is_new = not folder.exists()
        make_folder(folder)
        if is_new:
            sync_folder(folder.parent)
    except (FileExistsError, NotADirectoryError):
        there = next(path for path in (folder, *folder.parents) if path.exists())
        raise UsageError(
            f"the checkpoint {checkpoint} cannot be made: {there} is a file", hint="name a folder"
        ) from None
    except OSError as error:
        raise UsageError(f"the checkpoint {checkpoint} cannot be made: {error.strerror}") from None
    if not trusts_others:
        check_trust(folder, checkpoint)
    _check_written(folder, checkpoint)
    lock = CheckpointLock(folder, file)
    if file == FILE:
        RESCALE.complete(folder)
    elif file == RUN_FILE:
        UPGRADE.complete(folder)
    return lock


def _check_written(folder: Path, checkpoint: str) -> None:
    """Check that files can be written and renamed.

    A trial file is written and renamed, because Spark renames each of its files. It has content, because an
    empty file can be created on a full disk, too.
    """
    trial = folder / f".firesteel-{uuid.uuid4().hex}"
    renamed = trial.with_name(f"{trial.name}-renamed")
    try:
        with trial.open("wb") as stream:
            stream.write(bytes(4096))
            sync_stream(stream)
        _check_renamed(trial, renamed, checkpoint)
    except OSError as error:
        raise UsageError(f"the checkpoint folder {checkpoint} cannot be written: {error.strerror}") from None
    finally:
        for path in (trial, renamed):
            with suppress(OSError):
                path.unlink()


def _check_renamed(file: Path, to: Path, checkpoint: str) -> None:
    try:
        file.rename(to)
    except OSError as error:
        raise UsageError(
            f"the checkpoint folder {checkpoint} is on a file system that cannot rename files: "
            f"{error.strerror}",
            hint="name a folder on another file system",
        ) from None


def no_checkpoint(checkpoint: str) -> UsageError:
    """Return the error for a folder that is no checkpoint: it does not exist, or holds something else."""
    folder = local_folder(checkpoint)
    if folder is not None and not folder.is_dir():
        message = f"{checkpoint} is a file" if folder.exists() else f"there is no folder {checkpoint}"
    else:
        message = f"{checkpoint} is not a checkpoint of Firesteel"
    return UsageError(message, hint="name the folder given as --checkpoint")


def check_is_there(checkpoint: str) -> None:
    """Raise UsageError if a checkpoint should be on this machine and its folder does not exist.

    The check needs no Spark. It accepts every path on another file system.
    """
    folder = local_folder(checkpoint)
    if folder is not None and not folder.is_dir():
        raise no_checkpoint(checkpoint)


def check_logs(checkpoint: str) -> None:
    """Repair a checkpoint after a power cut, and check that the last batches in Spark's logs can be read.

    A power cut may leave an empty file, because the file's content was not synced. It may also leave a
    description of the state that names a missing schema. Such files are removed. No rows are lost:

    - Offsets and descriptions of the state are synced before a sink gets rows of the batch. If they are
      empty, no sink has got the batch.
    - If a commit is empty, the batch runs again under its number, and sinks drop the rows that they have.

    If the checkpoint was moved or copied to another folder, the paths in Spark's descriptions are changed.

    Raises:
        JobError: A file is damaged. The message names the file, which Spark's own error would not do.
    """
    folder = local_folder(checkpoint)
    if folder is None:
        return
    _remove_empty(folder / "spark")
    remove_unplanned_state(folder / "spark")
    remove_torn_metadata(folder / "spark", _last(_batches(folder / "spark" / "commits")))
    name_own_schemas(folder)
    for log in ("offsets", "commits"):
        for file in _batches(folder / "spark" / log)[-_LAST:]:
            if not _is_readable(file):
                raise JobError(
                    f"{file}: the checkpoint's file is damaged",
                    hint="restore the checkpoint from a copy, or begin again with an empty checkpoint folder "
                    "and an empty sink",
                )


def _batches(log: Path) -> list[Path]:
    """Return the files of one of Spark's logs, sorted by batch."""
    found = (file for file in log.glob("[0-9]*") if file.name.isdigit())
    return sorted(found, key=lambda file: int(file.name))


def _last(files: list[Path]) -> int:
    return int(files[-1].name) if files else -1


_NEVER_EMPTY = ("metadata", "state/*/_metadata/**/*", "state/*/_stateSchema/**/*", "state/**/*.zip")
"""Spark's files that describe a query and its state, and snapshots of the state.

A file of these is empty only after a power cut. It can be removed: Spark then uses older files or writes it
again.
"""


def _remove_empty(folder: Path) -> None:
    found = [file for pattern in _NEVER_EMPTY for file in folder.glob(pattern)]
    for log in ("offsets", "commits"):
        found += _batches(folder / log)[-1:]
    for file in found:
        if file.is_file() and not file.stat().st_size:
            file.unlink()
            (file.parent / f".{file.name}.crc").unlink(missing_ok=True)


_LAST = 2
"""Number of batches that Spark reads when it starts: the last one, which may be unfinished, and one more."""


def _is_readable(file: Path) -> bool:
    """Return whether a log file has a version in its first line, then lines of JSON or `-` (no offset)."""
    try:
        version, *lines = file.read_text(encoding="utf-8").splitlines()
        for line in lines:
            if line != "-":
                json.loads(line)
    except (OSError, ValueError):
        return False
    return bool(lines) and version[:1] == "v" and version[1:].isdigit()
