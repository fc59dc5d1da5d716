"""Writes topics: the Sink of the connectors kafka and upsert-kafka."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pyarrow as pa

from firesteel.connectors.base import Commits
from firesteel.connectors.kafka.cluster import Cluster
from firesteel.connectors.kafka.options import KafkaOptions, read_options
from firesteel.connectors.kafka.producer import Producer, plain_producer, transaction
from firesteel.connectors.kafka.records import Records
from firesteel.connectors.kafka.sink_options import sink_options
from firesteel.connectors.last_changes import last_of_each_key
from firesteel.runtime.spec import SinkSpec


class KafkaSink:
    """A Sink (connectors/base.py). With exactly-once each task writes a batch in one transaction, which holds
    the batch's number too; else a batch that is tried again is written again."""

    commits = Commits.TASK
    on_driver = False

    def __init__(self, spec: SinkSpec, options: dict[str, str], upsert: bool = False) -> None:
        self._spec = spec
        self._texts = options
        self._upsert = upsert
        self._options: KafkaOptions = read_options(options)
        self._how = sink_options(options)
        self._producer: Producer | None = None

    # --- in a task ---------------------------------------------------------------------------------
    def open_task(self, job: str, batch: int, partition: int) -> None:
        """Raises JobError where no broker can be reached."""
        self._records = Records(self._spec, self._texts, self._upsert)
        self._batch = batch
        self._task = partition if self._how.fixed else None
        properties = dict(self._options.properties)
        if self._how.in_transactions:
            name = f"{self._how.prefix}-{job}-{partition}"
            self._producer = transaction(properties, name, batch, self._topics())
        else:
            self._producer = plain_producer(properties)

    def _topics(self) -> tuple[str, ...]:
        """Those of the table."""
        if self._options.topics:
            return self._options.topics
        return tuple(dict.fromkeys(topic for topic, _ in Cluster(self._options).partitions()))

    def write(self, changes: pa.Table) -> None:
        """Raises DataError, and JobError with the topic and partition of a message that is refused."""
        if self._producer is not None:
            for part in self._parts(changes):
                self._producer.send(self._records.of(part), self._task)

    def _parts(self, changes: pa.Table) -> Iterator[pa.Table]:
        """What is sent: all, or of so many rows the last of each key."""
        rows = self._how.flush
        if not rows:
            yield changes
            return
        for start in range(0, changes.num_rows, rows):
            yield last_of_each_key(changes.slice(start, rows), self._spec.primary_key)

    def close_task(self) -> str:
        if self._producer is not None:
            if self._how.in_transactions:
                self._producer.commit(self._batch)
            else:
                self._producer.flush()
            self._producer.release()
        return ""

    def abort_task(self) -> None:
        if self._producer is not None and self._how.in_transactions:
            self._producer.abort()

    # --- on the driver -----------------------------------------------------------------------------
    def open(self, job: str) -> None:
        """Raises JobError for a topic that is not there, and where no broker can be reached."""
        Cluster(self._options).partitions()

    def commit(self, batch: int, tokens: Sequence[str]) -> None:
        return None

    def abort(self, batch: int, tokens: Sequence[str]) -> None:
        return None
