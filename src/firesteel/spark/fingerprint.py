"""What a checkpoint was made for: the job, its key groups and partitions, kept beside Spark's files.

A checkpoint can go on only with the same chains: its state and offsets mean nothing to others. The sink
may get other options. Key groups and partitions stay as they were when it was made.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, fields, is_dataclass
from enum import Enum
from typing import Any
from uuid import uuid4

from firesteel.errors import JobError, UsageError
from firesteel.runtime.hashing import fingerprint as hashing
from firesteel.runtime.spec import AggregateSpec, JobSpec, UserFunction
from firesteel.spark.changed_job import what_changed
from firesteel.types.sql import SqlType

FILE, STATEMENT, DELIVERED = "firesteel.json", "statement.sql", "delivered"
SPARK = "spark"
"""The folder of Spark's own files."""

_SHOWN = 70
"""Characters of a statement in an error."""
VERSION = 1
"""Of this file and of what the state's layout means."""

_FREE = ("sink.options", "sink.constraints", "bounded")
"""Parts of a job that may change."""


@dataclass(frozen=True)
class Layout:
    """key_groups: how many the keys are spread over. partitions: how many tasks own them."""

    key_groups: int
    partitions: int


def check_or_write(
    context: Any, folder: str, job: JobSpec, wanted: Layout, statement: str | None = None
) -> Layout:
    """Write the fingerprint where there is none, else compare; the layout that the checkpoint has.
    statement: the text by which the statement is found again, None where it has none.

    Raises UsageError that names the first difference, JobError for a file that cannot be read.
    """
    saved = read(context, folder)
    if saved is None:
        _write(context, folder, {"id": uuid4().hex} | _fingerprint(job, wanted))
        _note(context, folder, statement)
        return wanted
    _check_offsets(context, folder)
    layout = Layout(saved["key_groups"], saved["partitions"])
    change = _change(saved, _fingerprint(job, layout))
    if change is not None:
        of = "query" if statement is None else f"version of the statement `{shortened(statement)}`"
        raise UsageError(
            f"the checkpoint {folder} belongs to another {of}: {change}",
            hint="run the query it was made with, or give this one an empty checkpoint folder",
        )
    _note(context, folder, statement)
    return layout


def note_delivery(context: Any, folder: str) -> None:
    """Note that sinks have got batches of the job: from now on its numbers of batches must go on."""
    path = _path(context, folder, DELIVERED)
    path.getFileSystem(context._jsc.hadoopConfiguration()).create(path, True).close()


def _check_offsets(context: Any, folder: str) -> None:
    """Raises UsageError where Spark would count batches from 0 again, which sinks have got already and would
    drop as repeated."""
    offsets, delivered = _path(context, folder, f"{SPARK}/offsets"), _path(context, folder, DELIVERED)
    system = offsets.getFileSystem(context._jsc.hadoopConfiguration())
    if system.exists(delivered) and not (system.exists(offsets) and len(system.listStatus(offsets))):
        raise UsageError(
            f"the checkpoint {folder} has lost Spark's offsets ({folder}/{SPARK}/offsets), though sinks have "
            "got batches of it",
            hint="bring the folder back, or begin with an empty checkpoint folder and an empty sink",
        )


def belongs_to(context: Any, folder: str, job: JobSpec) -> bool:
    """Whether the job can go on from what the folder holds."""
    saved = read(context, folder)
    if saved is None:
        return False
    return _change(saved, _fingerprint(job, Layout(saved["key_groups"], saved["partitions"]))) is None


def _change(saved: dict[str, Any], now: dict[str, Any]) -> str | None:
    """What keeps the one from going on from the other, in a line."""
    if any(saved[part] != now[part] for part in ("version", "hashing")):
        return "it was made by a version of Firesteel that keeps state in another way"
    if all(path.startswith(_FREE) for path, _, _ in differences(saved["job"], now["job"], "")):
        return None
    return what_changed(saved["job"], now["job"])


def job_id(context: Any, folder: str) -> str:
    """The name under which the checkpoint's job is known to sinks; it does not change."""
    saved = read(context, folder)
    if saved is None:
        raise JobError(f"{folder}/{FILE} is gone")
    name: str = saved["id"]
    return name


