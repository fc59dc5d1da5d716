"""Check for sinks that lack micro-batches which the checkpoint has delivered, and ways to continue with them.

A sink that was restored from an older copy, or whose position was removed, is behind the position that the
checkpoint records (sink_positions.py). Without this check, the job would continue and those rows would be
missing. The job is refused, unless `firesteel.sink-recovery` is:

    deliver-again   The checkpoint goes back to the position of the sink and delivers all later rows again. It
                    can do so for the last hundred micro-batches, of which Spark keeps offsets and state.
    accept-loss     The job continues, and those rows stay missing.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from firesteel.connectors.positions import NOTHING, Origin, Position
from firesteel.errors import NotSupportedError, UsageError
from firesteel.spark.checkpoint.batch_origins import BatchOrigins, batches
from firesteel.spark.checkpoint.recovery_plan import ACCEPT_LOSS, DELIVER_AGAIN
from firesteel.spark.checkpoint.sink_positions import SinkPositions, whole_batch

_FORGETTING = 0.9
"""Fraction of the time for which a sink keeps a position (`forgets_after`).

A position may be missing at the sink. If the checkpoint recorded it longer ago than this fraction, the sink
has removed it as expired. Otherwise, the position is lost: the sink lacks micro-batches.
"""


@dataclass(frozen=True)
class Behind:
    """Position of a task of a sink that lacks micro-batches."""

    sink: str
    """Name by which the sink knows the job."""
    position: Position
    """Position that the sink has stored."""
    recorded: int
    """Last micro-batch that the sink had according to the checkpoint."""

    @property
    def last(self) -> int:
        """Return the last micro-batch that the sink has completely, -1 for none."""
        return whole_batch(self.position)

    @property
    def missing(self) -> str:
        """Return the numbers of the micro-batches that the sink lacks, as text."""
        first = self.last + 1
        return (
            f"micro-batch {first}" if first == self.recorded else f"micro-batches {first} to {self.recorded}"
        )


def furthest_behind(
    found: Mapping[str, Mapping[int, Position]],
    record: SinkPositions,
    forgets: Callable[[str], float | None],
) -> Behind | None:
    """Return the task of a sink whose last complete micro-batch is the earliest, None if no sink lacks any.

    A sink is left out if it now keeps its positions in another place (PositionedSink.place), such as another
    database, and has none there. Such a sink is new and starts with the next micro-batch.

    Args:
        found: The positions that the sinks have.
        record: The positions that the checkpoint records. Those of sinks that are left out are removed.
        forgets: Function from a sink's name to the seconds for which it keeps positions; None for no limit.
    """
    for name in [name for name in found if not found[name] and record.has_moved(name)]:
        record.forget(name)
    return min(_behind(found, record, forgets), key=lambda each: each.last, default=None)


def _behind(
    found: Mapping[str, Mapping[int, Position]],
    record: SinkPositions,
    forgets: Callable[[str], float | None],
) -> Iterator[Behind]:
    now = time.time()
    for name, positions in found.items():
        for task, reached in record.reached.get(name, {}).items():
            position = positions.get(task, NOTHING)
            if whole_batch(position) >= reached.batch:
                continue
            seconds = forgets(name) if position.batch < 0 else None
            if seconds is None or now - reached.seconds < _FORGETTING * seconds:
                yield Behind(name, position, reached.batch)


def description_of(behind: Behind, table: str, folder: str) -> str:
    """Return the beginning of an error: the last batch that the sink has, and the one in the checkpoint.

    Args:
        behind: Position of the sink.
        table: Path of the sink's table.
        folder: Folder of the checkpoint.
    """
    has = f"ends with micro-batch {behind.last}" if behind.last >= 0 else "has no micro-batch"
    return (
        f"the sink {table} {has}{_read_up_to(behind.position.origin)}, and the checkpoint {folder} has "
        f"delivered micro-batches up to {behind.recorded} to it"
    )


def refusal(description: str, behind: Behind, gone: str | None) -> UsageError:
    """Return the error for a sink that is behind.

    Args:
        description: Beginning of the message, from `description_of`.
        behind: The sink.
        gone: Reason why the checkpoint cannot deliver the missing rows again; None if it can.
    """
    ways = ["put the newest copy of the sink back"]
    if gone is None:
        ways.append(
            f"run once with --recover {DELIVER_AGAIN} (the checkpoint goes back to the position of the sink "
            "and delivers all after it again; other sinks of the job get those changes twice)"
        )
    else:
        ways.append("start over with an empty checkpoint folder and an empty sink")
    ways.append(f"run once with --recover {ACCEPT_LOSS} (the job goes on, and those rows stay missing)")
    why = "" if gone is None else f" They cannot be delivered again: {gone}."
    return UsageError(
        f"{description}. The sink was restored from an older copy, or its position was removed: the rows of "
        f"{behind.missing} would be missing.{why}",
        hint="; or ".join(ways),
    )


def not_again(description: str, behind: Behind, gone: str) -> NotSupportedError:
    """Return the error for a recovery that cannot deliver a sink's missing rows again.

    Args:
        description: Beginning of the message, from `description_of`.
        behind: Position of the sink.
        gone: Reason why the rows cannot be delivered again.
    """
    return NotSupportedError(
        f"{description}: {behind.missing} cannot be delivered again, as {gone}",
        hint="put the newest copy of the sink back; or start over with an empty checkpoint folder and an "
        f"empty sink; or run once with --recover {ACCEPT_LOSS} (the job goes on, those rows stay missing)",
    )


def cannot_go_back(context: Any, folder: str, behind: Behind, origins: BatchOrigins) -> str | None:
    """Return why the checkpoint cannot go back to the position of a sink, or None if it can.

    The checkpoint must have the offsets at which the first missing micro-batch begins and ends. The state is
    not checked: Spark keeps it for as many micro-batches as offsets.
    """
    planned, committed = batches(context, folder, "offsets"), batches(context, folder, "commits")
    last, first = behind.last, behind.last + 1
    if first not in planned or (last >= 0 and not (last in planned and last in committed)):
        oldest = min((each for each in committed if each in planned), default=None)
        kept = "none" if oldest is None else f"those from {oldest + 1 if oldest else 0} on"
        return (
            f"Spark keeps the offsets and state of the last hundred micro-batches, here {kept}"
            f"{_lost_rows(behind, origins, oldest)}"
        )
    if behind.position.is_whole and not _is_same(behind.position.origin, origins.of(last) if first else None):
        return f"the sink has micro-batch {last} with other rows than the checkpoint"
    return None


def _is_same(origin: Origin, planned: Origin | None) -> bool:
    """Return whether two origins end at the same offsets. The lineage may differ after a recovery."""
    if planned is None or not (origin.is_known and planned.is_known):
        return True
    return (origin.begin, origin.end) == (planned.begin, planned.end)


def _lost_rows(behind: Behind, origins: BatchOrigins, oldest: int | None) -> str:
    """Return a text for an error: the source rows between a sink's position and micro-batch `oldest`.

    `oldest` is the oldest micro-batch whose offsets and state Spark keeps; None if it keeps none.
    """
    until = origins.offsets(oldest) if oldest else ()
    begin = behind.position.origin.offsets
    since = f"after {', '.join(begin)}" if begin else "from the beginning" if behind.last < 0 else ""
    parts = [since, f"up to {', '.join(until)}" if until else ""]
    text = " ".join(part for part in parts if part)
    return f"; out of reach are the rows of the sources {text}" if text else ""


def _read_up_to(origin: Origin) -> str:
    return f" (read up to {', '.join(origin.offsets)})" if origin.offsets else ""
