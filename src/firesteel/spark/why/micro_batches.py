"""Past micro-batches of a checkpoint: the part of each source that they read, and their processing time."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from firesteel.connectors.base import Offset
from firesteel.errors import JobError, UsageError
from firesteel.spark.checkpoint.batch_origins import batches, offsets_text
from firesteel.spark.stream.batch_clock import ticks_between, time_of
from firesteel.spark.stream.reader_offset import has_ended, own_offset

_RUN = "run the job first"


@dataclass(frozen=True)
class SourcePart:
    """The part of a source that a micro-batch read.

    Spark's offset consists of the connector's offset and of entries that Firesteel's reader adds, such as the
    processing time.

    Attributes:
        start: Spark's offset before the micro-batch; None before the first micro-batch.
        end: Spark's offset after the micro-batch.
        since: The connector's offset before the micro-batch.
        until: The connector's offset after the micro-batch.
    """

    start: Offset | None
    end: Offset
    since: Offset
    until: Offset

    @property
    def has_moved(self) -> bool:
        """Whether the source's offset changed: because of rows, the source's end, or a tick."""
        return self.start != self.end

    @property
    def ends(self) -> bool:
        """Whether the source ended in this micro-batch."""
        return has_ended(self.end) and not (self.start is not None and has_ended(self.start))

    @property
    def now(self) -> int:
        """Processing time in milliseconds; 0 if the job has none."""
        return time_of(self.end)

    @property
    def is_tick(self) -> bool:
        """Whether due timers fired."""
        return ticks_between(self.start or {}, self.end)


@dataclass(frozen=True)
class PastBatch:
    """One past micro-batch, or all micro-batches up to the oldest one whose offsets the checkpoint keeps.

    Attributes:
        first: Number of the first micro-batch.
        last: Number of the last one.
        parts: The part of each source, in the order of Spark's offsets.
    """

    first: int
    last: int
    parts: tuple[SourcePart, ...]

    @property
    def now(self) -> int:
        """Processing time in milliseconds; 0 if the job has none."""
        return max((part.now for part in self.parts if part.has_moved), default=0)

    @property
    def name(self) -> str:
        """The number of the micro-batch as text, or the range of numbers such as `0-7`."""
        return str(self.last) if self.first == self.last else f"{self.first}-{self.last}"


def past_batches(folder: Path, starts: Sequence[Offset], at: int | None) -> list[PastBatch]:
    """Return the micro-batches of a statement up to number `at`, ascending.

    Args:
        folder: The statement's folder in a checkpoint.
        starts: Offset of each source's connector before the first micro-batch.
        at: Number of the last micro-batch; None for the last one that ended.

    Raises:
        UsageError: The checkpoint does not have the micro-batch.
        JobError: The offsets are lost or damaged.
    """
    last = _chosen(folder, at)
    kept = [number for number in batches(None, str(folder), "offsets") if number <= last]
    if not kept or kept != list(range(kept[0], last + 1)):
        raise JobError(
            f"the checkpoint {folder} has lost offsets of micro-batches up to {last}",
            hint="restore the checkpoint from a copy",
        )
    found: list[PastBatch] = []
    before: list[Offset | None] = [None] * len(starts)
    since = list(starts)
    for number in kept:
        ends = _offsets(folder, number, len(starts))
        parts = tuple(
            SourcePart(start, end, begin, own_offset(end))
            for start, end, begin in zip(before, ends, since, strict=True)
        )
        found.append(PastBatch(number if found else 0, number, parts))
        before, since = list(ends), [part.until for part in parts]
    return found


def _chosen(folder: Path, at: int | None) -> int:
    ended = batches(None, str(folder), "commits")
    if not ended:
        raise UsageError(f"no micro-batch of the checkpoint {folder} has ended", hint=_RUN)
    if at is None:
        return ended[-1]
    kept = batches(None, str(folder), "offsets")
    if at > ended[-1] or at < kept[0]:
        raise UsageError(
            f"the checkpoint {folder} does not have micro-batch {at}",
            hint=f"it has the micro-batches {kept[0]} to {ended[-1]}",
        )
    return at


def _offsets(folder: Path, number: int, sources: int) -> list[Offset]:
    text = offsets_text(None, str(folder), number)
    lines = [] if text is None else text.splitlines()[2:]
    try:
        found: list[Any] = [json.loads(line) for line in lines]
    except ValueError:
        found = []
    if len(found) != sources or not all(isinstance(each, dict) for each in found):
        raise JobError(
            f"the checkpoint {folder} has damaged offsets of micro-batch {number}",
            hint="restore the checkpoint from a copy",
        )
    return found
