"""Fingerprint of a checkpoint: its job, key groups and partitions, in a file beside Spark's files.

A checkpoint can continue only with the same chains, because its state and offsets fit only them. Options of
the sink may change. Key groups and partitions stay the same as at the checkpoint's creation. A field that was
added to a spec since then counts as having its default value.
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
from firesteel.spark.checkpoint.pending_change import RESCALE
from firesteel.spark.internals.hadoop_files import delete, exists, move, names, read_text, write_text
from firesteel.types.sql import SqlType
from firesteel.types.user_function import UserFunction

FILE, STATEMENT, DELIVERED = "firesteel.json", "statement.sql", "delivered"
SPARK = "spark"
"""Folder of Spark's own files in a checkpoint."""

_SHOWN = 70
"""Maximum number of characters of a statement that an error shows."""
MOST_PARTITIONS = "most_partitions"
"""Key in the fingerprint file for the highest number of partitions that a rescaled checkpoint has had."""
VERSION = 2
"""Version of the fingerprint file and of the state's layout."""

_FREE = re.compile(
    r"sinks\[\d+\]\.(options|constraints|primary_key|mode|metadata)|bounded"
    r"|chains\[\d+\]\.operators\[\d+\]\.folds"
    r"|chains\[\d+\]\.operators\[\d+\](\.join)?\.(table\.scan\.(options|connector|table)|retry)"
)
"""Pattern of paths in a job's JSON whose values may change, such as options of sinks and lookup tables."""


@dataclass(frozen=True)
class Layout:
    """The distribution of a checkpoint's keyed state."""

    key_groups: int
    """Number of key groups over which the keys are distributed."""
    partitions: int
    """Number of tasks that own the key groups."""


OTHER_JOB_HINT = (
    "run the query it was made with, give this one an empty checkpoint folder, or give it this "
    "checkpoint with `firesteel upgrade`"
)
"""Hint of the error for a job that differs from the job of its checkpoint."""


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
        statement: Text by which the statement is found again; None if it has none.
        prefix: Beginning of the name by which sinks know the job, if the checkpoint is new.

    Returns:
        The layout of the checkpoint.

    Raises:
        UsageError: The job differs. The message names the first difference.
        JobError: The fingerprint cannot be read.
    """
    layout = check_saved(context, folder, job, statement)
    if layout is None:
        layout = wanted
        _write(context, folder, {"id": f"{prefix}{uuid4().hex}"} | _fingerprint(job, wanted))
    _note(context, folder, statement)
    return layout


def set_job(context: Any, folder: str, job: JobSpec, layout: Layout, statement: str) -> None:
    """Write the job that is to run into the fingerprint of a folder that an upgrade has prepared.

    Args:
        context: The SparkContext.
        folder: The statement's folder. The job in its fingerprint differs from `job` at most in the sinks.
        job: The job that continues from the folder.
        layout: Layout of the folder.
        statement: Text by which the statement is found again.
    """
    value = {"id": job_id(context, folder)} | _fingerprint(job, layout)
    write_text(context, f"{folder}/{FILE}", json.dumps(value, indent=1, ensure_ascii=False))
    _note(context, folder, statement)


def has_saved(context: Any, folder: str) -> bool:
    """Return whether a job has begun with a folder. `context` may be None for a folder on this machine."""
    return exists(context, f"{folder}/{FILE}")


def check_saved(context: Any, folder: str, job: JobSpec, statement: str | None = None) -> Layout | None:
    """Compare a job with the job for which a folder was created.

    Args:
        context: The SparkContext; None for a folder of this machine.
        folder: The statement's folder in a checkpoint.
        job: The job that continues from it.
        statement: Text by which the statement is found again, None if it has none.

    Returns:
        The layout of the checkpoint, None if no job has begun with it.

    Raises:
        UsageError: The job differs. The message names the first difference.
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
            hint=OTHER_JOB_HINT,
        )
    return layout


