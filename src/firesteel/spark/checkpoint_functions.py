"""Warnings about settings and code of a job that differ from those in its checkpoint."""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from typing import Any

from firesteel.errors import FiresteelWarning
from firesteel.functions.python.code_digest import code_digest, is_changed
from firesteel.job.spec import JobSpec
from firesteel.spark.checkpoint.fingerprint import Layout
from firesteel.spark.errors import functions_of
from firesteel.spark.internals.hadoop_files import read_text, write_text

FILE = "functions.json"


def note_functions(context: Any, folder: str, job: JobSpec) -> None:
    """Warn of each user-defined function whose code has changed since the last run.

    Then store the digests of the current code in the folder.

    State and sent rows come from the old code. If the new code computes another value when such a row is
    retracted, the retraction does not match the row that was sent.

    Args:
        context: The SparkContext; None for a folder of this machine.
        folder: The statement's folder in a checkpoint.
        job: The job that continues from the folder.
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


def noted_digests(folder: Path) -> dict[str, str]:
    """Return the digest of each function's code by name, as stored when a checkpoint was used last.

    Args:
        folder: The statement's folder in a checkpoint on this machine.
    """
    file = folder / FILE
    return _digests(file.read_text(encoding="utf-8") if file.exists() else None)


def _digests(text: str | None) -> dict[str, str]:
    """Return the digests in a file; empty if the file is damaged, because only a warning depends on them."""
    try:
        found = json.loads(text or "{}")
    except ValueError:
        return {}
    return {str(k): str(v) for k, v in found.items()} if isinstance(found, dict) else {}


def warn_of_layout(folder: str, key_groups: int, parallelism: int, layout: Layout) -> None:
    """Warn of each setting that is ignored because the checkpoint has another value.

    Args:
        folder: The statement's folder in a checkpoint.
        key_groups: Value of `pipeline.max-parallelism`, 0 if it is not set.
        parallelism: Value of `parallelism.default`, 0 if it is not set.
        layout: Values of the checkpoint.
    """
    for option, wanted, has, until in (
        ("pipeline.max-parallelism", key_groups, layout.key_groups, "for its life"),
        ("parallelism.default", parallelism, layout.partitions, "and `firesteel rescale` changes that"),
    ):
        if wanted not in (0, has):
            warnings.warn(
                f"'{option}' = {wanted} is ignored: the checkpoint {folder} has {has}, {until}",
                FiresteelWarning,
                stacklevel=2,
            )
