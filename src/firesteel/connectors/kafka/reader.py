"""Reads ranges of partitions, in a worker."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from typing import Any

from firesteel.connectors.kafka.batch_consumer import BatchConsumer, library
from firesteel.connectors.kafka.cluster import client, is_away, will_pass
from firesteel.connectors.kafka.messages import MESSAGE_KEY, Block, Messages
from firesteel.connectors.kafka.object_consumer import ObjectConsumer
from firesteel.connectors.kafka.offsets import Range, expired, gone
from firesteel.connectors.kafka.properties import client_configuration
from firesteel.connectors.outage import Outage
from firesteel.errors import JobError

_TOGETHER = 50_000
"""Messages that are decoded together."""
_BYTES_TOGETHER = 8 << 20
"""Or so many bytes of them, whichever comes first: more no longer fit into a processor's cache."""
_AT_FIRST = 200
"""Messages that are taken at once before it is known how large they are."""
_WAIT = 0.05
"""Seconds in which to wait for so many, where fewer are there."""
_PATIENCE = 60.0
"""Seconds without a word from the broker after which it is asked whether it is there (Java's
default.api.timeout.ms)."""
_SILENCE = 2.0
"""Seconds without a word between two looks whether the broker is away."""

_DEFAULTS = {
    "group.id": "firesteel",
    "isolation.level": "read_uncommitted",  # Java's default; librdkafka's is the other one
    "fetch.wait.max.ms": "5",  # what is asked for is there already
    "queued.min.messages": "1000000",
    "max.partition.fetch.bytes": str(8 << 20),  # with Java's megabyte a reader waits for the next one
    "fetch.queue.backoff.ms": "5",  # when the queue was full; a second is longer than a full one lasts
}
_OURS = {
    "enable.auto.commit": "false",
    "auto.offset.reset": "error",
    "enable.partition.eof": "true",
    "log_level": "2",
}

_Consumer = ObjectConsumer | BatchConsumer
_idle: dict[tuple[type[_Consumer], frozenset[str], frozenset[tuple[str, str]]], Any] = {}
"""Consumers by what they take and their configuration, kept for the next micro-batch: connecting takes longer
than a small one."""


class Reader:
    """A consumer without a group: partitions are assigned, nothing is committed. also: columns of Messages
    that are wanted beside value and offset."""

    def __init__(self, properties: Mapping[str, str], also: frozenset[str] = frozenset()) -> None:
        self._kafka = client()
        configuration = _DEFAULTS | client_configuration(properties) | _OURS
        self._servers = configuration["bootstrap.servers"]
        self._outage = Outage(f"Kafka at {self._servers}")
        self._looked = 0.0
        kind = BatchConsumer if also <= {MESSAGE_KEY} and library() is not None else ObjectConsumer
        self._key = kind, also, frozenset(configuration.items())
        self._consumer: _Consumer = _idle.pop(self._key, None) or kind(configuration, also)

    def release(self) -> None:
        """Keep the connection for the next reader."""
        self._consumer.unassign()
        _idle[self._key] = self._consumer

    def read(self, wanted: Range) -> Iterator[Messages]:
        """The messages of a range. Raises JobError where they are gone, or the broker is."""
        self._consumer.assign(wanted)
        block, most = Block(), _AT_FIRST
        place, heard = wanted.start, time.monotonic()
        while place < wanted.end:
            taken = self._consumer.take(min(most, wanted.end - place), wanted.end, _WAIT)
            heard = self._heard(heard, bool(taken.behind or taken.errors), wanted, place)
            for error, offset in taken.errors:
                place = max(place, self._error(error, offset, wanted, place))
            place = max(place, taken.behind)
            if taken.count:
                block.add(taken)
                most = max(1, _BYTES_TOGETHER * block.rows // block.bytes)
            if block.rows >= _TOGETHER or block.bytes >= _BYTES_TOGETHER:
                yield Messages(wanted.topic, wanted.partition, block.columns())
                block = Block()
        if block.rows:
            yield Messages(wanted.topic, wanted.partition, block.columns())

    def _heard(self, last: float, now: bool, wanted: Range, place: int) -> float:
        """When the broker was heard last."""
        if now:
            self._outage.answered()
            return time.monotonic()
        silent = time.monotonic() - last
        if silent >= _SILENCE and time.monotonic() >= self._looked + _SILENCE:
            self._look()
        if silent < _PATIENCE:
            return last
        self._check_there(wanted, place)
        return time.monotonic()

    def _look(self) -> None:
        """Say that the broker is away where that is why nothing comes."""
        self._looked = time.monotonic()
        try:
            self._consumer.asked.list_topics(timeout=1)
        except self._kafka.KafkaException as error:
            if is_away(error.args[0]):
                self._outage.missed(error.args[0].str(), _PATIENCE)

    def _check_there(self, wanted: Range, place: int) -> None:
        """Raises JobError where the broker is away, or the partition gone."""
        try:
            topics = self._consumer.asked.list_topics(timeout=5).topics
        except self._kafka.KafkaException as error:
            self._outage.given_up()
            raise JobError(
                f"Kafka at {self._servers} has not answered for {_PATIENCE:.0f} seconds: "
                f"{error.args[0].str()}"
            ) from None
        if wanted.topic not in topics or wanted.partition not in topics[wanted.topic].partitions:
            raise gone((wanted.topic, wanted.partition), place)

    def _error(self, error: Any, offset: int, wanted: Range, place: int) -> int:
        """The offset up to which there is nothing to read: that of the partition's end, else 0."""
        codes = self._kafka.KafkaError
        if error.code() == codes._PARTITION_EOF:
            return offset
        if error.code() == codes._AUTO_OFFSET_RESET:
            self._check_expired(wanted, place)
        if error.code() in (codes._UNKNOWN_TOPIC, codes._UNKNOWN_PARTITION, codes.UNKNOWN_TOPIC_OR_PART):
            self._check_there(wanted, place)
        elif error.code() == codes._AUTO_OFFSET_RESET or not (will_pass(error) or _is_local(error)):
            raise JobError(
                f"topic {wanted.topic}, partition {wanted.partition}: offsets {wanted.start} to "
                f"{wanted.end - 1} cannot be read: {error.str()}"
            )
        return 0

    def _check_expired(self, wanted: Range, place: int) -> None:
        """Raises JobError that says which messages are gone, where the broker tells."""
        partition = self._kafka.TopicPartition(wanted.topic, wanted.partition)
        try:
            first, _ = self._consumer.asked.get_watermark_offsets(partition, timeout=5)
        except self._kafka.KafkaException:
            return
        if first > place:
            raise expired((wanted.topic, wanted.partition), place, first)


def _is_local(error: Any) -> bool:
    """Whether librdkafka tries again by itself: its own errors of connections."""
    return bool(error.code() < 0) and not error.fatal()
