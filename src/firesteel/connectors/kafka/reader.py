"""Reads ranges of partitions, in a worker."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from firesteel.connectors.kafka.cluster import client
from firesteel.connectors.kafka.offsets import Range
from firesteel.connectors.kafka.properties import client_configuration
from firesteel.errors import JobError

_TOGETHER = 50_000
"""Messages that are decoded together."""
_BYTES_TOGETHER = 64 << 20
"""Or so many bytes of them, whichever comes first."""
_AT_ONCE = 10_000
_AT_FIRST = 200
"""Messages that are taken at once, and before it is known how large they are."""
_PATIENCE = 60.0
"""Seconds without a word from the broker after which it is asked whether it is there (Java's
default.api.timeout.ms)."""

_DEFAULTS = {
    "group.id": "firesteel",
    "isolation.level": "read_uncommitted",  # Java's default; librdkafka's is the other one
    "fetch.wait.max.ms": "5",  # what is asked for is there already
    "queued.min.messages": "1000000",
}
_OURS = {
    "enable.auto.commit": "false",
    "auto.offset.reset": "error",
    "enable.partition.eof": "true",
    "log_level": "2",
}

_idle: dict[frozenset[tuple[str, str]], Any] = {}
"""A consumer by configuration, kept for the next micro-batch: connecting takes longer than a small one."""


@dataclass(frozen=True)
class Messages:
    """Messages of one partition that follow each other, as the library gives them."""

    topic: str
    partition: int
    records: list[Any]


class Reader:
    """A consumer without a group: partitions are assigned, nothing is committed."""

    def __init__(self, properties: Mapping[str, str]) -> None:
        self._kafka = client()
        configuration = _DEFAULTS | client_configuration(properties) | _OURS
        self._servers = configuration["bootstrap.servers"]
        self._key = frozenset(configuration.items())
        self._consumer = _idle.pop(self._key, None) or self._kafka.Consumer(configuration)

    def release(self) -> None:
        """Keep the connection for the next reader."""
        self._consumer.unassign()
        _idle[self._key] = self._consumer

    def read(self, wanted: Range) -> Iterator[Messages]:
        """The messages of a range. Raises JobError where they are gone, or the broker is."""
        self._consumer.assign([self._kafka.TopicPartition(wanted.topic, wanted.partition, wanted.start)])
        records: list[Any] = []
        size, most = 0, _AT_FIRST
        place, heard = wanted.start, time.monotonic()
        while place < wanted.end:
            taken = self._consumer.consume(min(most, wanted.end - place), 1.0)
            heard = self._heard(heard, bool(taken))
            for record in taken:
                if record.error() is not None:
                    place = max(place, self._error(record, wanted))
                elif record.offset() < wanted.end:
                    records.append(record)
                    size += len(record)
                    place = record.offset() + 1
                else:  # the last ones of the range were compacted away, or are a transaction's marks
                    place = wanted.end
                    break
            if len(records) >= _TOGETHER or size >= _BYTES_TOGETHER:
                yield Messages(wanted.topic, wanted.partition, records)
                records, size = [], 0
            elif records:
                most = min(_AT_ONCE, max(1, int(_BYTES_TOGETHER / (size / len(records) + 1))))
        if records:
            yield Messages(wanted.topic, wanted.partition, records)

    def _heard(self, last: float, now: bool) -> float:
        if now:
            return time.monotonic()
        if time.monotonic() - last < _PATIENCE:
            return last
        try:
            self._consumer.list_topics(timeout=5)
        except self._kafka.KafkaException as error:
            raise JobError(
                f"Kafka at {self._servers} has not answered for {_PATIENCE:.0f} seconds: "
                f"{error.args[0].str()}"
            ) from None
        return time.monotonic()

    def _error(self, record: Any, wanted: Range) -> int:
        """The offset up to which there is nothing to read: that of the partition's end, else 0."""
        error, codes = record.error(), self._kafka.KafkaError
        if error.code() == codes._PARTITION_EOF:
            return int(record.offset())
        if error.code() == codes._AUTO_OFFSET_RESET or not (error.retriable() or _is_local(error)):
            raise JobError(
                f"topic {wanted.topic}, partition {wanted.partition}: offsets {wanted.start} to "
                f"{wanted.end - 1} cannot be read: {error.str()}"
            )
        return 0


def _is_local(error: Any) -> bool:
    """Whether librdkafka tries again by itself: its own errors of connections."""
    return bool(error.code() < 0) and not error.fatal()
