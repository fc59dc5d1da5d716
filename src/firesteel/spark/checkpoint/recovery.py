"""Check that a checkpoint and its sinks agree before a job continues, and recover them if the user asks.

A sink records the number, the lineage and the offsets of its last micro-batch (connectors/positions.py). A
checkpoint that was restored from an older copy, or has lost offsets, would give this number to other rows.
The sink would drop these rows as repeated. The job is therefore refused, unless `firesteel.sink-recovery` is:

    deliver-again      The sinks forget the micro-batches after the checkpoint, and get them again.
    resume-from-sink   The next micro-batch reads up to the position of the sinks. The sinks drop its rows,
                       because they have its number. So its rows only change the state.

Both give the checkpoint a new lineage, so that no other copy of it continues unnoticed. The steps are saved
first (recovery_plan.py), so that the next run completes an interrupted recovery.

A sink that was restored from an older copy is behind the checkpoint, and is refused, too (sink_behind.py).
"""

from __future__ import annotations

import json
import time
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any
from uuid import uuid4

from firesteel.connectors.positions import Origin, Position
from firesteel.errors import FiresteelError, NotSupportedError, UsageError
from firesteel.spark.checkpoint.batch_origins import BatchOrigins, batches, offsets_text
from firesteel.spark.checkpoint.changed_files import ChangedFiles
from firesteel.spark.checkpoint.recovery_plan import (
    ACCEPT_LOSS,
    DELIVER_AGAIN,
    REFUSE,
    RESUME,
    Plan,
    carry_out,
    finish,
    lineage_of,
)
from firesteel.spark.checkpoint.sink_behind import (
    Behind,
    cannot_go_back,
    description_of,
    furthest_behind,
    not_again,
    refusal,
)
from firesteel.spark.checkpoint.sink_positions import SinkPositions
from firesteel.spark.checkpoint.snapshots import first_batch
from firesteel.spark.delivery import Delivery

Positions = dict[str, Mapping[int, Position]]
"""Positions of sinks: for the name by which a sink knows the job, the position of each task of the sink."""


@dataclass(frozen=True)
class Settled:
    """Agreed state of a checkpoint and its sinks, from which a job continues."""

    origins: BatchOrigins
    """Origins: for each micro-batch, the range of source rows that it has read."""
    record: SinkPositions
    """Recorded positions of the sinks."""


def settle(
    context: Any, folder: str, delivery: Delivery, partitions: int, recovery: str = REFUSE, *, framed: bool
) -> Settled:
    """Check the checkpoint against its sinks, and recover them if asked.

    Args:
        context: The SparkContext.
        folder: Folder of the checkpoint.
        delivery: The job's sinks.
        partitions: Highest number of shuffle partitions that the job has had. Task numbers are below it.
        recovery: The value of `firesteel.sink-recovery`.
        framed: Whether a source is a streaming DataFrame. Spark keeps the meaning of its offsets in a log of
            the source, so `resume-from-sink` is not possible.

    Raises:
        UsageError: The checkpoint and the sinks disagree, and `recovery` is `refuse`.
        NotSupportedError: `recovery` cannot resolve this disagreement.
    """
    sinks = delivery.positioned
    finish(context, folder, sinks)
    origins = BatchOrigins(context, folder, lineage_of(context, folder))
    record = SinkPositions(context, folder, sinks)
    if not sinks:
        return Settled(origins, record)
    log = _Log.read(context, folder)
    found = {name: sink.positions(name, partitions) for name, sink in sinks.items()}
    behind = furthest_behind(found, record, delivery.sink_forgets_after)
    if behind is not None and recovery == ACCEPT_LOSS:
        record.replace(found)
        behind = None
    plan = (
        _without_conflict(found, log, origins, delivery, recovery, framed=framed)
        if behind is None
        else _gone_back(found, behind, log, origins, delivery, recovery)
    )
    if plan is None:
        record.accept(found)
        return Settled(origins, record)
    carry_out(context, folder, plan, sinks)
    return Settled(BatchOrigins(context, folder, plan.lineage), SinkPositions(context, folder, sinks))


def settle_changed_files(
    context: Any, folder: str, delivery: Delivery, partitions: int, recovery: str, changed: ChangedFiles
) -> None:
    """Move sinks back if they have rows of files that have changed, and update the logs of these files.

    A sink that has rows of an uncommitted micro-batch gets the position of the last committed one. Its rows
    stay. Call `settle` before this function. After this function, call `settle` again, with DELIVER_AGAIN.

    Raises:
        UsageError: A sink has rows of the files' earlier content, and `recovery` is not `deliver-again`.
    """
    sinks, log = delivery.positioned, _Log.read(context, folder)
    found = {name: sink.positions(name, partitions) for name, sink in sinks.items()}
    name = next(
        (n for n, positions in found.items() if any(p.batch >= log.next for p in positions.values())), None
    )
    if name is not None:
        if recovery != DELIVER_AGAIN:
            raise UsageError(
                f"{changed.first} has changed, and the sink {delivery.table(name)} has rows of micro-batch "
                f"{log.next} that were made from the file as it was. The checkpoint {folder} has not "
                "taken them in.",
                hint=f"bring the file back as it was; or add --recover {DELIVER_AGAIN}: rows of the file as "
                "it is now come on top of those",
            )
        origins = BatchOrigins(context, folder, lineage_of(context, folder))
        lineage = uuid4().hex
        back = log.next - 1
        moved = _each(found, lambda p: _moved_back(p, back, origins, lineage))
        carry_out(context, folder, Plan(lineage, moved), sinks)
    changed.mend()


