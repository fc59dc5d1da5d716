"""Kafka messages as columns: value, offset, and if needed the key and metadata such as headers."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from firesteel.connectors.kafka.gathered_bytes import GatheredBytes, Joined
from firesteel.connectors.replay import RawMessage
from firesteel.errors import UsageError
from firesteel.types.arrow import to_arrow
from firesteel.types.sql import BYTES, STRING, map_of

MESSAGE, MESSAGE_KEY, OFFSET, TIMESTAMP = "$value", "$key", "offset", "timestamp"
"""Names of columns of Messages: value, key, offset and time of a message.

Any other column has the name of its metadata key, such as `headers`.
"""
HEADERS = to_arrow(map_of(STRING, BYTES))
OF_MESSAGES = frozenset((OFFSET, "headers", "leader-epoch", "timestamp", "timestamp-type"))
"""Metadata keys whose value may differ from message to message. Topic and partition are the same for all."""
_PLACE = re.compile(r"topic (?P<topic>\S+), partition (?P<partition>\d+), offset (?P<offset>\d+)")
"""Text that `Messages.place` returns: topic, partition and offset of a message."""


@dataclass(frozen=True)
class Messages:
    """Consecutive messages of one partition."""

    topic: str
    """Name of the topic."""
    partition: int
    """Number of the partition."""
    columns: dict[str, pa.Array]
    """Columns by name, with a value for each message.

    They are MESSAGE (the message's value, NULL for a tombstone), OFFSET, and the requested ones among
    MESSAGE_KEY and OF_MESSAGES.
    """

    def __len__(self) -> int:
        return len(self.columns[MESSAGE])

    @property
    def values(self) -> pa.BinaryArray:
        return self.columns[MESSAGE]

    @property
    def keys(self) -> pa.BinaryArray:
        return self.columns[MESSAGE_KEY]

    def offset(self, index: int) -> int:
        """Return the offset of one message."""
        return int(self.columns[OFFSET][index].as_py())

    def key(self, index: int) -> bytes | None:
        """Return the key of one message; None if it has none or keys are not read."""
        keys = self.columns.get(MESSAGE_KEY)
        return None if keys is None else keys[index].as_py()

    def time(self, index: int) -> int | None:
        """Return the time of one message in milliseconds since 1970; None if times are not read."""
        times = self.columns.get(TIMESTAMP)
        return None if times is None else times[index].cast(pa.int64()).as_py()

    def place(self, index: int) -> str:
        """Return the origin of a message for errors: `topic orders, partition 0, offset 17`."""
        return f"topic {self.topic}, partition {self.partition}, offset {self.offset(index)}"


@dataclass(frozen=True)
class Taken:
    """Consecutive messages that a consumer returned at once."""

    count: int
    """Number of messages."""
    bytes: Mapping[str, Joined]
    """The columns MESSAGE and, if it was requested, MESSAGE_KEY, by name."""
    others: Mapping[str, pa.Array]
    """OFFSET and the other requested columns, whose values are not bytes, by name."""
    behind: int = 0
    """Offset after the last message; 0 without messages."""
    errors: Sequence[tuple[Any, int]] = ()
    """Errors that came instead of messages, each with the offset at which it came."""


class Block:
    """A buffer of messages that are decoded together."""

    def __init__(self) -> None:
        self._bytes: dict[str, GatheredBytes] = {}
        self._others: dict[str, list[pa.Array]] = {}
        self.rows = 0
        self.bytes = 0
        """Bytes of memory that the collected columns take."""

    def add(self, taken: Taken) -> None:
        """Append messages, at least one."""
        self.rows += taken.count
        for name, piece in taken.bytes.items():
            self._bytes.setdefault(name, GatheredBytes()).add(piece)
            self.bytes += piece.nbytes
        for name, part in taken.others.items():
            self._others.setdefault(name, []).append(part)
            self.bytes += part.nbytes

    def columns(self) -> dict[str, pa.Array]:
        """Return the columns of all messages, by name."""
        made = {name: values.array() for name, values in self._bytes.items()}
        return made | {name: pa.concat_arrays(parts) for name, parts in self._others.items()}


def of_letters(letters: Sequence[RawMessage]) -> list[Messages]:
    """Return dead letters as the messages that they were: one Messages a partition, in the order of offsets.

    Raises:
        UsageError: The position of a dead letter does not have the form that `Messages.place` returns.
    """
    found: dict[tuple[str, int], list[tuple[int, RawMessage]]] = {}
    for letter in letters:
        place = _PLACE.fullmatch(letter.position)
        if place is None:
            raise UsageError(f"'{letter.position}' is no place of a message in a topic")
        own = found.setdefault((place["topic"], int(place["partition"])), [])
        own.append((int(place["offset"]), letter))
    return [
        _of_partition(topic, partition, sorted(own, key=lambda pair: pair[0]))
        for (topic, partition), own in sorted(found.items())
    ]


def _of_partition(topic: str, partition: int, own: Sequence[tuple[int, RawMessage]]) -> Messages:
    times = pa.array([letter.time for _, letter in own], pa.int64())
    columns = {
        MESSAGE: pa.array([letter.value for _, letter in own], pa.binary()),
        MESSAGE_KEY: pa.array([letter.key for _, letter in own], pa.binary()),
        OFFSET: pa.array([offset for offset, _ in own], pa.int64()),
        TIMESTAMP: times.cast(pa.timestamp("ms", tz="UTC")),
    }
    return Messages(topic, partition, columns)
