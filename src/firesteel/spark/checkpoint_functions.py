"""Warnings about what a job brings to a checkpoint and what the checkpoint does not take over."""

from __future__ import annotations

import json
import warnings
from typing import Any

from firesteel.errors import FiresteelWarning
from firesteel.functions.python.code_digest import code_digest, is_changed
from firesteel.job.spec import JobSpec
from firesteel.spark.checkpoint.fingerprint import Layout
from firesteel.spark.errors import functions_of
from firesteel.spark.internals.hadoop_files import read_text, write_text

FILE = "functions.json"


def note_functions(context: Any, folder: str, job: JobSpec) -> None:
    """Warn of each user-defined function whose code changed since the last run, and note the code of now.

    State and rows that were sent before come from the code of then. What the new code computes for such a
    row may be another value: a retraction of it then takes away a row that was never sent.

    Args:
        context: Spark's; None for a folder of this machine.
        folder: The statement's folder in a checkpoint.
        job: The job that goes on from it.
    """
    now = {function.name: code_digest(function) for function in functions_of(job)}
    if not now:
        return
    before = _digests(read_text(context, f"{folder}/{FILE}"))
    for name in sorted(now):
        if is_changed(before.get(name, ""), now[name]):
            warnings.warn(
                f"the code of function {name} changed since the checkpoint {folder} was used last: results "
                "and state from before are of the old code, and retractions of them may not fit (see "
                "`firesteel help user-defined-functions`)",
                FiresteelWarning,
                stacklevel=2,
            )
    known = before | {name: digest for name, digest in now.items() if digest}
    if known != before:
        write_text(context, f"{folder}/{FILE}", json.dumps(known, indent=1, sort_keys=True))


def _digests(text: str | None) -> dict[str, str]:
    """The digests in the file; none if it is damaged, as nothing but a warning depends on it."""
    try:
        found = json.loads(text or "{}")
    except ValueError:
        return {}
    return {str(k): str(v) for k, v in found.items()} if isinstance(found, dict) else {}


def warn_of_layout(folder: str, key_groups: int, parallelism: int, layout: Layout) -> None:
    """Warn of settings that are fixed for the life of a checkpoint and are set to other values.

    Args:
        folder: The statement's folder in a checkpoint.
        key_groups: `pipeline.max-parallelism`, 0 if it is not set.
        parallelism: `parallelism.default`, 0 if it is not set.
        layout: What the checkpoint has.
    """
    for option, wanted, has in (
        ("pipeline.max-parallelism", key_groups, layout.key_groups),
        ("parallelism.default", parallelism, layout.partitions),
    ):
        if wanted not in (0, has):
            warnings.warn(
                f"'{option}' = {wanted} is ignored: the checkpoint {folder} was made with {has}, "
                "for its life",
                FiresteelWarning,
                stacklevel=2,
            )
