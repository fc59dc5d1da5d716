"""Positions: the record that a sink keeps of its last micro-batch and of the origin of its rows.

A batch number alone is not enough. A checkpoint that was restored from an older copy continues at an earlier
number, so the same number may then stand for other rows. A sink therefore also records the lineage of the
checkpoint, and the source offsets at which the micro-batch begins and ends.
"""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Protocol, runtime_checkable

from firesteel.errors import JobError


@dataclass(frozen=True)
class Origin:
    """The range of source rows that a micro-batch is made from.

    The default is an unknown origin: the job has no checkpoint, or an earlier version of Firesteel recorded
    only the batch's number.
    """

    lineage: str = ""
    """ID of the checkpoint. A recovery that changes the delivered rows gives the checkpoint a new ID."""
    begin: str = ""
    """Digest of the offsets of all sources at which the batch begins; "" for the first batch."""
    end: str = ""
    """Digest of the offsets of all sources at which the batch ends."""
    parts: int = 0
    """Number of positions that all sinks and their tasks together record for this batch; 0 if unknown.

    If a recovery finds fewer positions of this batch, some sink or task has not written its rows.
    """
    offsets: tuple[str, ...] = ()
    """Offsets at the end of the batch as Spark writes them, one for each source; () if unknown."""

    @property
    def is_known(self) -> bool:
        """Return whether more is known than the batch's number."""
        return bool(self.lineage)

    def is_of_same_rows(self, other: Origin) -> bool:
        """Return whether both origins may stand for the same rows. An unknown origin matches any other."""
        if not (self.is_known and other.is_known):
            return True
        return (self.lineage, self.begin, self.end) == (other.lineage, other.begin, other.end)


UNKNOWN = Origin()
"""Origin of a batch of which only the number is known."""


@dataclass(frozen=True)
class Position:
    """The last micro-batch that a sink, or one task of it, has written."""

    batch: int
    """Number of the micro-batch; -1 if there is none."""
    origin: Origin = UNKNOWN
    """Range of source rows of that micro-batch."""
    is_whole: bool = True
    """Whether the sink, or the task, has written all its rows of the batch, not only some."""

    def has(self, batch: int, origin: Origin, place: str) -> bool:
        """Return whether the sink has the rows of this batch, so that they need not be written again.

        Args:
            batch: Number of the batch to write.
            origin: Range of source rows of the batch to write.
            place: Name of the sink in an error.

        Raises:
            JobError: The sink has recorded this number, or a later one, for other source rows. The host
                also checks this when a job continues (spark/checkpoint/recovery.py).
        """
        if batch > self.batch:
            return False
        known = self.origin.is_known and origin.is_known
        if known and (batch < self.batch or not origin.is_of_same_rows(self.origin)):
            raise JobError(
                f"{place}: has micro-batch {self.batch} of the job, made from other rows than micro-batch "
                f"{batch} which is to be written now.",
                hint="start the job again: it compares its checkpoint with the sink and says what to do",
            )
        return True


NOTHING = Position(-1)
"""Position of a sink before its first batch."""


@runtime_checkable
class PositionedSink(Protocol):
    """A sink that records positions (connectors/base.py: Sink)."""

    notes: bool
    """Whether the sink records positions with its current options."""
    place: str
    """Text that identifies where the sink stores its positions. If it changes, the old ones are not found."""

    def begin_batch(self, origin: Origin) -> None:
        """Set the origin of the rows of the next batch.

        The host calls this before `open_task`, and before `commit` if the sink commits on the driver.
        """
        ...

    def positions(self, job: str, partitions: int) -> Mapping[int, Position]:
        """Return the recorded positions of a job by task number, without tasks that have none.

        Args:
            job: The name that `open_task` gets.
            partitions: Upper bound of the number of tasks; all task numbers are below it.
        """
        ...

    def move(self, job: str, positions: Mapping[int, Position]) -> None:
        """Replace recorded positions, for a recovery that the user requested. Batch -1 removes a position."""
        ...

    def takes_part(self, tokens: Sequence[str]) -> bool:
        """Return whether `commit` will record a position for these tokens, as it has something to commit.

        Called only if the sink commits on the driver.

        Args:
            tokens: Tokens for `commit`: the texts that `close_task` has returned in the tasks of the batch.
        """
        ...


# --- as JSON -------------------------------------------------------------------------------------
def to_json(origin: Origin) -> dict[str, Any]:
    """Return an origin as JSON values. Fields without a value ("", 0 or ()) are left out."""
    return {name: value for name, value in asdict(origin).items() if value}


def from_json(value: Any) -> Origin:
    """Return the origin in a JSON object, or an unknown one for any other value.

    Fields that later versions may add are ignored.
    """
    if not isinstance(value, dict):
        return Origin()
    known = {name: value[name] for name in Origin.__dataclass_fields__ if name in value}
    return Origin(**{**known, "offsets": tuple(known.get("offsets", ()))})


def to_text(origin: Origin, limit: int) -> str:
    """Return an origin as ASCII text of at most `limit` characters, or "" for an unknown one.

    If the text is too long, it is compressed; if it is still too long, the offsets are left out.
    """
    if not origin.is_known:
        return ""
    for tried in (origin, replace(origin, offsets=())):
        plain = json.dumps(to_json(tried), separators=(",", ":"))
        packed = f"z:{base64.b64encode(zlib.compress(plain.encode(), 9)).decode()}"
        for text in (plain, packed):
            if len(text) <= limit:
                return text
    return ""


def from_text(text: str | None) -> Origin:
    """Return the origin that `to_text` wrote, or an unknown one for any other text."""
    try:
        if text and text.startswith("z:"):
            text = zlib.decompress(base64.b64decode(text[2:])).decode()
        return from_json(json.loads(text or "null"))
    except (ValueError, zlib.error):
        return Origin()
