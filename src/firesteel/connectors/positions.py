"""What a sink notes with each micro-batch, so that it knows which rows the batch's number stands for.

A number alone is not enough: a checkpoint that was restored from an older copy counts on from an earlier
number, and gives the same numbers to other rows. So a sink also notes the lineage of the checkpoint, and
where the micro-batch began and ended in its sources.
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
    """Where the rows of a micro-batch come from.

    The default is that of a batch of which nothing is known but its number: there is no checkpoint, or an
    earlier version of Firesteel noted it.
    """

    lineage: str = ""
    """The id of the checkpoint; it gets another one when a recovery changes what was delivered."""
    begin: str = ""
    """Digest of the offsets of all sources at which the batch begins; "" for the first batch."""
    end: str = ""
    """Digest of those at which it ends."""
    parts: int = 0
    """How many notes all sinks of the job make of this batch together, 0 for unknown."""
    offsets: tuple[str, ...] = ()
    """The offsets at its end, as Spark writes them, one a source; () for unknown."""

    @property
    def is_known(self) -> bool:
        """Whether more is known than the batch's number."""
        return bool(self.lineage)

    def is_of_same_rows(self, other: Origin) -> bool:
        """Whether both may stand for the same rows. An unknown one may stand for any."""
        if not (self.is_known and other.is_known):
            return True
        return (self.lineage, self.begin, self.end) == (other.lineage, other.begin, other.end)


UNKNOWN = Origin()
"""Of a batch of which nothing is known but its number."""


@dataclass(frozen=True)
class Position:
    """The last micro-batch that a sink, or one part of it, has."""

    batch: int
    """Its number, -1 for none."""
    origin: Origin = UNKNOWN
    is_whole: bool = True
    """Whether it has all rows of the batch, not only some."""

    def has(self, batch: int, origin: Origin, place: str) -> bool:
        """Whether the sink has the rows of this batch, which need not be written again.

        Args:
            place: What the sink calls itself in an error.

        Raises:
            JobError: The sink has this number, or a later one, from other rows. The host looks at this
                before it delivers anything (spark/checkpoint/recovery.py); this is the second line of
                defence.
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
"""Before the first batch."""


@runtime_checkable
class PositionedSink(Protocol):
    """A Sink (connectors/base.py) that notes positions."""

    notes: bool
    """Whether it notes positions with the options that it has."""

    def begin_batch(self, origin: Origin) -> None:
        """Say where the rows of the next batch come from, before `open_task`, and before `commit` of a sink
        that commits on the driver."""
        ...

    def positions(self, job: str, partitions: int) -> Mapping[int, Position]:
        """Return what is noted for a job, by task; tasks without a note are missing.

        Args:
            job: The name that `open_task` gets.
            partitions: How many tasks the job has at most: their numbers are below it.
        """
        ...

    def move(self, job: str, positions: Mapping[int, Position]) -> None:
        """Note other positions, for a recovery that the user asked for. A batch of -1 takes a note away."""
        ...

    def takes_part(self, tokens: Sequence[str]) -> bool:
        """Whether `commit` of a batch with these tokens makes a note; for one that commits on the driver."""
        ...


# --- as JSON -------------------------------------------------------------------------------------
def to_json(origin: Origin) -> dict[str, Any]:
    """An origin as JSON values, without what is unknown."""
    return {name: value for name, value in asdict(origin).items() if value}


def from_json(value: Any) -> Origin:
    """The origin of JSON values; an unknown one where they are none. Fields of later versions are skipped."""
    if not isinstance(value, dict):
        return Origin()
    known = {name: value[name] for name in Origin.__dataclass_fields__ if name in value}
    return Origin(**{**known, "offsets": tuple(known.get("offsets", ()))})


def to_text(origin: Origin, limit: int) -> str:
    """An origin as ASCII text of at most `limit` characters; compressed, or without the offsets, where it
    would be longer. "" for an unknown one."""
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
    """What `to_text` gave; an unknown origin for other text."""
    try:
        if text and text.startswith("z:"):
            text = zlib.decompress(base64.b64decode(text[2:])).decode()
        return from_json(json.loads(text or "null"))
    except (ValueError, zlib.error):
        return Origin()
