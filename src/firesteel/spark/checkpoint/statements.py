"""Folders of a checkpoint, one for each statement, and the choice of a statement's folder.

A statement is found by its text, an INSERT also by its sink. Statements of a script may therefore be added or
reordered. A folder is still refused if the statement now means something else
(spark/checkpoint/fingerprint.py).
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from firesteel.errors import UsageError
from firesteel.job.spec import JobSpec
from firesteel.notices import say
from firesteel.spark.checkpoint.fingerprint import STATEMENT, belongs_to, read, shortened
from firesteel.spark.checkpoint.pending_change import UPGRADE
from firesteel.spark.internals.hadoop_files import names, read_text

_NAME = 60
"""Maximum number of characters of the table names in the name of a folder: insert-TABLE-TABLE."""


@dataclass(frozen=True)
class Identity:
    """Identity by which a statement finds its folder in a checkpoint."""

    text: str
    """Text on one line, without comments."""
    sink: str | None = None
    """Path of the table that the statement writes; None for a query.

    A statement set has the paths of its tables, joined by commas.
    """
    number: int = 0
    """Index of the statement among those of equal text in the script, from 0."""

    @property
    def short(self) -> str:
        return shortened(self.text)


@dataclass(frozen=True)
class SavedStatement:
    """Folder with the saved state of a statement."""

    folder: str
    """Path of the folder."""
    sink: str | None
    """Sink of the statement, as in Identity."""
    text: str | None
    """Text of the statement; None if an earlier version, which did not store it, made the folder."""


@dataclass(frozen=True)
class Script:
    """Statements of a session that are registered so far."""

    statements: Sequence[Identity]
    """Identities of the statements."""
    is_whole: bool = False
    """Whether no other statement will follow."""
    given: frozenset[str] = frozenset()
    """Folders that statements of the session use already."""


def statement_folder(context: Any, checkpoint: str, job: JobSpec, this: Identity, script: Script) -> str:
    """Return the folder for a statement of a script.

    Raises:
        UsageError: The statement is a query without a folder, and the checkpoint has the folder of a query
            that is not in the script. The query may have been changed.
    """
    UPGRADE.complete_if_interrupted(checkpoint)
    saved = saved_statements(context, checkpoint)
    folder, left = _own_folder(context, saved, job, this, script)
    if folder is not None:
        return folder
    queries = [s for s in left if s.sink is None]
    if this.sink is None and script.is_whole and queries:
        raise UsageError(
            f"the checkpoint {checkpoint} has no state for the statement `{this.short}`, but some for "
            f"{_shown(queries[0])}, which the script does not have",
            hint=f"run the script that it was made with, move {queries[0].folder} away to begin this "
            "statement from the start, or give the script another checkpoint folder",
        )
    if any(s.folder not in script.given for s in saved):
        say(f"the checkpoint {checkpoint} has no state for `{this.short}`: it begins at the start")
    return _new(checkpoint, this, script.given | {s.folder for s in saved})


def saved_folder(context: Any, checkpoint: str, job: JobSpec, this: Identity, script: Script) -> str | None:
    """Return the folder with the state of a statement of a script; None if it has none yet."""
    return _own_folder(context, saved_statements(context, checkpoint), job, this, script)[0]


def _own_folder(
    context: Any, saved: Sequence[SavedStatement], job: JobSpec, this: Identity, script: Script
) -> tuple[str | None, list[SavedStatement]]:
    """Return a statement's saved folder, or None, and the saved statements that match none of the script."""
    left = list(saved)
    found: dict[Identity, SavedStatement] = {}
    for one in script.statements:
        _match(found, left, one, [s for s in left if (s.text, s.sink) == (one.text, one.sink)])
    for one in script.statements:
        if one not in found and one.sink is not None:
            _match(found, left, one, [s for s in left if s.sink == one.sink])
    if this in found:
        return found[this].folder, left
    for old in left:
        if old.text is None and old.sink is None and belongs_to(context, old.folder, job):
            return old.folder, left
    return None, left


def _match(
    found: dict[Identity, SavedStatement],
    left: list[SavedStatement],
    one: Identity,
    fitting: list[SavedStatement],
) -> None:
    if fitting:
        found[one] = fitting[0]
        left.remove(fitting[0])


def _shown(saved: SavedStatement) -> str:
    return "a query of an earlier version" if saved.text is None else f"`{Identity(saved.text).short}`"


def saved_statements(context: Any, checkpoint: str) -> list[SavedStatement]:
    """Return the folders with state, sorted by name.

    The checkpoint's own folder may be one of them: in an earlier version, a checkpoint had only one query.
    """
    folders = [
        checkpoint,
        *(f"{checkpoint}/{name}" for name in names(context, checkpoint, folders_only=True)),
    ]
    found = []
    for folder in folders:
        value = read(context, folder)
        if value is not None:
            found.append(
                SavedStatement(folder, _target(value["job"]), read_text(context, f"{folder}/{STATEMENT}"))
            )
    return found


def _target(job: dict[str, Any]) -> str | None:
    """Return the tables that a saved job writes to, None for a query. Earlier versions had only one sink."""
    sinks = job["sinks"] if "sinks" in job else [job["sink"]]
    return None if sinks[0]["connector"] is None else ", ".join(sink["table"] for sink in sinks)


def _new(checkpoint: str, this: Identity, taken: frozenset[str]) -> str:
    if this.sink is None:
        name = f"select-{hashlib.sha256(this.text.encode()).hexdigest()[:8]}"
    else:
        tables = "-".join(path.rpartition(".")[2] for path in this.sink.split(", "))
        name = f"insert-{re.sub(r'[^0-9A-Za-z_-]', '_', tables)[:_NAME]}"
    folder, number = f"{checkpoint}/{name}", 1
    while folder in taken:
        number += 1
        folder = f"{checkpoint}/{name}-{number}"
    return folder
