"""Fingerprint of a checkpoint: its job, key groups and partitions, in a file beside Spark's files.

A checkpoint can continue only with the same chains, because its state and offsets fit no others. Options of
the sink may change. Key groups and partitions stay as they were when the checkpoint was made. A field that
was added to a spec since then counts as having its default.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import MISSING, dataclass, fields, is_dataclass, replace
from enum import Enum
from typing import Any
from uuid import uuid4

from firesteel.connectors.registry import deciding
from firesteel.errors import JobError, UsageError
from firesteel.job.identities import identity
from firesteel.job.spec import JobSpec
from firesteel.kernels.column_hashes import fingerprint as hashing
from firesteel.runtime.dataflow.operator_registry import entry
from firesteel.runtime.spec.operators import AggregateSpec, OperatorSpec
from firesteel.spark.checkpoint.changed_job import what_changed
from firesteel.spark.checkpoint.durable_names import sync_name
from firesteel.spark.checkpoint.lock import local_folder
from firesteel.spark.internals.hadoop_files import delete, exists, move, names, read_text, write_text
from firesteel.types.sql import SqlType
from firesteel.types.user_function import UserFunction

FILE, STATEMENT, DELIVERED = "firesteel.json", "statement.sql", "delivered"
SPARK = "spark"
"""Folder of Spark's own files in a checkpoint."""

_SHOWN = 70
"""Most characters of a statement in an error."""
VERSION = 2
"""Version of the fingerprint file and of the state's layout."""

_FREE = re.compile(
    r"sinks\[\d+\]\.(options|constraints|primary_key|mode|metadata)|bounded"
    r"|chains\[\d+\]\.operators\[\d+\]\.folds"
    r"|chains\[\d+\]\.operators\[\d+\](\.join)?\.(table\.scan\.(options|connector|table)|retry)"
)
"""Parts of a job that may change, among them where and how lookup joins ask their tables."""


@dataclass(frozen=True)
class Layout:
    """The distribution of a checkpoint's keyed state."""

    key_groups: int
    """Number of key groups over which the keys are distributed."""
    partitions: int
    """Number of tasks that own the key groups."""


def check_or_write(
    context: Any,
    folder: str,
    job: JobSpec,
    wanted: Layout,
    statement: str | None = None,
    prefix: str = "",
) -> Layout:
    """Compare a job with the checkpoint's fingerprint, or write the fingerprint if there is none.

    Args:
        context: The SparkContext.
        folder: The statement's folder in the checkpoint.
        job: The job.
        wanted: Layout of a new checkpoint.
        statement: The text by which the statement is found again; None if it has none.
        prefix: What a new job's name at its sinks begins with.

    Returns:
        The layout of the checkpoint.

    Raises:
        UsageError: The job is another. The message names the first difference.
        JobError: The fingerprint cannot be read.
    """
    layout = check_saved(context, folder, job, statement)
    if layout is None:
        layout = wanted
        _write(context, folder, {"id": f"{prefix}{uuid4().hex}"} | _fingerprint(job, wanted))
    _note(context, folder, statement)
    return layout


def has_saved(context: Any, folder: str) -> bool:
    """Return whether a job has used the folder. `context` may be None for a folder on this machine."""
    return exists(context, f"{folder}/{FILE}")


def check_saved(context: Any, folder: str, job: JobSpec, statement: str | None = None) -> Layout | None:
    """Compare the job with the one that the folder was made for.

    Args:
        context: Spark's; None for a folder of this machine.
        folder: The statement's folder in a checkpoint.
        job: The job that is to go on from it.
        statement: The text by which the statement is found again, None if it has none.

    Returns:
        The layout that the checkpoint has, None if no job has begun with it.

    Raises:
        UsageError: The job is another; the message names the first difference.
        JobError: The folder's file cannot be read.
    """
    saved = read(context, folder)
    if saved is None:
        _check_unused(context, folder)
        return None
    _check_offsets(context, folder)
    layout = Layout(saved["key_groups"], saved["partitions"])
    change = _change(saved, job, layout)
    if change is not None:
        of = "query" if statement is None else f"version of the statement `{shortened(statement)}`"
        raise UsageError(
            f"the checkpoint {folder} belongs to another {of}: {change}",
            hint="run the query it was made with, or give this one an empty checkpoint folder",
        )
    return layout


