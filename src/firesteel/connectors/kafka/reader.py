"""Reader of ranges of Kafka partitions, used in workers."""

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
from firesteel.errors import JobError, UnavailableError

_TOGETHER = 50_000
"""Number of messages at which a block is complete and is decoded."""
_BYTES_TOGETHER = 8 << 20
"""Number of bytes of messages at which a block is complete, so that it fits into a processor's cache."""
_AT_FIRST = 200
"""Messages of the first request, before their size is known."""
_WAIT = 0.05
"""Seconds that a request waits for its number of messages."""
_PATIENCE = 60.0
"""Seconds of silence after which the broker is asked whether it has the partition.

This is Java's default.api.timeout.ms.
"""
_SILENCE = 2.0
"""Seconds of silence between two checks whether the broker can be reached."""

_DEFAULTS = {
    "group.id": "firesteel",
    "isolation.level": "read_uncommitted",  # Java's default; librdkafka's is read_committed
    "fetch.wait.max.ms": "5",  # The messages of a range exist, so waiting for new ones is useless.
    "queued.min.messages": "1000000",
    "queued.max.messages.kbytes": "16384",  # for each reader; the default of 64 MB is no faster
    # 2 MB a fetch. 1 MB, the default of Java's client, is decoded before the next fetch has arrived.
    "max.partition.fetch.bytes": str(2 << 20),
    # librdkafka stops fetching for this time when its queue is full. In 1 s, its default, the reader would
    # empty the queue and wait.
    "fetch.queue.backoff.ms": "5",
}
_OURS = {
    "enable.auto.commit": "false",
    "auto.offset.reset": "error",
    "enable.partition.eof": "true",
    "log_level": "2",
}

_Consumer = ObjectConsumer | BatchConsumer
_idle: dict[tuple[type[_Consumer], frozenset[str], frozenset[tuple[str, str]]], Any] = {}
"""Idle consumers by kind, columns and configuration, kept because connecting is slower than a small batch."""


class Reader:
    """A reader of ranges of partitions. It assigns partitions itself and commits no offsets to Kafka.

    Args:
        properties: Properties of the Kafka client, by Java's names.
        also: Columns of Messages to read in addition to value and offset.
    """

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
        """Keep the connection for the next reader, without the messages behind the range.

        While a range is read, librdkafka also fetches messages behind its end. When the assignment has ended,
        librdkafka drops them only if the consumer asks for messages again, so this method asks once.
        Otherwise, up to 16 MB of messages would stay in the queue. If each has 100 bytes, the queue takes
        80 MB of memory, because it also holds data about each message.
        """
        self._consumer.unassign()
        self._consumer.take(1, 0, 0.0)
        _idle[self._key] = self._consumer

    def read(self, wanted: Range) -> Iterator[Messages]:
        """Yield the messages of a range.

        Raises:
            JobError: The messages no longer exist, or no broker answers.
        """
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
        """Return the time from which the broker's silence counts. Check the broker if it is silent.

        After 2 seconds of silence, report an outage if no broker can be reached. After 60 seconds, raise
        JobError if no broker can be reached or the partition does not exist. If both are there, the silence
        counts from now, so that the next such check comes after 60 more seconds.

        Args:
            last: Result of the previous call, by time.monotonic() like the new one.
            now: Whether the broker has answered just now.
            wanted: The range that is read.
            place: The next offset to read.
        """
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
        """Report an outage on stderr if no broker can be reached."""
        self._looked = time.monotonic()
        try:
            self._consumer.asked.list_topics(timeout=1)
        except self._kafka.KafkaException as error:
            if is_away(error.args[0]):
                self._outage.missed(error.args[0].str(), _PATIENCE)

    def _check_there(self, wanted: Range, place: int) -> None:
        """Raise JobError if the broker cannot be reached or the partition does not exist."""
        try:
            topics = self._consumer.asked.list_topics(timeout=5).topics
        except self._kafka.KafkaException as error:
            self._outage.given_up()
            raise UnavailableError(
                f"Kafka at {self._servers} has not answered for {_PATIENCE:.0f} seconds: "
                f"{error.args[0].str()}"
            ) from None
        if wanted.topic not in topics or wanted.partition not in topics[wanted.topic].partitions:
            raise gone((wanted.topic, wanted.partition), place)

    def _error(self, error: Any, offset: int, wanted: Range, place: int) -> int:
        """Handle an error of the consumer.

        Returns:
            The offset of the partition's end if the error reports that it is reached, else 0.

        Raises:
            JobError: The range cannot be read.
        """
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
        """Raise JobError if the broker has deleted messages of the range."""
        partition = self._kafka.TopicPartition(wanted.topic, wanted.partition)
        try:
            first, _ = self._consumer.asked.get_watermark_offsets(partition, timeout=5)
        except self._kafka.KafkaException:
            return
        if first > place:
            raise expired((wanted.topic, wanted.partition), place, first)


def _is_local(error: Any) -> bool:
    """Return whether an error is a local one of librdkafka, such as a lost connection, which it retries."""
    return bool(error.code() < 0) and not error.fatal()
