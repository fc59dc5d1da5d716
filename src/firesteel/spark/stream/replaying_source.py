"""ReplayingSource, which adds the rows of replayed dead letters to a source (spark/checkpoint/replays.py).

A replay is a set of dead letters that a job reads again at once. The offset names the last replay that the
source has read. So the offsets of a micro-batch tell which replays it has, also when it is repeated.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from firesteel.connectors.base import Offset, ReadLimit, Split
from firesteel.errors import JobError
from firesteel.spark.checkpoint.replays import TAKEN, ReplayRows


@dataclass(frozen=True)
class SourceReplays:
    """Replays of one source.

    Attributes:
        rows: Rows of each replay in each watermark channel, in the order of the replays.
        alone: Whether the source reads only replays, and no data of its own, until the job ends.
    """

    rows: tuple[ReplayRows, ...] = ()
    alone: bool = False


NO_REPLAYS = SourceReplays()


class ReplayingSource:
    """Source that wraps another source, and adds the rows of new replays to its next micro-batch.

    Args:
        source: The wrapped source.
        replays: The replays.
    """

    def __init__(self, source: Any, replays: SourceReplays) -> None:
        self._source = source
        self._replays = replays

    def initial_offset(self) -> Offset:
        found: Offset = self._source.initial_offset()
        return found

    def latest_offset(self, start: Offset, limit: ReadLimit) -> Offset:
        """Return the offset at which a micro-batch from `start` ends; `start` if there is nothing to read.

        The micro-batch has the rows of all replays that are newer than the one named in `start`.
        """
        own, taken = without_replays(start), _taken(start)
        last = max([taken, *(rows.name for rows in self._replays.rows)])
        latest = own if self._replays.alone else self._source.latest_offset(own, limit)
        if latest == own and last == taken:
            return start
        return {**latest, TAKEN: last} if last else latest

    def splits_between(self, start: Offset, end: Offset, parallelism: int) -> list[Split]:
        """Return the splits of the wrapped source between two offsets, without replayed rows."""
        own, last = without_replays(start), without_replays(end)
        found: list[Split] = self._source.splits_between(own, last, parallelism) if own != last else []
        return found

    def replayed_between(self, start: Offset, end: Offset) -> list[Split]:
        """Return the splits that hold the rows of the replays which are read between two offsets.

        Raises:
            JobError: The checkpoint has lost a replay.
        """
        begin, last = _taken(start), _taken(end)
        if begin == last:
            return []
        if last not in [rows.name for rows in self._replays.rows]:
            raise JobError(
                f"the checkpoint has lost its replay {last}", hint="restore the checkpoint from a copy"
            )
        return [
            Split(0, {}, channel=rows.channel, rows=Path(rows.file).read_bytes())
            for rows in self._replays.rows
            if begin < rows.name <= last
        ]


def without_replays(offset: Offset) -> Offset:
    """Return an offset without the name of the last replay."""
    return {key: value for key, value in offset.items() if key != TAKEN}


def _taken(offset: Offset) -> str:
    found: str = offset.get(TAKEN, "")
    return found