def differences(before: Any, after: Any, path: str) -> Iterator[tuple[str, Any, Any]]:
    """All (path, before, after) in which two JSON values differ."""
    if isinstance(before, dict) and isinstance(after, dict):
        for key in [*before, *(k for k in after if k not in before)]:
            step = f"{path}.{key}" if path else key
            yield from differences(before.get(key), after.get(key), step)
    elif isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        for index, (one, other) in enumerate(zip(before, after, strict=True)):
            yield from differences(one, other, f"{path}[{index}]")
    elif before != after:
        yield path, before, after


def plain(value: Any) -> Any:
    """A spec as JSON: dataclasses by field, with their class's name; types as SQL writes them."""
    if isinstance(value, SqlType):
        return str(value)
    if isinstance(value, UserFunction):
        return value.name  # its code may change: what the state means is the user's business
    if isinstance(value, Enum):
        return value.name
    if is_dataclass(value) and not isinstance(value, type):
        return (
            {"is": type(value).__name__}
            | {f.name: plain(getattr(value, f.name)) for f in fields(value)}
            | (_newer_state(value) if isinstance(value, AggregateSpec) else {})
        )
    if isinstance(value, (tuple, list)):
        return [plain(item) for item in value]
    return value


def _newer_state(call: AggregateSpec) -> dict[str, str]:
    """The layout of what the call saves, where it has changed since the first one, which goes unwritten."""
    from firesteel.runtime.aggregates.registry import AGGREGATES

    state = AGGREGATES[call.function](call).state_id if call.function in AGGREGATES else ""
    return {} if call.user is not None or state.endswith(".v1") or not state else {"state": state}


def _fingerprint(job: JobSpec, layout: Layout) -> dict[str, Any]:
    return {
        "version": VERSION,
        "hashing": hashing(),
        "key_groups": layout.key_groups,
        "partitions": layout.partitions,
        "job": plain(job),
    }


def shortened(text: str) -> str:
    """The beginning of a statement's text, as it would be written."""
    tight = re.sub(r" (?=[(),.])|(?<=[(.]) ", "", text)
    return tight if len(tight) <= _SHOWN else f"{tight[:_SHOWN]}..."


def read(context: Any, folder: str) -> dict[str, Any] | None:
    """What the folder's file says, None where there is none. Raises JobError for one that is damaged."""
    text = read_text(context, folder, FILE)
    if text is None:
        return None
    try:
        saved: dict[str, Any] = json.loads(text)
    except ValueError as error:
        raise JobError(f"{folder}/{FILE} is damaged: {error}") from error
    return saved


def read_text(context: Any, folder: str, name: str) -> str | None:
    """The text of a file, None where there is none."""
    path = _path(context, folder, name)
    system = path.getFileSystem(context._jsc.hadoopConfiguration())
    if not system.exists(path):
        return None
    stream = system.open(path)
    try:
        text: str = context._jvm.org.apache.commons.io.IOUtils.toString(stream, "UTF-8")
    finally:
        stream.close()
    return text


def _note(context: Any, folder: str, statement: str | None) -> None:
    """Keep the statement's text, for it to be found again. It may change while the job stays the same."""
    if statement is None or read_text(context, folder, STATEMENT) == statement:
        return
    path = _path(context, folder, STATEMENT)
    stream = path.getFileSystem(context._jsc.hadoopConfiguration()).create(path, True)
    stream.write(bytearray(statement.encode()))
    stream.close()


def _write(context: Any, folder: str, value: dict[str, Any]) -> None:
    """Whole or not at all: written beside and renamed."""
    path, beside = _path(context, folder, FILE), _path(context, folder, f".{FILE}.tmp")
    system = path.getFileSystem(context._jsc.hadoopConfiguration())
    stream = system.create(beside, True)
    stream.write(bytearray(json.dumps(value, indent=1, ensure_ascii=False).encode()))
    stream.close()
    if not system.rename(beside, path):
        raise JobError(f"{folder}/{FILE} cannot be written")


def _path(context: Any, folder: str, name: str) -> Any:
    return context._jvm.org.apache.hadoop.fs.Path(f"{folder}/{name}")
