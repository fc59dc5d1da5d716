"""A checkpoint's folder on this machine, looked at before anything is started for it."""

from __future__ import annotations

import os
import uuid
from contextlib import suppress
from pathlib import Path

from firesteel.errors import UsageError
from firesteel.spark.checkpoint_lock import FILE, CheckpointLock, local_folder


def open_folder(checkpoint: str, file: str = FILE) -> CheckpointLock | None:
    """Make the folder where it is not there, see that it can be written, and hold it by that file; None for
    one on a file system that is not this machine's.

    Raises UsageError that says why it cannot be used.
    """
    folder = local_folder(checkpoint)
    if folder is None:
        return None
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except (FileExistsError, NotADirectoryError):
        there = next(path for path in (folder, *folder.parents) if path.exists())
        raise UsageError(
            f"the checkpoint {checkpoint} cannot be made: {there} is a file", hint="name a folder"
        ) from None
    except OSError as error:
        raise UsageError(f"the checkpoint {checkpoint} cannot be made: {error.strerror}") from None
    _check_written(folder, checkpoint)
    return CheckpointLock(folder, file)


def _check_written(folder: Path, checkpoint: str) -> None:
    """A full disk still makes empty files, so some bytes are written."""
    trial = folder / f".firesteel-{uuid.uuid4().hex}"
    try:
        with trial.open("wb") as stream:
            stream.write(bytes(4096))
            stream.flush()
            os.fsync(stream.fileno())
    except OSError as error:
        raise UsageError(f"the checkpoint folder {checkpoint} cannot be written: {error.strerror}") from None
    finally:
        with suppress(OSError):
            trial.unlink()
