"""SavedJobs, the jobs of a checkpoint as its files describe them. Nothing runs, and Spark does not start."""

from __future__ import annotations

import json
import time
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from firesteel.errors import UsageError
from firesteel.jobs.job_file import FILE, FORMAT
from firesteel.jobs.json_form import Json, time_text
from firesteel.spark.checkpoint.batch_origins import batches
from firesteel.spark.checkpoint.fingerprint import STATEMENT, check_version, has_saved, read
from firesteel.spark.checkpoint.folder import no_checkpoint
from firesteel.spark.checkpoint.lock import FILE as LOCK
from firesteel.spark.checkpoint.lock import local_folder
from firesteel.spark.checkpoint.owner import LEASE_SECONDS, RELEASED, Owner, has_ended, read_owner, shown

_ENDED = ("FINISHED", "FAILED", "CANCELED")
_UNKNOWN = (
    "the checkpoint has no plan and no counters of this job until it runs again: firesteel upgrade has "
    "changed the job, or an earlier version of Firesteel ran it"
)


@dataclass(frozen=True)
class SavedJob:
    """One job of a checkpoint.

    Attributes:
        job: All fields of the job (jobs/json_form.py), `saved` (when its file was written, as text) and
            `committed` (number of its last committed micro-batch).
        graph: Its graph, empty if unknown.
        batches: Its last micro-batches, oldest first.
    """

    job: Json
    graph: Json = field(default_factory=dict)
    batches: tuple[Json, ...] = ()


class SavedJobs:
    """Jobs of a checkpoint, one for each statement. They are read again when a file has changed.

    Args:
        checkpoint: Folder given as --checkpoint, or the folder of one statement in it.

    Raises:
        UsageError: The folder does not exist, is not on this machine, or is not a checkpoint.
    """

    def __init__(self, checkpoint: str) -> None:
        folder = local_folder(checkpoint)
        if folder is None:
            raise UsageError(
                f"{checkpoint} is not on a file system of this machine",
                hint="copy the checkpoint to this machine, or use --ui where the job runs",
            )
        if not folder.is_dir():
            raise no_checkpoint(checkpoint)
        self._name, self._folder = checkpoint, folder
        self._known: dict[Path, tuple[tuple[int, int], Any]] = {}
        self.jobs()

    def jobs(self) -> dict[str, SavedJob]:
        """Return the jobs by id, which is the name of the statement's folder.

        Raises:
            UsageError: There is no job, or another version of Firesteel has made the checkpoint.
            JobError: A file of the checkpoint is damaged.
        """
        folders = [self._folder, *sorted(path for path in self._folder.iterdir() if path.is_dir())]
        found = {path.name: self._job(path) for path in folders if has_saved(None, str(path))}
        if not found:
            raise no_checkpoint(self._name)
        return found

    def _job(self, folder: Path) -> SavedJob:
        check_version(str(folder), read(None, str(folder)) or {})
        value = self._value(folder)
        committed = batches(None, str(folder), "commits")
        last = committed[-1] if committed else None
        if value is None:
            return SavedJob({**_unknown(folder), "committed": last})
        saved = {"id": folder.name, "saved": value["saved"], "committed": last, "phase": ""}
        job = {**value["job"], **saved, "checkpoint": str(folder)}
        return SavedJob({**job, **_state(folder, job)}, value["graph"], tuple(value["batches"]))

    def _value(self, folder: Path) -> Any:
        """Return the JSON value of the job file (FILE) in a statement's folder.

        None if the file does not exist or is damaged.

        Raises:
            UsageError: The file has the format of a later version of Firesteel.
        """
        file = folder / FILE
        try:
            now = file.stat()
        except FileNotFoundError:
            return None
        stamp = (now.st_mtime_ns, now.st_size)
        if self._known.get(folder, (None,))[0] != stamp:
            value = None
            with suppress(ValueError):  # a power cut may have left an empty file
                value = json.loads(file.read_text(encoding="utf-8"))
            self._known[folder] = stamp, value
        value = self._known[folder][1]
        if value is not None and value["format"] > FORMAT:
            raise UsageError(
                f"{file} was written by version {value['version']} of Firesteel, which this one cannot read",
                hint=f"use version {value['version']}",
            )
        return value


def _state(folder: Path, job: Json) -> Json:
    """Return new values for fields of the job file, if the process ended without writing them.

    The fields are `state`, `cause` and `ended`. {} if the file says that the job has ended, or if the
    process still runs.
    """
    if job["state"] in _ENDED:
        return {}
    owner, lives = _owner(folder)
    if lives:
        return {}
    if not owner:  # a savepoint: it has no lock file, and no process runs it
        return {"state": "SUSPENDED"}
    if owner.get(RELEASED):
        return {"state": "CANCELED", "ended": job["saved"]}
    cause = (
        f"{shown(owner)} has ended without closing the checkpoint: it was killed, or its machine stopped.\n"
        "Run the job again: it continues after its last micro-batch."
    )
    return {"state": "FAILED", "cause": cause, "ended": job["saved"]}


def _owner(folder: Path) -> tuple[Owner, bool]:
    """Return the last owner of a statement's folder, and whether its process runs. No owner: ({}, False)."""
    file = folder / LOCK
    try:
        owner, silent = read_owner(file.read_bytes()), time.time() - file.stat().st_mtime
    except OSError:
        return {}, False
    return owner, bool(owner) and not owner.get(RELEASED) and not has_ended(owner) and silent < LEASE_SECONDS


def _unknown(folder: Path) -> Json:
    """Return the fields of a job without a job file. Only its statement and its folder are known."""
    file = folder / STATEMENT
    statement = file.read_text(encoding="utf-8") if file.exists() else ""
    return {
        **dict.fromkeys(("cause", "script", "line", "column", "ended", "metrics")),
        **dict.fromkeys(("history", "chains", "hot_keys", "states", "lag_messages"), ()),
        "id": folder.name,
        "name": folder.name,
        "label": folder.name,
        "statement": statement,
        "plan": "",
        "state": "RUNNING" if _owner(folder)[1] else "SUSPENDED",
        "phase": _UNKNOWN,
        "restarts": None,
        "records_skipped_by_cause": {},
        "options": {},
        "checkpoint": str(folder),
        "statements": 1,
        "created": time_text((folder / "firesteel.json").stat().st_mtime),
        "saved": None,
    }
