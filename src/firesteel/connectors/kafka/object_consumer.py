"""Consumer that takes messages from confluent-kafka, one object for each message.

It reads the metadata that batch_consumer.py does not support.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from firesteel.connectors.kafka.cluster import client
from firesteel.connectors.kafka.gathered_bytes import joined
from firesteel.connectors.kafka.messages import HEADERS, MESSAGE, MESSAGE_KEY, OFFSET, Taken
from firesteel.connectors.kafka.offsets import Range
from firesteel.types.arrow import KEY, VALUE

AT_ONCE = 500
"""Maximum number of messages to take at once.

The objects of these messages are deleted before the next messages are taken. So few objects exist at a time:
they fit into the processor's cache, and are too few to start Python's garbage collector.
"""
_TIMESTAMP_TYPES = ("NoTimestampType", "CreateTime", "LogAppendTime")


class ObjectConsumer:
    """Consumer without a group. `also` has the columns to read in addition to MESSAGE and OFFSET."""

    def __init__(self, configuration: Mapping[str, str], also: frozenset[str]) -> None:
        self._kafka = client()
        self._names = (MESSAGE, OFFSET, *sorted(also))
        self.asked: Any = self._kafka.Consumer(dict(configuration))

    def assign(self, wanted: Range) -> None:
        """Start to read a range of a partition, at its first offset."""
        self.asked.assign([self._kafka.TopicPartition(wanted.topic, wanted.partition, wanted.start)])

    def unassign(self) -> None:
        self.asked.unassign()

    def take(self, most: int, end: int, wait: float) -> Taken:
        """Return the next messages, all of them before offset `end`.

        The method returns as soon as it has `most` messages (AT_ONCE, if that is less). It waits at most
        `wait` seconds. The last offsets before `end` may have no message: it was compacted away, or the
        offset is a transaction's marker. Then a message from `end` on shows that the range is read. This
        message is not returned, but `Taken.behind` is the offset after it.
        """
        return taken_of(self.asked.consume(min(most, AT_ONCE), wait), self._names, end)


def taken_of(records: list[Any], names: Sequence[str], end: int) -> Taken:
    """Return confluent-kafka's messages before offset `end` as the columns `names`, and its errors."""
    errors = [record.error() for record in records]
    told = [(error, record.offset()) for error, record in zip(errors, records, strict=True) if error]
    if told:
        records = [record for record in records if record.error() is None]
    if not records:
        return Taken(0, {}, {}, errors=told)
    behind = records[-1].offset() + 1
    if behind > end:
        records = [record for record in records if record.offset() < end]
    texts = {name: joined(_BYTES[name](records)) for name in names if name in _BYTES}
    others = {name: _OTHERS[name](records) for name in names if name in _OTHERS}
    return Taken(len(records), texts, others, behind, told)


def _offsets(records: list[Any]) -> pa.Array:
    """Return the offsets of messages.

    If the first and the last offset show that no offset between them is missing, only these two are read
    from message objects. The others are computed, which is faster.
    """
    if records and records[-1].offset() - records[0].offset() + 1 == len(records):
        return pa.array(np.arange(records[0].offset(), records[-1].offset() + 1))
    return pa.array([record.offset() for record in records], pa.int64())


def _headers(record: Any) -> list[dict[str, Any]]:
    return [{KEY: key, VALUE: value} for key, value in dict(record.headers() or ()).items()]


_BYTES: dict[str, Callable[[list[Any]], list[bytes | None]]] = {
    MESSAGE: lambda records: [each.value() for each in records],
    MESSAGE_KEY: lambda records: [each.key() for each in records],
}
_OTHERS: dict[str, Callable[[list[Any]], pa.Array]] = {
    OFFSET: _offsets,
    "headers": lambda records: pa.array([_headers(each) for each in records], HEADERS),
    "leader-epoch": lambda records: pa.array([each.leader_epoch() for each in records], pa.int32()),
    "timestamp": lambda records: pa.array(
        [each.timestamp()[1] for each in records], pa.timestamp("ms", tz="UTC")
    ),
    "timestamp-type": lambda records: pa.array(
        [_TIMESTAMP_TYPES[each.timestamp()[0]] for each in records], pa.string()
    ),
}
