"""Positions in Kafka partitions: their JSON form, the end of a micro-batch, and its cut into splits."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any
from zlib import crc32

from firesteel.connectors.base import Offset, Split
from firesteel.errors import LostInputError

Partition = tuple[str, int]
"""Topic, and number of a partition."""
Places = dict[Partition, int]
"""The next offset to read, by partition."""

MIN_RANGE = 100_000
"""Minimum number of messages in each split but the last.

Reading fewer messages takes less time than starting a task for them.
"""


@dataclass(frozen=True)
class Position:
    """The position of a source in all its partitions."""

    at: Places
    """Next offset to read of each partition."""
    ends: Places | None = None
    """Offsets at which a bounded source ends; None for an unbounded one."""
    begins: Places = field(default_factory=dict)
    """First offsets of the partitions that are new in this micro-batch."""
    waits: int = 0
    """Number of empty micro-batches so far. Only a bounded read counts them, while it waits for messages."""
    ids: dict[str, str] = field(default_factory=dict)
    """Id that the broker gave to each topic at its creation. Empty in checkpoints of older versions."""

    def to_json(self) -> Offset:
        made: Offset = {"at": _nested(self.at)}
        if self.ends is not None:
            made["ends"] = _nested(self.ends)
        if self.begins:
            made["begins"] = _nested(self.begins)
        if self.waits:
            made["waits"] = self.waits
        if self.ids:
            made["ids"] = self.ids
        return made

    @classmethod
    def of(cls, offset: Offset) -> Position:
        ends = offset.get("ends")
        begins, waits = _flat(offset.get("begins", {})), offset.get("waits", 0)
        ids = dict(offset.get("ids", {}))
        return cls(_flat(offset["at"]), None if ends is None else _flat(ends), begins, waits, ids)

    def waited(self) -> Position:
        """Return the end of an empty micro-batch of a bounded read, which begins at this position.

        It differs from the start only in `waits`. If both were equal, Spark would end the query.
        """
        return replace(self, begins={}, waits=self.waits + 1)

    @property
    def finished(self) -> bool:
        return self.ends is not None and all(self.at[each] >= end for each, end in self.ends.items())


@dataclass(frozen=True)
class Range:
    """The messages of a partition from offset `start` up to `end`, exclusive."""

    topic: str
    partition: int
    start: int
    end: int

    def to_json(self) -> list[Any]:
        return [self.topic, self.partition, self.start, self.end]


def ahead(position: Places, latest: Mapping[Partition, int], rows: int | None) -> Places:
    """Return where a micro-batch of at most `rows` messages ends: the next offset of each partition.

    The number of messages from each partition is proportional to its number of unread messages.

    Args:
        position: Next offset of each partition, where the micro-batch begins.
        latest: End of each partition.
        rows: Maximum number of messages, None to end the micro-batch at `latest`.
    """
    waiting = {each: max(0, latest[each] - at) for each, at in position.items()}
    total = sum(waiting.values())
    if rows is None or total <= rows:
        return {each: at + waiting[each] for each, at in position.items()}
    made, taken, seen = {}, 0, 0
    for each in sorted(position):
        seen += waiting[each]
        share = rows * seen // total - taken
        taken += share
        made[each] = position[each] + share
    return made


def ranges(start: Position, end: Position) -> list[Range]:
    """Return the ranges of messages between two positions, sorted by topic and partition."""
    found = []
    for topic, number in sorted(end.at):
        each = (topic, number)
        first = start.at[each] if each in start.at else end.begins[each]
        if first < end.at[each]:
            found.append(Range(topic, number, first, end.at[each]))
    return found


def cut(found: Iterable[Range], parallelism: int) -> list[Split]:
    """Return the ranges in at most `parallelism` splits of about equal size, in their order."""
    listed = list(found)
    total = sum(each.end - each.start for each in listed)
    size = max(MIN_RANGE, -(-total // max(1, parallelism)))
    splits: list[list[Any]] = [[]]
    room = size
    for each in listed:
        start = each.start
        while start < each.end:
            if room == 0:
                splits.append([])
                room = size
            end = min(each.end, start + room)
            splits[-1].append(Range(each.topic, each.partition, start, end).to_json())
            room -= end - start
            start = end
    return [Split(number, {"ranges": split}) for number, split in enumerate(splits) if split]


def channel(topic: str, partition: int) -> int:
    """Return the channel number of a partition: a 32-bit hash of topic and partition number.

    So it stays the same if the topic gets more partitions.
    """
    return crc32(f"{topic}\0{partition}".encode())


def by_partition(splits: Iterable[Split]) -> list[Split]:
    """Cut each split into splits of one partition. Return them in the same order."""
    found = [data for split in splits for data in split.data["ranges"]]
    return [Split(0, {"ranges": [data]}, channel=channel(data[0], data[1])) for data in found]


def gone(each: Partition, at: int) -> LostInputError:
    """Return the error for a partition that no longer exists. `at` is the next offset to read."""
    return LostInputError(
        f"topic {each[0]}, partition {each[1]} is gone: it was read up to offset {at}",
        hint="begin with an empty checkpoint folder",
    )


def recreated(topic: str, at: Places) -> LostInputError:
    """Return the error for a topic that was deleted and created again.

    Args:
        topic: Name of the topic.
        at: Next offset to read, by partition of any topic.
    """
    read = ", ".join(
        f"partition {n} up to offset {offset}" for (t, n), offset in sorted(at.items()) if t == topic
    )
    return LostInputError(
        f"topic {topic} was deleted and created again after it was read ({read}): what was not read of the "
        "old topic is lost, and the job's state and results hold what was",
        hint="to read the new topic begin with an empty checkpoint folder, and with empty sinks where rows "
        "of the old topic must not stay",
    )


def expired(each: Partition, at: int, first: int) -> LostInputError:
    """Return the error for deleted messages from offset `at` on. The first one that exists is at `first`."""
    return LostInputError(
        f"topic {each[0]}, partition {each[1]}: offsets {at} to {first - 1} are gone, "
        f"the log begins at {first}",
        hint="the topic's retention removed them before they were read: begin with an empty "
        "checkpoint folder, or set 'properties.auto.offset.reset' = 'earliest' to read what is left",
    )


def _nested(places: Mapping[Partition, int]) -> dict[str, dict[str, int]]:
    made: dict[str, dict[str, int]] = {}
    for (topic, number), offset in sorted(places.items()):
        made.setdefault(topic, {})[str(number)] = offset
    return made


def _flat(nested: Mapping[str, Mapping[str, int]]) -> Places:
    return {(topic, int(n)): offset for topic, numbers in nested.items() for n, offset in numbers.items()}