def _moved_back(position: Position, last: int, origins: BatchOrigins, lineage: str) -> Position:
    batch = min(position.batch, last)
    return Position(batch, _of(origins, batch, lineage))


def _gone_back(
    found: Positions, behind: Behind, log: _Log, origins: BatchOrigins, delivery: Delivery, recovery: str
) -> Plan:
    """Return a plan that moves the checkpoint back to a sink that is behind, and the other sinks with it.

    Raises:
        UsageError: `recovery` is `refuse`.
        NotSupportedError: `recovery` is `resume-from-sink`, or the checkpoint cannot go back so far.
    """
    description = description_of(behind, delivery.table(behind.sink), log.folder)
    gone = cannot_go_back(log.context, log.folder, behind, origins)
    if recovery == RESUME:
        raise not_again(description, behind, f"{RESUME} is for a sink that is ahead of the checkpoint")
    if recovery != DELIVER_AGAIN:
        raise refusal(description, behind, gone)
    if gone is not None:
        raise not_again(description, behind, gone)
    first = behind.last + 1
    plan = _delivered_again(found, replace(log, last=first, next=first), origins, uuid4().hex)
    return replace(plan, back_to=first)


def _without_conflict(
    found: Positions, log: _Log, origins: BatchOrigins, delivery: Delivery, recovery: str, *, framed: bool
) -> Plan | None:
    """Return a plan after which the checkpoint agrees with sinks that are ahead of it; None if all agree.

    Raises:
        UsageError: A sink disagrees with the checkpoint, and `recovery` names no way to go on.
        NotSupportedError: `recovery` cannot resolve this disagreement.
    """
    conflict = next(_conflicts(found, log, origins), None)
    if conflict is None:
        return None
    description = f"{_described(conflict, delivery, log)} of the checkpoint {log.folder}"
    if recovery == DELIVER_AGAIN:
        return _delivered_again(found, log, origins, uuid4().hex)
    if recovery == RESUME:
        extra = {name for name in found if delivery.is_extra(name)}
        return _resumed(found, log, origins, uuid4().hex, description, framed=framed, extra=extra)
    raise UsageError(
        f"{description}. {_CAUSE}",
        hint="put the newest checkpoint back; or run once with one of: "
        f"--recover {DELIVER_AGAIN} (what came after the checkpoint is delivered again: consumers see "
        f"those changes twice), --recover {RESUME} (the job reads up to where the sink stands without "
        "delivering, and goes on from there)",
    )


_CAUSE = (
    "The checkpoint was restored from an older copy, or has lost files: it would give the numbers that the "
    "sink has to other rows, and the sink would drop these."
)


# --- logs and conflicts ---------------------------------------------------------------------------
@dataclass(frozen=True)
class _Log:
    """State of the offsets and commits that Spark has logged in a checkpoint."""

    context: Any
    """The SparkContext."""
    folder: str
    """Folder of the checkpoint."""
    last: int
    """Last planned batch, -1 for none."""
    next: int
    """Batch that Spark will run first: the last planned one again if it is not committed."""

    @classmethod
    def read(cls, context: Any, folder: str) -> _Log:
        planned = batches(context, folder, "offsets")
        return cls(context, folder, planned[-1] if planned else -1, first_batch(context, folder))


@dataclass(frozen=True)
class _Conflict:
    """A position of a sink that disagrees with the checkpoint."""

    sink: str
    position: Position
    what: str


def _conflicts(found: Positions, log: _Log, origins: BatchOrigins) -> Iterator[_Conflict]:
    """Yield all conflicts between sinks and checkpoint, starting with the highest batch number."""
    notes = [(name, each) for name, positions in found.items() for each in positions.values()]
    for name, position in sorted(notes, key=lambda note: -note[1].batch):
        origin = position.origin
        if position.batch > log.last:
            yield _Conflict(name, position, "which is not in the log")
        elif origin.is_known and origin.lineage != origins.lineage:
            yield _Conflict(name, position, "which comes from another copy")
        elif not origin.is_of_same_rows(origins.of(position.batch)):
            yield _Conflict(name, position, "which has other offsets in the log")