def _check_offsets(context: Any, folder: str) -> None:
    """Raise UsageError if Spark's offsets are lost, but the file DELIVERED shows that sinks have got batches.

    Spark would count batches from 0 again, and the sinks would drop them as repeated.
    """
    if exists(context, f"{folder}/{DELIVERED}") and not names(context, f"{folder}/{SPARK}/offsets"):
        raise UsageError(
            f"the checkpoint {folder} has lost Spark's offsets ({folder}/{SPARK}/offsets), though sinks have "
            "got batches of it",
            hint="bring the folder back, or begin with an empty checkpoint folder and an empty sink",
        )


def _check_unused(context: Any, folder: str) -> None:
    """Raise UsageError if a job has run with a folder whose fingerprint, with the job's ID, is now missing.

    A new fingerprint has a new ID. Sinks know only the old ID, so they could take the last batch twice.
    """
    if names(context, f"{folder}/{SPARK}/offsets"):
        raise UsageError(
            f"the checkpoint {folder} has lost {folder}/{FILE}, by which the sinks know the job",
            hint="bring the file back, or begin with an empty checkpoint folder and an empty sink",
        )


def belongs_to(context: Any, folder: str, job: JobSpec) -> bool:
    """Return whether a job can continue from a folder."""
    saved = read(context, folder)
    if saved is None:
        return False
    return _change(saved, job, Layout(saved["key_groups"], saved["partitions"])) is None


def _change(saved: dict[str, Any], job: JobSpec, layout: Layout) -> str | None:
    """Return, in one line, why a job cannot continue from a saved fingerprint; None if it can."""
    now = _fingerprint(job, layout)
    if any(saved[part] != now[part] for part in ("version", "hashing")):
        return "it was made by a version of Firesteel that keeps state in another way"
    before, after = _binding(_completed(saved["job"], _defaults(job))), _binding(now["job"])
    if all(_FREE.match(path) for path, _, _ in differences(before, after, "")):
        return None
    return what_changed(before, after)


def bound_chains(job: JobSpec) -> list[dict[str, Any]]:
    """Return a job's chains as JSON, without source options that change neither offsets nor rows."""
    chains: list[dict[str, Any]] = _binding(plain(job))["chains"]
    return chains


def _binding(job: dict[str, Any]) -> dict[str, Any]:
    """Return a job's JSON, without source options that change neither offsets nor rows."""
    return {**job, "chains": [{**c, "inputs": [_bound(each) for each in c["inputs"]]} for c in job["chains"]]}


def _bound(read: dict[str, Any]) -> dict[str, Any]:
    of = read["of"]
    if not isinstance(of, dict) or "options" not in of:
        return read
    options = [list(pair) for pair in deciding(dict(of["options"])).items()]
    return {**read, "of": {**of, "options": options, "parts": []}}


def _completed(saved: Any, defaults: Mapping[str, dict[str, Any]]) -> Any:
    """Return a saved job, with defaults for the fields that spec classes have got since it was saved."""
    if isinstance(saved, dict):
        known = {name: _completed(value, defaults) for name, value in saved.items()}
        return defaults.get(saved.get("is", ""), {}) | known
    return [_completed(item, defaults) for item in saved] if isinstance(saved, list) else saved


def _defaults(value: object) -> dict[str, dict[str, Any]]:
    """Return the default of each field of the spec classes in a job, by the class's name in JSON (`is`)."""
    if isinstance(value, tuple):
        return dict(pair for item in value for pair in _defaults(item).items())
    if not is_dataclass(value) or isinstance(value, (type, SqlType, UserFunction)):
        return {}
    own = {f.name: plain(f.default) for f in fields(value) if f.default is not MISSING and f.name != "sets"}
    return _defaults(tuple(getattr(value, f.name) for f in fields(value))) | {identity(type(value)): own}


def job_id(context: Any, folder: str) -> str:
    """Return the name by which sinks know the checkpoint's job. It never changes."""
    saved = read(context, folder)
    if saved is None:
        raise JobError(f"{folder}/{FILE} is gone")
    name: str = saved["id"]
    return name


