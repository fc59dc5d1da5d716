"""Writes topics: the Sink of the connectors kafka and upsert-kafka."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import pyarrow as pa

from firesteel.connectors.base import Commits, Sink
from firesteel.connectors.kafka.cluster import Cluster
from firesteel.connectors.kafka.notes import moved, noted
from firesteel.connectors.kafka.options import KafkaOptions, read_options
from firesteel.connectors.kafka.producer import Producer, plain_producer
from firesteel.connectors.kafka.records import Record, Records
from firesteel.connectors.kafka.sink_options import sink_options
from firesteel.connectors.kafka.transactions import Transactions
from firesteel.connectors.last_changes import last_of_each_key
from firesteel.connectors.positions import Origin, Position
from firesteel.connectors.refused_rows import (
    RowsRefusedError,
    numbered,
    refused_by_halves,
    refused_row,
)
from firesteel.errors import DataError
from firesteel.notices import say
from firesteel.runtime.spec.tables import SinkSpec

_TOGETHER = 5_000
"""Changes that are encoded together."""


class KafkaSink(Sink):
    """Sink that writes messages to topics (connectors/base.py).

    With exactly-once, each task writes a batch in transactions that also record the progress of the batch.
    Otherwise a batch that is retried is written again.
    """

    commits = Commits.TASK
    on_driver = False

    def __init__(self, spec: SinkSpec, options: dict[str, str], upsert: bool = False) -> None:
        self._spec = spec
        self._texts = options
        self._upsert = upsert
        self._options: KafkaOptions = read_options(options)
        self._how = sink_options(options)
        self._producer: Producer | None = None
        self._transactions: Transactions | None = None
        self._origin = Origin()

    @property
    def notes(self) -> bool:
        """Whether the sink records which micro-batches it has written. That needs transactions."""
        return self._how.in_transactions

    @property
    def place(self) -> str:
        """Text that identifies the place where the sink records which micro-batches it has written.

        Each task records its last micro-batch in the Kafka cluster, as an offset of a consumer group of its
        own. So the text has the prefix of the groups' names, the table's topics, and the brokers' addresses.
        """
        topics = self._options.topics or (self._texts.get("topic-pattern", ""),)
        servers = dict(self._options.properties)["bootstrap.servers"]
        return f"{self._how.prefix} {' '.join(topics)} {servers}"

    # --- in a task ---------------------------------------------------------------------------------
    def begin_batch(self, origin: Origin) -> None:
        self._origin = origin

    def open_task(self, job: str, batch: int, partition: int) -> None:
        """Prepare the writes of a task: get a producer, and with exactly-once find out what is committed.

        Args:
            job: Name of the job, a part of the transactional ID.
            batch: Number of the micro-batch.
            partition: Number of the task.

        Raises:
            JobError: No broker can be reached. Without exactly-once, only later calls may raise this.
        """
        self._records = Records(self._spec, self._texts, self._upsert)
        self._task = partition if self._how.fixed else None
        self._partition, self._read = partition, 0
        self._sent: list[pa.Table] = []
        properties = dict(self._options.properties)
        refuse = None if self.refusals is None else self._refuse
        if self._how.in_transactions:
            name = self._name(job, partition)
            self._transactions = Transactions(
                properties, name, batch, self._topics(), self._task, self._origin, refuse
            )
        else:
            self._producer = plain_producer(properties)

    def _name(self, job: str, partition: int) -> str:
        """Return the transactional ID of a task, which is also the name of its consumer group."""
        return f"{self._how.prefix}-{job}-{partition}"

    def _topics(self) -> tuple[str, ...]:
        """Return the topics of the table: those of the option `topic`, or those that match the pattern."""
        if self._options.topics:
            return self._options.topics
        return tuple(dict.fromkeys(topic for topic, _ in Cluster(self._options).partitions()))

    def write(self, changes: pa.Table) -> None:
        """Send the rows of a changes table as messages.

        Raises:
            DataError: The format cannot represent a value.
            JobError: A broker refuses a message. The error names topic and partition.
        """
        if self._transactions is not None and self._transactions.is_done:
            return
        if self.refusals is not None:
            changes = numbered(changes, self._read)
            self._read += changes.num_rows
        for part in self._parts(changes):
            records = self._encoded(part)
            if self._transactions is not None:
                self._transactions.add(records)
            elif self._producer is not None:
                self._producer.send(records, self._task, None if self.refusals is None else self._refuse)
                self._sent.clear()

    def _encoded(self, part: pa.Table) -> list[Record]:
        """Return rows as messages.

        If `refusals` is not None, leave out rows that it has and rows that the format cannot represent. The
        latter are added to it.

        Raises:
            DataError: The format cannot represent a row, and `refusals` is None.
        """
        if self.refusals is None:
            return list(self._records.of(part))
        part = self.refusals.kept(part, self._partition)
        try:
            records = list(self._records.of(part))
        except DataError:
            bad = dict(refused_by_halves(part, self._failure))
            self._note(part, bad)
            part = part.take(pa.array([row for row in range(part.num_rows) if row not in bad], pa.int64()))
            records = list(self._records.of(part))
        self._sent.append(part)
        return records

    def _failure(self, part: pa.Table) -> Exception | None:
        try:
            list(self._records.of(part))
        except DataError as error:
            return error
        return None

    def _refuse(self, index: int, error: Exception) -> None:
        """Add the row of a message that Kafka refuses to `refusals`.

        Args:
            index: Index of the message. In transactions, it is the index among all messages of the task.
                Otherwise, it is the index among the messages of one call of `Producer.send`.
            error: Error of the message.
        """
        for part in self._sent:
            if index < part.num_rows:
                self._note(part, {index: error})
                return
            index -= part.num_rows

    def _note(self, rows: pa.Table, errors: Mapping[int, Exception]) -> None:
        assert self.refusals is not None
        columns = tuple(zip(self._spec.names, self._spec.types, strict=True))
        found = [refused_row(rows.slice(at, 1), columns, error) for at, error in errors.items()]
        self.refusals.add(self._partition, found)

    def _parts(self, changes: pa.Table) -> Iterator[pa.Table]:
        """Yield the rows to send, in tables that are encoded one at a time.

        If `sink.buffer-flush.max-rows` is set, a table stands for a group of this many rows of `changes`, and
        has only the last row of each key in the group.
        """
        rows = self._how.flush
        for start in range(0, changes.num_rows, rows or _TOGETHER):
            part = changes.slice(start, rows or _TOGETHER)
            yield last_of_each_key(part, self._spec.primary_key) if rows else part

    def close_task(self) -> str:
        """Complete the task's messages: commit the last transaction, or wait for acknowledgements.

        Returns:
            "", since nothing is left to commit on the driver.

        Raises:
            RowsRefusedError: With exactly-once, rows were refused, so the batch is not completed. The host
                runs the task again without these rows.
        """
        if self._transactions is not None:
            if self.refusals is not None and self.refusals.found:
                raise RowsRefusedError
            self._transactions.close()
        elif self._producer is not None:
            self._producer.flush()
            self._producer.release()
        return ""

    def abort_task(self) -> None:
        if self._transactions is not None:
            self._transactions.abort()

    # --- on the driver -----------------------------------------------------------------------------
    def check(self) -> None:
        """Check that the topics exist. If a broker creates topics on first use, let it create missing ones.

        Raises:
            JobError: A topic does not exist and is not created, or no broker can be reached.
        """
        cluster = Cluster(self._options)
        for notice in cluster.create_missing(self._options.topics):
            say(notice)
        cluster.partitions()

    def open(self, job: str) -> None:
        """Check that the topics exist. Raises JobError as `check` does."""
        self.check()

    def identities(self) -> dict[str, str]:
        """Return the id of each topic, by its name in errors: {"topic orders": "Xk3..."}.

        The result is {} if the topics are not written in transactions.
        """
        if not self._how.in_transactions:
            return {}
        cluster = Cluster(self._options)
        return {f"topic {topic}": made for topic, made in cluster.ids(self._topics()).items()}

    def forgets_after(self) -> float | None:
        """Return the seconds for which brokers keep the record of the last written batch.

        The record is an offset of a consumer group. Without transactions there is no record: return None.
        """
        return Cluster(self._options).offsets_retention() if self._how.in_transactions else None

    def positions(self, job: str, partitions: int) -> Mapping[int, Position]:
        """Return by task number the last micro-batch that each task has recorded in Kafka.

        Tasks without a record are left out. Without transactions, the result is empty. Producers of earlier
        runs are fenced, and their open transactions are aborted.

        Args:
            job: The name that `open_task` gets.
            partitions: Upper bound of the number of tasks.
        """
        names = {task: self._name(job, task) for task in range(partitions)}
        return noted(dict(self._options.properties), names, self._topics()) if self.notes else {}

    def move(self, job: str, positions: Mapping[int, Position]) -> None:
        named = {self._name(job, task): position for task, position in positions.items()}
        moved(dict(self._options.properties), named, self._topics())

    def takes_part(self, tokens: Sequence[str]) -> bool:
        return False
