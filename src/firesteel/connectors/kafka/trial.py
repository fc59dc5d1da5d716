"""Search for the messages that Kafka refuses, such as those that are too large for their topic.

A broker refuses a batch of messages as a whole. So each message is sent alone, in transactions that are
aborted: readers with `isolation.level` = read_committed see none of them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from firesteel.connectors.kafka.producer import MessageRefusedError, Producer
from firesteel.connectors.kafka.records import Record

_TOGETHER = 2000
"""Number of messages in one transaction. It is so small that no time-out is exceeded."""
_SOON = 0.02
"""Seconds of one wait for reports of failed messages.

A wait ends early only if a message fails, because the client does not report delivered messages.
"""


def find_refused(
    properties: Mapping[str, str], name: str, records: Sequence[Record], task: int | None
) -> dict[int, MessageRefusedError]:
    """Return the error of each message that is refused, by its index.

    Each transaction has its own client. After an aborted transaction with a refused message, the client and
    the broker may count the messages differently (librdkafka 2.16): the broker answers later messages with
    OUT_OF_ORDER_SEQUENCE_NUMBER, and the client reports nothing until they time out.

    Args:
        properties: `properties.*` of the table, without the prefix.
        name: Transactional ID of the task. The trial fences the task's producer, which has failed.
        records: The messages.
        task: Number of a task that writes to only one partition, else None.

    Raises:
        JobError: The trial has failed, for example because no broker answers.
    """
    found: dict[int, MessageRefusedError] = {}
    start = 0
    while start < len(records):
        trial = Trial(properties, name)
        start = trial.search(records, start, task, found)
        trial.abort()
    return dict(sorted(found.items()))


class Trial(Producer):
    """Producer that sends messages one by one in a transaction, up to the first that a broker refuses.

    Args:
        properties: `properties.*` of the table, without the prefix.
        name: Transactional ID. All other producers with it are fenced.
    """

    def __init__(self, properties: Mapping[str, str], name: str) -> None:
        super().__init__({**properties, "batch.num.messages": "1", "linger.ms": "0"}, name)
        self._failed: Exception | None = None
        self._persist(lambda: self._client.init_transactions(10.0))

    def search(
        self, records: Sequence[Record], start: int, task: int | None, found: dict[int, MessageRefusedError]
    ) -> int:
        """Send messages from index `start` on, at most 2,000, and add the errors of refused ones to `found`.

        Returns:
            Index at which the next search begins. If a broker has refused messages, it is the index after the
            first of them; else the index after the last message that this search has sent.

        Raises:
            JobError: The transaction has failed, but not because of a message.
        """
        new: dict[int, Exception] = {}
        end = min(start + _TOGETHER, len(records))
        self._persist(self._client.begin_transaction)
        for index in range(start, end):
            if new:
                break
            if index in found:
                continue
            topic, _, _, _, _ = record = records[index]
            partition = -1 if task is None else task % self._count(topic)
            try:
                self._try(record, partition, partial(self._note, new, index))
            except MessageRefusedError as error:
                found[index] = error
        while not new and len(self._client):
            self._client.poll(_SOON)
        if self._failed is not None and not new:
            raise self._failed
        for index, result in new.items():
            if not isinstance(result, MessageRefusedError):
                raise result
            found[index] = result
        return min(new) + 1 if new else end

    def _try(self, record: Record, partition: int, on_delivery: Any) -> None:
        topic, key, value, timestamp, headers = record
        more = {} if timestamp is None else {"timestamp": timestamp}
        while True:
            try:
                self._client.produce(
                    topic, value, key, partition, headers=headers, on_delivery=on_delivery, **more
                )
                self._client.poll(0)
                return
            except BufferError:
                self._client.poll(0.1)
            except self._kafka.KafkaException as error:
                if error.args[0].code() == self._kafka.KafkaError._STATE:
                    # If an earlier message is refused, its report comes with the next poll.
                    self._failed = self._error(error.args[0], topic, partition)
                    return
                raise self._error(error.args[0], topic, partition) from None

    def _note(self, new: dict[int, Exception], index: int, error: Any, message: Any) -> None:
        """Store the error that the client reports for a message. If `error` is None, do nothing.

        A message may fail in two ways:
        - The client drops it before a broker has answered. The message itself may be good, so the error is
          stored in `self._failed`, as the failure of the whole transaction.
        - A broker refuses it. The error is stored in `new`.

        Args:
            new: Errors of refused messages, by the message's index.
            index: Index of the message.
            error: Error from the client, or None.
            message: The client's message, with topic and partition.
        """
        if error is None:
            return
        found = self._error(error, message.topic(), message.partition())
        if error.code() in self._dropped:
            self._failed = found
        else:
            new[index] = found

    @property
    def _dropped(self) -> tuple[int, ...]:
        kinds = self._kafka.KafkaError
        return kinds._PURGE_QUEUE, kinds._PURGE_INFLIGHT
