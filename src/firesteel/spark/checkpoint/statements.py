"""The folders of a checkpoint, one a statement, and which of them a statement goes on from.

A statement is found again by its text, an INSERT also by its sink: so a script whose statements were put in
another order, or to which one was added, finds what it had. What is found may still be refused, where the
statement means something else now (spark/checkpoint/fingerprint.py).
"""

from __future__ import annotations

import hashlib
import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from firesteel.errors import UsageError
from firesteel.job.spec import JobSpec
from firesteel.spark.checkpoint.fingerprint import STATEMENT, belongs_to, read, shortened
from firesteel.spark.internals.hadoop_files import names, read_text

_NAME = 60
"""Characters of a folder's name that tell the tables."""


@dataclass(frozen=True)
class Identity:
    """A statement as checkpoints know it. text: on one line, without comments. sink: the path of the table it
    writes to, those of a statement set with commas, None for a query. number: the how-manyth of this text in
    the script, from 0."""

    text: str
    sink: str | None = None
    number: int = 0

    @property
    def short(self) -> str:
        return shortened(self.text)


@dataclass(frozen=True)
class _Saved:
    """A folder with state. text: None for one that an earlier version made, which noted none."""

    folder: str
    sink: str | None
    text: str | None


@dataclass(frozen=True)
class Script:
    """The statements that are known. is_whole: no other will come. given: folders that these have already."""

    statements: Sequence[Identity]
    is_whole: bool = False
    given: frozenset[str] = frozenset()


def statement_folder(context: Any, checkpoint: str, job: JobSpec, this: Identity, script: Script) -> str:
    """The folder for a statement of a script.

    Raises UsageError where a query of a script took the place of one that is no longer there.
    """
    saved = _saved(context, checkpoint)
    left = list(saved)
    found: dict[Identity, _Saved] = {}
    for one in script.statements:
        _match(found, left, one, [s for s in left if (s.text, s.sink) == (one.text, one.sink)])
    for one in script.statements:
        if one not in found and one.sink is not None:
            _match(found, left, one, [s for s in left if s.sink == one.sink])
    if this in found:
        return found[this].folder
    for old in left:
        if old.text is None and old.sink is None and belongs_to(context, old.folder, job):
            return old.folder
    queries = [s for s in left if s.sink is None]
    if this.sink is None and script.is_whole and queries:
        raise UsageError(
            f"the checkpoint {checkpoint} has no state for the statement `{this.short}`, but some for "
            f"{_shown(queries[0])}, which the script does not have",
            hint=f"run the script that it was made with, move {queries[0].folder} away to begin this "
            "statement anew, or give the script another checkpoint folder",
        )
    if any(s.folder not in script.given for s in saved):
        print(
            f"the checkpoint {checkpoint} has no state for `{this.short}`: it begins at the start",
            file=sys.stderr,
        )
    return _new(checkpoint, this, script.given | {s.folder for s in saved})


def _match(found: dict[Identity, _Saved], left: list[_Saved], one: Identity, fitting: list[_Saved]) -> None:
    if fitting:
        found[one] = fitting[0]
        left.remove(fitting[0])


def _shown(saved: _Saved) -> str:
    return "a query of an earlier version" if saved.text is None else f"`{Identity(saved.text).short}`"


def _saved(context: Any, checkpoint: str) -> list[_Saved]:
    """Folders with state, by name. The checkpoint itself may be one, of the time when it had one query."""
    folders = [
        checkpoint,
        *(f"{checkpoint}/{name}" for name in names(context, checkpoint, folders_only=True)),
    ]
    found = []
    for folder in folders:
        value = read(context, folder)
        if value is not None:
            found.append(_Saved(folder, _target(value["job"]), read_text(context, f"{folder}/{STATEMENT}")))
    return found


def _target(job: dict[str, Any]) -> str | None:
    """JobSpec.target of a saved job. Those of earlier versions had one sink."""
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