def _check_offsets(context: Any, folder: str) -> None:
    """Raise UsageError if Spark's offsets are lost although sinks have got batches.

    Spark would count batches from 0 again, and the sinks would drop them as repeated.
    """
    if exists(context, f"{folder}/{DELIVERED}") and not names(context, f"{folder}/{SPARK}/offsets"):
        raise UsageError(
            f"the checkpoint {folder} has lost Spark's offsets ({folder}/{SPARK}/offsets), though sinks have "
            "got batches of it",
            hint="bring the folder back, or begin with an empty checkpoint folder and an empty sink",
        )


def _check_unused(context: Any, folder: str) -> None:
    """Raise UsageError if a job has begun with a folder without a fingerprint.

    With another id the job would be new to its sinks, which could get the last micro-batch twice.
    """
    if names(context, f"{folder}/{SPARK}/offsets"):
        raise UsageError(
            f"the checkpoint {folder} has lost {folder}/{FILE}, by which the sinks know the job",
            hint="bring the file back, or begin with an empty checkpoint folder and an empty sink",
        )


def belongs_to(context: Any, folder: str, job: JobSpec) -> bool:
    """Whether the job can go on from what the folder holds."""
    saved = read(context, folder)
    if saved is None:
        return False
    return _change(saved, job, Layout(saved["key_groups"], saved["partitions"])) is None


def _change(saved: dict[str, Any], job: JobSpec, layout: Layout) -> str | None:
    """What keeps the job from going on from what is saved, in a line."""
    now = _fingerprint(job, layout)
    if any(saved[part] != now[part] for part in ("version", "hashing")):
        return "it was made by a version of Firesteel that keeps state in another way"
    before, after = _binding(_completed(saved["job"], _defaults(job))), _binding(now["job"])
    if all(_FREE.match(path) for path, _, _ in differences(before, after, "")):
        return None
    return what_changed(before, after)


def _binding(job: dict[str, Any]) -> dict[str, Any]:
    """The job without the options of its sources that may change."""
    return {**job, "chains": [{**c, "inputs": [_bound(each) for each in c["inputs"]]} for c in job["chains"]]}


def _bound(read: dict[str, Any]) -> dict[str, Any]:
    of = read["of"]
    if not isinstance(of, dict) or "options" not in of:
        return read
    options = [list(pair) for pair in deciding(dict(of["options"])).items()]
    return {**read, "of": {**of, "options": options, "parts": []}}


def _completed(saved: Any, defaults: Mapping[str, dict[str, Any]]) -> Any:
    """A saved job, with the default of each field that its specs had not when it was saved."""
    if isinstance(saved, dict):
        known = {name: _completed(value, defaults) for name, value in saved.items()}
        return defaults.get(saved.get("is", ""), {}) | known
    return [_completed(item, defaults) for item in saved] if isinstance(saved, list) else saved


def _defaults(value: object) -> dict[str, dict[str, Any]]:
    """Of each class of spec in a job, by its name: the defaults of the fields that have one."""
    if isinstance(value, tuple):
        return dict(pair for item in value for pair in _defaults(item).items())
    if not is_dataclass(value) or isinstance(value, (type, SqlType, UserFunction)):
        return {}
    own = {f.name: plain(f.default) for f in fields(value) if f.default is not MISSING and f.name != "sets"}
    return _defaults(tuple(getattr(value, f.name) for f in fields(value))) | {identity(type(value)): own}


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
    """Return a spec as JSON: dataclasses by field, with the identity of their class; types as SQL text.

    Sets of values are left out: their names stand in the texts and tell them apart.
    """
    if isinstance(value, SqlType):
        return str(value).replace("``", "`")  # as texts of types in earlier checkpoints have it
    if isinstance(value, UserFunction):
        return value.name  # its code may change: what the state means is the user's business
    if isinstance(value, Enum):
        return value.name
    if is_dataclass(value) and not isinstance(value, type):
        return (
            {"is": identity(type(value))}
            | {f.name: plain(getattr(value, f.name)) for f in fields(value) if f.name != "sets"}
            | _newer_state(value)
        )
    if isinstance(value, (tuple, list)):
        return [plain(item) for item in value]
    return value