def _described(conflict: _Conflict, delivery: Delivery, log: _Log) -> str:
    planned = "no micro-batch" if log.last < 0 else f"micro-batches up to {log.last}"
    at = (
        f" (read up to {', '.join(conflict.position.origin.offsets)})"
        if conflict.position.origin.offsets
        else ""
    )
    return (
        f"the sink {delivery.table(conflict.sink)} has micro-batch {conflict.position.batch}{at}, "
        f"{conflict.what}, with {planned},"
    )


def _delivered_again(found: Positions, log: _Log, origins: BatchOrigins, lineage: str) -> Plan:
    """Return a plan that moves the sinks back to the checkpoint (`deliver-again`).

    Spark may run its last planned batch again. A task of a sink that has all its rows of this batch keeps its
    position, and so drops the repeated rows.
    """

    def moved(position: Position) -> Position:
        has_next = position.is_whole and position.batch == log.next and not _differs(position, origins)
        batch = log.next if has_next else min(position.batch, log.next - 1)
        return Position(batch, _of(origins, batch, lineage))

    return Plan(lineage, _each(found, moved))


def _resumed(
    found: Positions, log: _Log, origins: BatchOrigins, lineage: str, description: str, *, framed: bool,
    extra: Collection[str],
) -> Plan:  # fmt: skip
    """Return a plan in which the next batch reads up to where the sinks are (`resume-from-sink`).

    The sinks already have the rows of this next batch. So the plan sets the position of each sink to the next
    batch, and the sinks drop its rows. `extra` has the names of the sinks for rows that other sinks refuse.
    `Origin.parts` does not count the positions of these sinks.

    Raises:
        NotSupportedError: One of these cases:
            - A source is a streaming DataFrame (`framed`), which keeps a log of its own.
            - The sinks are not ahead of the checkpoint, or their last batch is of another lineage.
            - The sinks have not recorded the source offsets at which their last batch ends.
            - A sink may lack rows of this last batch, because not all of its positions were found.
            - The checkpoint has no committed batch whose end the next batch could begin at, or this batch has
              another number of sources.
    """
    furthest = max((each for p in found.values() for each in p.values()), key=lambda each: each.batch)
    origin = furthest.origin
    text = offsets_text(log.context, log.folder, log.next - 1) if log.next else None
    parts = (each for name, p in found.items() if name not in extra for each in p.values())
    made = sum(each.is_whole and each.batch == furthest.batch for each in parts)
    has_part = any(not each.is_whole for p in found.values() for each in p.values())
    if framed:
        raise _not_so(description, "a source is a DataFrame, which keeps a log of its own")
    if furthest.batch < log.next or origin.lineage not in ("", origins.lineage):
        raise _not_so(description, "the sink is not ahead of it on the same way")
    if not origin.offsets:
        raise _not_so(
            description, "the sink has not noted where it stands in the sources (an earlier version wrote it)"
        )
    if has_part or made < origin.parts:
        raise _not_so(
            description, f"the sinks have {made} of {origin.parts} parts of micro-batch {furthest.batch}"
        )
    if text is None or len(text.splitlines()) != len(origin.offsets) + 2:
        raise _not_so(
            description, "the checkpoint has no micro-batch before, from which the job could read on"
        )
    begin = origins.of(log.next - 1).end or origins.digest(text.splitlines()[2:])
    there = Position(log.next, Origin(lineage, begin, origin.end, origin.parts, origin.offsets))
    return Plan(lineage, _each(found, lambda _: there), log.next, _planned(text, origin.offsets))


def _planned(before: str, offsets: tuple[str, ...]) -> str:
    """Return the content of Spark's offsets file for a batch that ends at `offsets`.

    `before` is the content of the previous batch's file.
    """
    version, metadata, *_ = before.splitlines()
    settings = json.loads(metadata) | {"batchTimestampMs": int(time.time() * 1000)}
    return "\n".join((version, json.dumps(settings, separators=(",", ":")), *offsets))


def _each(found: Positions, moved: Any) -> dict[str, dict[int, Position]]:
    return {name: {task: moved(each) for task, each in p.items()} for name, p in found.items()}


def _differs(position: Position, origins: BatchOrigins) -> bool:
    other_lineage = position.origin.is_known and position.origin.lineage != origins.lineage
    return other_lineage or not position.origin.is_of_same_rows(origins.of(position.batch))


def _of(origins: BatchOrigins, batch: int, lineage: str) -> Origin:
    """Return the origin of a batch with the given lineage; an unknown origin if its offsets are missing."""
    known = origins.of(batch) if batch >= 0 else Origin()
    return replace(known, lineage=lineage) if known.is_known else Origin()


def _not_so(description: str, why: str) -> FiresteelError:
    return NotSupportedError(
        f"{description}: the job cannot resume from the sink, as {why}",
        hint=f"put the newest checkpoint back, or run once with --recover {DELIVER_AGAIN}",
    )
