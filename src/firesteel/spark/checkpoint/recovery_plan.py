"""Steps of a recovery (recovery.py), saved in the checkpoint until all are done.

Each step can be repeated.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from firesteel.connectors.filesystem.log import RESUMED
from firesteel.connectors.positions import Position, PositionedSink, from_json, to_json
from firesteel.errors import JobError
from firesteel.spark.checkpoint.batch_origins import batches
from firesteel.spark.checkpoint.durable_names import sync_folder_name, sync_name
from firesteel.spark.checkpoint.fingerprint import SPARK, job_id
from firesteel.spark.checkpoint.sink_positions import SinkPositions
from firesteel.spark.checkpoint.snapshots import remove_versions_after
from firesteel.spark.internals.hadoop_files import delete, move, names, read_text, write_text

LINEAGE, PLAN = "lineage", "recovery.json"
"""Files in a checkpoint's folder: its lineage, if it differs from the checkpoint's ID, and a saved plan."""

REFUSE, DELIVER_AGAIN, RESUME = "refuse", "deliver-again", "resume-from-sink"
ACCEPT_LOSS = "accept-loss"
"""Value of `firesteel.sink-recovery` that continues although a sink lacks rows."""


@dataclass(frozen=True)
class Plan:
    """The changes that a recovery makes."""

    lineage: str
    """New lineage of the checkpoint."""
    positions: Mapping[str, Mapping[int, Position]]
    """New positions of the sinks: for the name by which a sink knows the job, those of its tasks."""
    batch: int | None = None
    """Batch whose offsets change; None if no offsets change."""
    offsets: str = ""
    """New content of Spark's offsets file of that batch."""
    back_to: int | None = None
    """Batch to which the checkpoint goes back, so that Spark runs it next; None if it does not go back."""


def lineage_of(context: Any, folder: str) -> str:
    """Return the lineage of a checkpoint."""
    return read_text(context, f"{folder}/{LINEAGE}") or job_id(context, folder)


def carry_out(context: Any, folder: str, plan: Plan, sinks: Mapping[str, PositionedSink]) -> None:
    """Save a plan in the checkpoint, then execute it.

    Raises:
        JobError: The checkpoint cannot be written, or a sink refuses. The next run then completes the plan.
    """
    value = {
        "lineage": plan.lineage,
        "batch": plan.batch,
        "offsets": plan.offsets,
        "back_to": plan.back_to,
        "positions": {name: _plain(positions) for name, positions in plan.positions.items()},
    }
    draft = f"{folder}/.{PLAN}"
    write_text(context, draft, json.dumps(value, indent=1))
    sync_name(folder, f".{PLAN}")
    if not move(context, draft, f"{folder}/{PLAN}"):
        raise JobError(f"{folder}/{PLAN} cannot be written")
    sync_name(folder, PLAN)
    _do(context, folder, plan, sinks)


def finish(context: Any, folder: str, sinks: Mapping[str, PositionedSink]) -> None:
    """Complete the plan of an interrupted recovery, if there is one."""
    text = read_text(context, f"{folder}/{PLAN}")
    if text is None:
        return
    value = json.loads(text)
    positions = {name: _read(each) for name, each in value["positions"].items()}
    plan = Plan(value["lineage"], positions, value["batch"], value["offsets"], value.get("back_to"))
    _do(context, folder, plan, sinks)


def _do(context: Any, folder: str, plan: Plan, sinks: Mapping[str, PositionedSink]) -> None:
    if plan.back_to is not None:
        _go_back(context, folder, plan.back_to)
    if plan.batch is not None:
        for source in names(context, f"{folder}/sources", folders_only=True):
            _write(context, folder, f"sources/{source}/{RESUMED}", "")
        _write(context, folder, f"{SPARK}/offsets/{plan.batch}", plan.offsets)
    for name, positions in plan.positions.items():
        if name in sinks:
            sinks[name].move(name, positions)
    SinkPositions(context, folder, sinks).replace(plan.positions)
    _write(context, folder, LINEAGE, plan.lineage)
    delete(context, f"{folder}/{PLAN}")
    sync_name(folder, LINEAGE)


def _go_back(context: Any, folder: str, batch: int) -> None:
    """Make Spark run a planned batch next, as if no later one had been planned."""
    for log, first in (("commits", batch), ("offsets", batch + 1)):
        for number in reversed(batches(context, folder, log)):
            if number >= first:
                delete(context, f"{folder}/{SPARK}/{log}/{number}")
        sync_folder_name(folder, f"{SPARK}/{log}")
    remove_versions_after(context, folder, batch)


def _write(context: Any, folder: str, name: str, text: str) -> None:
    write_text(context, f"{folder}/{name}", text)
    sync_name(folder, name)


def _plain(positions: Mapping[int, Position]) -> dict[str, Any]:
    return {str(t): {"batch": p.batch, "origin": to_json(p.origin)} for t, p in positions.items()}


def _read(value: Mapping[str, Any]) -> dict[int, Position]:
    return {int(t): Position(p["batch"], from_json(p["origin"])) for t, p in value.items()}
