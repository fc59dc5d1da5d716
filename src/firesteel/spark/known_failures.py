"""Replacements for messages of Spark that do not name the cause of a failure."""

from __future__ import annotations

import re
from pathlib import Path

from firesteel.errors import JobError, LostInputError, OverloadedError

_NO_WORKER = re.compile(r"Timed out while waiting for the Python worker|Python worker failed to connect back")
_LOST_STATE = re.compile(
    r"STDS_FAILED_TO_READ_OPERATOR_METADATA|STDS_FAILED_TO_READ_STATE_SCHEMA|CANNOT_LOAD_STATE_STORE"
    r"|CANNOT_READ_STATE_FILE|CANNOT_READ_MISSING_SNAPSHOT_FILE|CANNOT_READ_DELTA_FILE"
)
_LOST_METADATA = re.compile(
    r"STREAMING_CHECKPOINT_MISSING_METADATA_FILE\] Checkpoint location (?:file:)?(\S+)"
)
_RESTORE = (
    "restore the checkpoint from a copy, or begin again with an empty checkpoint folder and an empty sink"
)
_FILE = re.compile(r"(?:file:)?(/[^\s'\"]+/(?:state|_metadata|metadata)(?:/[^\s'\",:]+)?)")


_GONE = re.compile(
    r"(?:NoSuchFileException|FileNotFoundException): (?:file:)?"
    r"(/\S*?/(?:firesteel-\w+|blockmgr-[-\w]+|spark-[-0-9a-f]{36}))"
    r"|FileNotFoundError: \[Errno 2\] [^:]*: '(/\S*?/firesteel-\w+)"
    r"|Failed to create (?:local dir|a temp directory|directory)[^\n]*? in (/[^\s,]+)"
)
"""Pattern of a missing file in a temporary folder of Spark or Firesteel."""


def known_failure(text: str) -> JobError | None:
    """Return the error for a known failure, None for any other.

    Args:
        text: The text of Spark's exception.
    """
    if _LOST_STATE.search(text):
        file = _FILE.search(text)
        where = f": {file[1]}" if file else ""
        return LostInputError(
            f"the checkpoint has lost files of its state{where}",
            hint=_RESTORE,
        )
    if lost := _LOST_METADATA.search(text):
        return LostInputError(f"the checkpoint has lost its file {lost[1]}/metadata", hint=_RESTORE)
    gone = _GONE.search(text)
    if gone is not None and not Path(folder := next(filter(None, gone.groups()))).is_dir():
        return JobError(
            f"the folder of temporary files is gone: {folder}",
            hint="something deleted it while the job ran (systemd-tmpfiles, tmpreaper?): name another folder "
            "with TMPDIR, and run the job again",
        )
    if _NO_WORKER.search(text):
        return OverloadedError(
            "a Python worker did not start in the time that Spark gives it",
            hint="is the machine overloaded, or the executors' Python (PYSPARK_PYTHON) on a slow disk? "
            "--verbose shows Spark's log",
        )
    return None
