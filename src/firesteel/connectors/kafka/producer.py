"""Sends messages, in a worker: plainly, or in transactions (transactions.py).

A transactional id belongs to one task of a job. A producer that initialises the id shuts out all producers
that had it before, and ends what they left open. A producer that is used for a second batch need not do so
again: if another has had its id since, its first request is refused.
"""

from __future__ import annotations

import json
import logging
import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent import futures
from dataclasses import replace
from typing import Any

from firesteel.background import in_thread
from firesteel.connectors.kafka.cluster import client, is_away, will_pass
from firesteel.connectors.kafka.properties import client_configuration, producer_configuration
from firesteel.connectors.kafka.records import Record
from firesteel.connectors.outage import Outage
from firesteel.connectors.positions import UNKNOWN, Origin, Position, from_text, to_json, to_text
from firesteel.errors import JobError, TransientError, UnavailableError, ValidationError

_PATIENCE = 120.0
"""Seconds for which a request is repeated that no broker answers (Java's delivery.timeout.ms)."""
_ATTEMPT = 10.0
_SILENCE = 2 * _ATTEMPT
"""Seconds after which a request is given up that does not even come back."""
_FIRST_PAUSE, _LONGEST_PAUSE = 0.005, 0.5
"""Seconds before a request is repeated; a broker needs some milliseconds to end the transaction before."""
_POLLED = 1000
"""Messages after which the client may say what it could not send."""
_KEPT = 16
"""Producers that a worker keeps for its next tasks: connecting takes longer than a small batch."""
_ANY_PARTITION = -1
_SILENT = logging.getLogger(f"{__name__}.client")
"""Takes what the client says itself of a transaction that another has shut out: the next producer goes on."""
_SILENT.disabled = True

_MOST = 4000
"""Characters of an offset's metadata; a broker takes 4,096 (offset.metadata.max.bytes)."""
_MESSAGES = "messages"
"""In the note of a group's offset: how many messages of the batch that the offset names are committed."""

_idle: dict[tuple[frozenset[tuple[str, str]], str], Producer] = {}
_idle_lock = threading.Lock()
"""The tasks of several statements may run in threads of one process."""


_TRANSACTION_LIMIT = "properties.transaction.timeout.ms"
_MORE_TIME = (
    f"set '{_TRANSACTION_LIMIT}' to more milliseconds, at most the broker's transaction.max.timeout.ms "
    "(900000 if it is not set)"
)


class ShutOutError(Exception):
    """Another attempt of the task has the transactional id now: this one is over, but not the job."""