def _newer_state(value: object) -> dict[str, Any]:
    """The layout of what an operator or a call saves, where it has changed since the first one, which goes
    unwritten."""
    if isinstance(value, OperatorSpec):
        version = entry(type(value)).state
        return {"state": version} if version > 1 else {}
    if not isinstance(value, AggregateSpec) or value.user is not None:
        return {}
    from firesteel.runtime.aggregate.functions.registry import AGGREGATES

    state = AGGREGATES[value.function](value).state_id if value.function in AGGREGATES else ""
    return {} if state.endswith(".v1") or not state else {"state": state}


def _fingerprint(job: JobSpec, layout: Layout) -> dict[str, Any]:
    return {
        "version": VERSION,
        "hashing": hashing(),
        "key_groups": layout.key_groups,
        "partitions": layout.partitions,
        "job": plain(_shaping(job)),
    }


def _shaping(job: JobSpec) -> JobSpec:
    """The job without the operators behind which rows are the same."""
    chains = (
        replace(chain, operators=tuple(o for o in chain.operators if entry(type(o)).shapes_rows))
        for chain in job.chains
    )
    return replace(job, chains=tuple(chains))


def shortened(text: str) -> str:
    """The beginning of a statement's text, as it would be written."""
    tight = re.sub(r" (?=[(),.])|(?<=[(.]) ", "", text)
    return tight if len(tight) <= _SHOWN else f"{tight[:_SHOWN]}..."


def read(context: Any, folder: str) -> dict[str, Any] | None:
    """What the folder's file says, None where there is none. Raises JobError for one that is damaged."""
    text = read_text(context, f"{folder}/{FILE}")
    if text is None:
        return None
    try:
        saved: dict[str, Any] = json.loads(text)
    except ValueError as error:
        raise JobError(
            f"{folder}/{FILE}: the checkpoint's file is damaged: {error}",
            hint="restore the checkpoint from a copy, or begin again with an empty checkpoint folder and an "
            "empty sink",
        ) from error
    return saved


def _note(context: Any, folder: str, statement: str | None) -> None:
    """Keep the statement's text, for it to be found again. It may change while the job stays the same."""
    if statement is None or read_text(context, f"{folder}/{STATEMENT}") == statement:
        return
    write_text(context, f"{folder}/{STATEMENT}", statement)


def _write(context: Any, folder: str, value: dict[str, Any]) -> None:
    """Write the file whole or not at all, and never over one that another run made in the meantime.

    Sinks know the job by the id in it.
    """
    beside = f"{folder}/.{FILE}.{uuid4().hex}.tmp"
    write_text(context, beside, json.dumps(value, indent=1, ensure_ascii=False))
    sync_name(folder, beside.removeprefix(f"{folder}/"))
    if not _moved(context, beside, f"{folder}/{FILE}"):
        delete(context, beside)
        raise JobError(
            f"{folder}/{FILE} cannot be written, or another run has just written it",
            hint="see that one run at a time uses the checkpoint, and run it again",
        )
    sync_name(folder, FILE)


def _moved(context: Any, file: str, to: str) -> bool:
    """Give a file another name, if no other file has it; whether that was done."""
    source, target = local_folder(file), local_folder(to)
    if source is None or target is None:
        return not exists(context, to) and move(context, file, to)
    try:
        os.link(source, target)
    except FileExistsError:
        return False
    except OSError:  # a file system without hard links
        return not target.exists() and move(context, file, to)
    delete(context, file)  # and what Hadoop keeps beside it
    return True
