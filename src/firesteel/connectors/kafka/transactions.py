"""Sending of a task's part of a batch in short transactions.

A broker aborts a transaction that is open for longer than its time-out. A transaction that grows with the
data might never be committed. So messages are encoded before a transaction begins, and a part of many
messages is sent in several transactions. Each transaction also commits an offset of a consumer group. The
group's name is the transactional ID. The offset, with its metadata, tells how much of the batch is committed:

    batch + 1                             all messages
    batch, metadata {"messages": 250000}  this many messages

A retried batch has the same messages in the same order. Those that are already committed are skipped.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from firesteel.connectors.kafka.producer import (
    MessageRefusedError,
    Producer,
    Refuse,
    ShutOutError,
    idle_producer,
    owner,
)
from firesteel.connectors.kafka.records import Record
from firesteel.connectors.positions import UNKNOWN, Origin
from firesteel.connectors.refused_rows import RowsRefusedError
from firesteel.errors import InternalError, JobError

_MESSAGES, _BYTES = 100_000, 32 << 20
"""Approximate limits of a transaction, in messages and bytes. So small a transaction takes only seconds."""


class Transactions:
    """Transactions of one task and batch.

    Args:
        properties: `properties.*` of the table, without the prefix.
        name: Transactional ID, which is also the name of the consumer group.
        batch: Number of the batch.
        topics: Topics of the table. The consumer group's offset is committed in the first one.
        task: Number of a task that writes to only one partition, else None.
        origin: Range of source rows of the batch.
        refuse: Function that takes the index of a message that Kafka refuses, and its error. Index 0 is the
            first message that `add` got for this batch. If `refuse` is None, the error of the first refused
            message is raised.

    Raises:
        JobError: A method fails.
        ShutOutError: Another producer has the transactional ID.
        RowsRefusedError: Kafka refuses messages of a transaction. The transaction is aborted, and `refuse`
            has been called for each of its refused messages.
    """

    def __init__(
        self,
        properties: Mapping[str, str],
        name: str,
        batch: int,
        topics: Sequence[str],
        task: int | None,
        origin: Origin = UNKNOWN,
        refuse: Refuse | None = None,
    ) -> None:
        self._refuse = refuse
        self._properties = properties
        self._name = name
        self._batch = batch
        self._topics = topics
        self._task = task
        self._origin = origin
        self._held: list[Record] = []
        self._bytes = 0
        self._sent = self._left_out = 0
        kept = idle_producer(properties, name)
        self._is_tried = kept is None or not kept.is_sound
        if kept is None or self._is_tried:
            self._producer = self._renewed()
        else:
            self._producer = kept
        if self.is_done:
            self._producer.release()

    def _renewed(self) -> Producer:
        """Return a new producer that fences all others with its transactional ID."""
        self._is_tried = True
        return owner(self._properties, self._name, self._topics)

    @property
    def is_done(self) -> bool:
        """Return whether an earlier attempt has committed the whole batch.

        Raises:
            JobError: A batch with this number, or a later one, is committed, but with other source rows.
        """
        self._producer.position.has(self._batch, self._origin, f"Kafka, transactional id {self._name}")
        return self._batch <= self._producer.batch

    @property
    def _there(self) -> int:
        """Return how many messages of the batch are committed."""
        return self._producer.messages if self._producer.batch == self._batch - 1 else 0

    def add(self, records: Sequence[Record]) -> None:
        """Add messages. They are buffered until there are enough for a transaction."""
        if self._held and (len(self._held) >= _MESSAGES or self._bytes >= _BYTES):
            self._send(is_last=False)
        self._held += records
        self._bytes += sum(len(key or b"") + len(value or b"") for _, key, value, _, _ in records)

    def close(self) -> None:
        """Send the buffered messages, and record that the batch is complete."""
        if not self.is_done:
            self._send(is_last=True)
            self._producer.release()

    def abort(self) -> None:
        """Abort the open transaction, and drop the buffered messages."""
        self._held = []
        self._producer.abort()

    def _send(self, is_last: bool) -> None:
        """Send the buffered messages in one transaction. If `is_last`, it completes the batch."""
        if not self._begin(is_last):
            return
        messages = None if is_last else self._sent + len(self._held)
        try:
            self._producer.send(self._fresh(), self._task)
            self._producer.commit(self._batch, messages)
        except MessageRefusedError:
            self._note_refused()
            raise
        self._sent += len(self._held)
        self._held, self._bytes = [], 0

    def _note_refused(self) -> None:
        """Pass all buffered messages that Kafka refuses to `refuse`, unless that is None.

        Raises:
            RowsRefusedError: Kafka refuses messages.
        """
        self._producer.abort()
        if self._refuse is None:
            return
        from firesteel.connectors.kafka.trial import find_refused

        fresh = self._fresh()
        found = find_refused(self._properties, self._name, fresh, self._task)
        first = self._sent + len(self._held) - len(fresh)
        for index, error in found.items():
            self._refuse(first + index, error)
        if found:
            raise RowsRefusedError

    def _fresh(self) -> list[Record]:
        """Return the buffered messages that no earlier attempt has committed."""
        return self._held[max(0, self._there - self._sent) :]

    def _begin(self, is_last: bool) -> bool:
        """Begin a transaction, with a new producer if the cached one has lost its transactional ID.

        Args:
            is_last: Whether the transaction completes the batch.

        Returns:
            Whether a transaction has begun. False if earlier attempts have committed all that it would.
        """
        if not self._is_tried:
            self._is_tried = True
            try:
                return self._try_to_begin(is_last)
            except (JobError, ShutOutError):  # Another process has had the ID since, or no broker answers.
                self._producer.abort()
            self._producer = self._renewed()
        return self._try_to_begin(is_last)

    def _try_to_begin(self, is_last: bool) -> bool:
        whole = self._sent + len(self._held)
        if self.is_done or (self._there >= whole and not is_last):
            self._sent = whole
            self._held, self._bytes = [], 0
            return False
        if self._there > whole:
            raise InternalError(
                f"{self._name}: an earlier attempt has written {self._there} messages of batch "
                f"{self._batch}, which has {whole}"
            )
        self._producer.begin(self._batch, self._topics[:1], None if is_last else whole, self._origin)
        return True