class Producer:
    """A connection that sends.

    Args:
        properties: `properties.*` of the table, without the prefix.
        name: Its transactional id, "" for none.

    Attributes:
        batch: The last batch that is committed whole under the id, -1 for none.
        messages: How many messages of the batch after it are committed.
        origin: Where the rows of the batch come from that was noted last: of `batch`, or the one after it.

    Its methods raise JobError, with topic and partition where a message is refused; ShutOutError where
    another producer has its id.
    """

    def __init__(self, properties: Mapping[str, str], name: str = "") -> None:
        self._kafka = client()
        self._properties = dict(properties)
        self.name = name
        self.servers = properties["bootstrap.servers"]
        self.batch = -1
        self.messages = 0
        self.origin = UNKNOWN
        self._began: float | None = None
        self._outage = Outage(f"Kafka at {self.servers}")
        self._refused: list[tuple[Any, str, int]] = []
        self._has_lost_broker = self._was_shut_out = self._is_stuck = self._is_sending = False
        self._group: Any = None
        self._counts: dict[str, int] = {}
        configuration: dict[str, Any] = producer_configuration(properties, name)
        self._limit = int(configuration.get("transaction.timeout.ms", 0)) / 1000
        self._delivery = int(configuration.get("delivery.timeout.ms", 0)) / 1000
        configuration |= {"delivery.report.only.error": True, "log_level": 2, "on_delivery": self._delivered}
        configuration |= {"error_cb": self._lost, "logger": _SILENT}
        try:
            self._client = self._kafka.Producer(configuration)
        except self._kafka.KafkaException as error:
            raise ValidationError(f"Kafka's client refuses a property: {error.args[0].str()}") from None

    def release(self) -> None:
        """Keep the connection for the worker's next task of this name."""
        dropped = []  # outside of the lock: the end of a connection takes a while
        with _idle_lock:
            while len(_idle) >= _KEPT:
                dropped.append(_idle.pop(next(iter(_idle))))
            _idle[_key(self._properties, self.name)] = self

    # --- messages --------------------------------------------------------------------------------
    def send(self, records: Iterable[Record], task: int | None) -> None:
        """Hand the messages to the client. task: the number of a task that keeps to one partition."""
        if not self._is_sending:
            self._client.poll(0)  # gives errors of an absence that is over
            self._is_sending = True
        for number, (topic, key, value, timestamp, headers) in enumerate(records):
            partition = _ANY_PARTITION if task is None else task % self._count(topic)
            self._produce(topic, value, key, partition, timestamp, headers)
            if number % _POLLED == 0:
                self._serve(lambda: self._client.poll(0))

    def _produce(
        self, topic: str, value: Any, key: Any, partition: int, timestamp: int | None, headers: Any
    ) -> None:
        more = {} if timestamp is None else {"timestamp": timestamp}
        while True:
            try:
                self._client.produce(topic, value, key, partition, headers=headers, **more)
                return
            except BufferError:
                self._serve(lambda: self._client.poll(0.1))
            except self._kafka.KafkaException as error:
                raise self._error(error.args[0], topic, partition) from None

    def flush(self) -> None:
        """Wait until all is written."""
        while self._serve(lambda: self._client.flush(_ATTEMPT)):
            continue
        self._is_sending = False
        self._outage.answered()

    def _serve(self, wait: Callable[[], int]) -> int:
        """Let the client say what became of messages; what `wait` gives."""
        try:
            left = wait()
        except self._kafka.KafkaException as error:
            raise self._error(error.args[0], "", _ANY_PARTITION) from None
        except SystemError:  # so the client says in flush that it has met a fatal error
            if not self.name:
                raise
            raise self._shut_out("the transaction cannot go on") from None
        self._check()
        return left

    def _count(self, topic: str) -> int:
        """The topic's partitions."""
        if topic not in self._counts:
            found = self._persist(lambda: self._client.list_topics(topic, timeout=_ATTEMPT))
            if not found.topics[topic].partitions:
                raise JobError(f"topic {topic}: Kafka at {self.servers} has no such topic.")
            self._counts[topic] = len(found.topics[topic].partitions)
        return self._counts[topic]

    def _delivered(self, error: Any, message: Any) -> None:
        if error is not None:
            self._refused.append((error, message.topic(), message.partition()))

    def _check(self) -> None:
        if self._refused:
            self._outage.given_up()
            raise self._error(*self._refused[0])

    def _error(self, error: Any, topic: str, partition: int) -> Exception:
        if self._is_shut_out(error):
            return self._shut_out(error.str())
        if not topic:
            return JobError(f"Kafka at {self.servers} refuses: {error.str()}")
        place = f"topic {topic}" if partition == _ANY_PARTITION else f"topic {topic}, partition {partition}"
        if error.code() == self._kafka.KafkaError._MSG_TIMED_OUT:
            return self._timed_out(place)
        return JobError(f"{place}: Kafka at {self.servers} has not taken a message: {error.str()}")

    def _timed_out(self, place: str) -> JobError:
        """Return the error for a message without an answer. A message in a transaction has the time of it."""
        in_transaction = self.name and self._delivery >= self._limit
        key = _TRANSACTION_LIMIT if in_transaction else "properties.delivery.timeout.ms"
        return UnavailableError(
            f"{place}: Kafka at {self.servers} has not taken a message within {self._delivery:g} s, which is "
            f"what '{key}' allows.",
            hint=_MORE_TIME if in_transaction else f"is the broker up? Or set '{key}' to more milliseconds",
            option=key,
        )

    @property
    def is_sound(self) -> bool:
        """Whether it has lost no connection. One that has may wait for ever in its next transaction."""
        self._is_sending = False
        self._client.poll(0)
        return not self._has_lost_broker

    def _lost(self, error: Any) -> None:
        self._has_lost_broker = True
        self._was_shut_out |= error.code() == self._kafka.KafkaError._FENCED
        if self._is_sending and error.code() == self._kafka.KafkaError._ALL_BROKERS_DOWN:
            self._outage.missed(error.str())

    # --- transactions ----------------------------------------------------------------------------
    def _is_shut_out(self, error: Any) -> bool:
        """Whether it says, or an earlier error that it follows from, that another producer has the id."""
        kinds = self._kafka.KafkaError
        told = (kinds._FENCED, kinds.INVALID_PRODUCER_EPOCH, kinds.PRODUCER_FENCED)
        return bool(self.name) and (error.code() in told or self._was_shut_out)

    def _shut_out(self, why: str) -> Exception:
        """The error where the transactional id is not this producer's any more.

        The broker takes it away from a transaction that lasts too long, too, and says the same.
        """
        lasted = 0.0 if self._began is None else time.monotonic() - self._began
        if not lasted > self._limit:
            return ShutOutError(f"{self.name}: {why}")
        return TransientError(
            f"Kafka at {self.servers} has ended the transaction {self.name}: it was open for {lasted:.0f} s, "
            f"'{_TRANSACTION_LIMIT}' allows {self._limit:.0f} s.",
            hint=_MORE_TIME,
        )

    def shut_out_others(self, topics: Sequence[str]) -> None:
        """Make the transactional id this producer's own, and read how far it has come.

        Args:
            topics: Those of the table, of which one holds the number of the last batch.
        """
        self._persist(lambda: self._client.init_transactions(_ATTEMPT))
        configuration = client_configuration(self._properties) | {"group.id": self.name, "log_level": "2"}
        configuration["isolation.level"] = "read_committed"  # the table's is for its readers
        member = self._kafka.Consumer(configuration)
        try:
            places = [self._kafka.TopicPartition(topic, 0) for topic in topics]
            found = self._persist(lambda: member.committed(places, _ATTEMPT))
            self._group = member.consumer_group_metadata()
        finally:
            member.close()
        last = max(found, key=lambda each: each.offset)
        self.batch, self.messages = last.offset - 1, _noted(last.metadata)
        self.origin = from_text(last.metadata)

    @property
    def position(self) -> Position:
        """How far the id is; a batch of which some messages are committed counts."""
        if self.messages:
            return Position(self.batch + 1, self.origin, is_whole=False)
        return Position(max(self.batch, -1), self.origin)

    def begin(
        self, batch: int, topics: Sequence[str], messages: int | None = None, origin: Origin = UNKNOWN
    ) -> None:
        """Begin a transaction that notes how far a batch is, as the group's offset in topics.

        Args:
            batch: Its number.
            topics: The topics, as a rule one.
            messages: How many of the batch's messages are committed with the transaction; None for all.
            origin: Where its rows come from; noted as the offset's metadata.
        """
        self._began = time.monotonic()
        self._persist(self._client.begin_transaction)
        offset, note = batch + 1, to_text(origin, _MOST)
        if messages is not None:
            offset, note = batch, json.dumps(to_json(replace(origin, offsets=())) | {_MESSAGES: messages})
        places = [self._kafka.TopicPartition(topic, 0, offset, note) for topic in topics]
        self._persist(lambda: self._send_offsets(places))
        self.origin = origin

    def _send_offsets(self, places: list[Any]) -> None:
        """librdkafka heeds no timeout here: where the group's broker goes meanwhile, the call may never
        come back (librdkafka#5456). The client is of no use then."""
        sent = in_thread(lambda: self._client.send_offsets_to_transaction(places, self._group, _ATTEMPT))
        try:
            sent.result(_SILENCE)
        except futures.TimeoutError:
            self._is_stuck = True
            raise UnavailableError(
                f"Kafka at {self.servers} does not answer: a transaction did not begin in {_SILENCE:.0f} s."
            ) from None

    def commit(self, batch: int, messages: int | None = None) -> None:
        """Commit the transaction that `begin` began with the same arguments."""
        self.flush()
        self._persist(lambda: self._client.commit_transaction(_ATTEMPT))
        self._began = None
        self.batch, self.messages = (batch, 0) if messages is None else (batch - 1, messages)

    def abort(self) -> None:
        """Leave the transaction; where no broker answers it ends by itself, or with the next of its name."""
        if self._is_stuck:
            return
        try:
            self._client.purge()
            self._client.abort_transaction(_ATTEMPT)
        except self._kafka.KafkaException:
            return

    def _persist(self, request: Callable[[], Any]) -> Any:
        """The answer to a request that is repeated where that may help."""
        end, pause = time.monotonic() + _PATIENCE, _FIRST_PAUSE
        while True:
            try:
                answer = request()
            except self._kafka.KafkaException as error:
                told = error.args[0]
                if not (told.retriable() or will_pass(told)) or time.monotonic() > end:
                    self._outage.given_up()
                    raise self._refusal(told) from None
                if is_away(told):
                    self._outage.missed(told.str(), _PATIENCE)
            else:
                self._outage.answered()
                return answer
            time.sleep(pause)
            pause = min(2 * pause, _LONGEST_PAUSE)

    def _refusal(self, told: Any) -> Exception:
        """The error for a request that is refused."""
        self._check()
        if self._is_shut_out(told):
            return self._shut_out(told.str())
        hint = None
        if told.code() == self._kafka.KafkaError.INVALID_TRANSACTION_TIMEOUT:
            hint = (
                f"'properties.transaction.timeout.ms' is {1000 * self._limit:.0f}: set it to at most the "
                "broker's transaction.max.timeout.ms (900000 where it is not set)"
            )
        kind = UnavailableError if told.retriable() or will_pass(told) else JobError
        return kind(f"Kafka at {self.servers} refuses: {told.str()}", hint=hint)


def _key(properties: Mapping[str, str], name: str) -> tuple[frozenset[tuple[str, str]], str]:
    return frozenset(properties.items()), name


def _noted(note: str | None) -> int:
    """The number of messages in a group's note."""
    try:
        found = json.loads(note or "{}")
    except ValueError:
        return 0
    return int(found.get(_MESSAGES, 0)) if isinstance(found, dict) else 0


def idle_producer(properties: Mapping[str, str], name: str = "") -> Producer | None:
    """Take a producer that an earlier task of this worker has released, if there is one."""
    with _idle_lock:
        return _idle.pop(_key(properties, name), None)


def plain_producer(properties: Mapping[str, str]) -> Producer:
    """Return a producer without transactions."""
    return idle_producer(properties) or Producer(properties)


def owner(properties: Mapping[str, str], name: str, topics: Sequence[str]) -> Producer:
    """Return a producer that has shut out all others of its transactional id, and knows the position."""
    made = Producer(properties, name)
    made.shut_out_others(topics)
    return made