def check_version(folder: str, saved: Mapping[str, Any]) -> None:
    """Raise UsageError if another version of Firesteel keeps the state of a checkpoint in another way."""
    if (saved.get("version"), saved.get("hashing")) != (VERSION, hashing()):
        raise UsageError(
            f"the checkpoint {folder} was made by a version of Firesteel that keeps state in another way",
            hint="use the version that it was made with: job.json in this folder names it",
        )


def most_partitions(context: Any, folder: str) -> int:
    """Return the highest number of partitions that a checkpoint has had. All task numbers are below it."""
    saved = read(context, folder) or {}
    return int(saved.get(MOST_PARTITIONS, saved["partitions"]))


def differences(before: Any, after: Any, path: str) -> Iterator[tuple[str, Any, Any]]:
    """Yield each (path, before, after) at which two JSON values differ."""
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

    The field `sets` (values of IN lists) is left out: expressions name each set by a hash of its values.
    """
    if isinstance(value, SqlType):
        return str(value).replace("``", "`")  # Earlier checkpoints have one backquote.
    if isinstance(value, UserFunction):
        # The JSON has the function's name, not its code: the user decides if state fits changed code.
        return value.name
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
    """Return {"state": layout} for an operator or an aggregate call; {} if it has its first layout.

    The first layout is not written to the fingerprint file.
    """
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
        "job": plain(shaping(job)),
    }


def shaping(job: JobSpec) -> JobSpec:
    """Return the job without the parts that may be added or removed while a checkpoint is kept.

    These parts are the sinks of dead letters, and operators that do not change rows (Entry.shapes_rows).
    """
    chains = (
        replace(chain, operators=tuple(o for o in chain.operators if entry(type(o)).shapes_rows))
        for chain in job.chains
    )
    sinks = tuple(sink for sink in job.sinks if not sink.takes_dead_letters)
    return replace(job, chains=tuple(chains), sinks=sinks)


def shortened(text: str) -> str:
    """Return the beginning of a statement's text on one line."""
    tight = re.sub(r" (?=[(),.])|(?<=[(.]) ", "", text)
    return tight if len(tight) <= _SHOWN else f"{tight[:_SHOWN]}..."


def read(context: Any, folder: str) -> dict[str, Any] | None:
    """Return the content of the fingerprint file, None if there is none.

    Raises:
        JobError: The file is damaged.
    """
    RESCALE.complete_if_interrupted(folder)
    text = read_text(context, f"{folder}/{FILE}")
    if text is None:
        return None
    try:
        saved = json.loads(text)
        if not isinstance(saved, dict):
            raise ValueError("it is no JSON object")
    except ValueError as error:
        raise JobError(
            f"{folder}/{FILE}: the checkpoint's file is damaged: {error}",
            hint="restore the checkpoint from a copy, or begin again with an empty checkpoint folder and an "
            "empty sink",
        ) from error
    return saved


def _note(context: Any, folder: str, statement: str | None) -> None:
    """Store the statement's present text, by which the next run finds the folder. None changes nothing."""
    if statement is None or read_text(context, f"{folder}/{STATEMENT}") == statement:
        return
    write_text(context, f"{folder}/{STATEMENT}", statement)


def _write(context: Any, folder: str, value: dict[str, Any]) -> None:
    """Write the fingerprint file atomically, but never over one that another run has created in the meantime.

    Sinks know the job by the ID in it.
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
    """Rename a file, if no other file has the name. Return whether it was renamed."""
    source, target = local_folder(file), local_folder(to)
    if source is None or target is None:
        return not exists(context, to) and move(context, file, to)
    try:
        os.link(source, target)
    except FileExistsError:
        return False
    except OSError:  # The file system has no hard links.
        return not target.exists() and move(context, file, to)
    delete(context, file)  # Delete the file, with the checksum file that Hadoop keeps beside it.
    return True
