"""What a checkpoint was made for: the job, its key groups and partitions, kept beside Spark's files.

A checkpoint can go on only with the same chains: its state and offsets mean nothing to others. The sink
may get other options. Key groups and partitions stay as they were when it was made.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, fields, is_dataclass
from enum import Enum
from typing import Any
from uuid import uuid4

from firesteel.errors import JobError, UsageError
from firesteel.runtime.hashing import fingerprint as hashing
from firesteel.runtime.spec import JobSpec, UserFunction
from firesteel.types.sql import SqlType

FILE = "firesteel.json"
VERSION = 1
"""Of this file and of what the state's layout means."""

_FREE = ("sink.options", "sink.constraints", "bounded")
"""Parts of a job that may change."""


@dataclass(frozen=True)
class Layout:
    """key_groups: how many the keys are spread over. partitions: how many tasks own them."""

    key_groups: int
    partitions: int


def check_or_write(context: Any, folder: str, job: JobSpec, wanted: Layout) -> Layout:
    """Write the fingerprint where there is none, else compare; the layout that the checkpoint has.

    Raises UsageError that names the first difference, JobError for a file that cannot be read.
    """
    saved = _read(context, folder)
    if saved is None:
        _write(context, folder, {"id": uuid4().hex} | _fingerprint(job, wanted))
        return wanted
    now = _fingerprint(job, Layout(saved["key_groups"], saved["partitions"]))
    for part in ("version", "hashing", "job"):
        for path, before, after in differences(saved[part], now[part], part if part != "job" else ""):
            if not path.startswith(_FREE):
                raise UsageError(
                    f"the checkpoint {folder} belongs to another query: "
                    f"{path} was {_short(before)} and is {_short(after)}",
                    hint="run the query it was made with, or give this one an empty checkpoint folder",
                )
    return Layout(saved["key_groups"], saved["partitions"])


def job_id(context: Any, folder: str) -> str:
    """The name under which the checkpoint's job is known to sinks; it does not change."""
    saved = _read(context, folder)
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
        return {"is": type(value).__name__} | {f.name: plain(getattr(value, f.name)) for f in fields(value)}
    if isinstance(value, (tuple, list)):
        return [plain(item) for item in value]
    return value


def _fingerprint(job: JobSpec, layout: Layout) -> dict[str, Any]:
    return {
        "version": VERSION,
        "hashing": hashing(),
        "key_groups": layout.key_groups,
        "partitions": layout.partitions,
        "job": plain(job),
    }


def _short(value: Any) -> str:
    text = "absent" if value is None else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 200 else text[:197] + "..."


def _read(context: Any, folder: str) -> dict[str, Any] | None:
    path = _path(context, folder, FILE)
    system = path.getFileSystem(context._jsc.hadoopConfiguration())
    if not system.exists(path):
        return None
    stream = system.open(path)
    try:
        text = context._jvm.org.apache.commons.io.IOUtils.toString(stream, "UTF-8")
        saved: dict[str, Any] = json.loads(text)
        return saved
    except ValueError as error:
        raise JobError(f"{folder}/{FILE} is damaged: {error}") from error
    finally:
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
