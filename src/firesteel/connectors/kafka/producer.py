"""Producer of Kafka messages in a worker, with or without transactions (transactions.py).

A transactional ID belongs to one task of a job. A producer that initializes the ID fences all producers that
had the ID before, and aborts the transactions that they left open. After a batch, the worker keeps the task's
producer, and uses it for the next batch without initializing the ID again. If another producer has meanwhile
initialized the ID, brokers refuse the first request that the kept producer sends for the next batch.
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
"""Seconds for which an unanswered request is repeated (Java's delivery.timeout.ms)."""
_ATTEMPT = 10.0
_SILENCE = 2 * _ATTEMPT
"""Seconds to wait for a call to librdkafka that may ignore its time-out, _ATTEMPT."""
_FIRST_PAUSE, _LONGEST_PAUSE = 0.005, 0.5
"""First and longest pause in seconds between two attempts. A broker takes some ms to end a transaction."""
_POLLED = 1000
"""Number of sent messages after which `send` polls the client for failed deliveries."""
_KEPT = 16
"""Maximum number of idle producers of a worker. Later tasks use them, because connecting is slow."""
_ANY_PARTITION = -1
_SILENT = logging.getLogger(f"{__name__}.client")
"""Disabled logger of librdkafka. A fenced producer, which it reports, is no failure of the job."""
_SILENT.disabled = True

_MOST = 4000
"""Maximum length of an offset's metadata. A broker accepts 4,096 bytes (offset.metadata.max.bytes)."""
_MESSAGES = "messages"
"""Key of an entry in the metadata of a committed offset: how many messages of the batch are committed."""

Refuse = Callable[[int, "MessageRefusedError"], None]
"""Function that takes the index of a refused message, and the error for it."""

_idle: dict[tuple[frozenset[tuple[str, str]], str], Producer] = {}
_idle_lock = threading.Lock()
"""Lock of the idle producers. Tasks of several statements may run in threads of one process."""


_TRANSACTION_LIMIT = "properties.transaction.timeout.ms"
_MORE_TIME = (
    f"set '{_TRANSACTION_LIMIT}' to more milliseconds, at most the broker's transaction.max.timeout.ms "
    "(900000 if it is not set)"
)


class ShutOutError(Exception):
    """Error: a newer attempt of the task has the transactional ID. This attempt ends, the job continues."""


class MessageRefusedError(JobError):
    """Error for a message that Kafka refuses because of the message itself, such as one that is too large.

    Attributes:
        error_class: Kafka's name of the error.
    """

    error_class = ""


class Producer:
    """Producer of messages, with or without transactions.

    Methods raise JobError, which names topic and partition of a refused message. They raise ShutOutError if
    another producer has the transactional ID. A batch may be committed in part, in several transactions.

    Args:
        properties: `properties.*` of the table, without the prefix.
        name: Transactional ID, "" for none.

    Attributes:
        batch: Last batch of which all messages are committed with the transactional ID, -1 for none.
        messages: Number of committed messages of the following batch, `batch + 1`; 0 if it has none yet.
        origin: Range of source rows: of batch `batch + 1` if `messages` is above 0, else of `batch`.
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
        """Keep the connection for the worker's next task with this transactional ID."""
        dropped = []  # deleted after the lock is released, since closing a connection takes a while
        with _idle_lock:
            while len(_idle) >= _KEPT:
                dropped.append(_idle.pop(next(iter(_idle))))
            _idle[_key(self._properties, self.name)] = self

    # --- messages --------------------------------------------------------------------------------
    def send(self, records: Iterable[Record], task: int | None, refuse: Refuse | None = None) -> None:
        """Pass messages to the client.

        Args:
            records: The messages.
            task: If not None, all messages of a topic go to partition `task` modulo its number of partitions.
            refuse: Takes the index and error of a message that the client refuses. If None, `send` raises it.
        """
        if not self._is_sending:
            self._client.poll(0)  # Errors of an outage that has ended come now, when `_lost` ignores them.
            self._is_sending = True
        for number, (topic, key, value, timestamp, headers) in enumerate(records):
            partition = _ANY_PARTITION if task is None else task % self._count(topic)
            try:
                self._produce(topic, value, key, partition, timestamp, headers)
            except MessageRefusedError as error:
                if refuse is None:
                    raise
                refuse(number, error)
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
        """Wait until the brokers have acknowledged all messages."""
        while self._serve(lambda: self._client.flush(_ATTEMPT)):
            continue
        self._is_sending = False
        self._outage.answered()

    def _serve(self, wait: Callable[[], int]) -> int:
        """Call `wait`, which polls or flushes the client. Return its result. Raise if a delivery failed."""
        try:
            left = wait()
        except self._kafka.KafkaException as error:
            raise self._error(error.args[0], "", _ANY_PARTITION) from None
        except SystemError:  # flush reports a fatal error in this way
            if not self.name:
                raise
            raise self._shut_out("the transaction cannot go on") from None
        self._check()
        return left

    def _count(self, topic: str) -> int:
        """Return the number of partitions of a topic."""
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
        text = f"{place}: Kafka at {self.servers} has not taken a message: {error.str()}"
        kinds = self._kafka.KafkaError
        if error.code() not in (kinds.MSG_SIZE_TOO_LARGE, kinds.INVALID_RECORD, kinds.INVALID_TIMESTAMP):
            return JobError(text)
        refused = MessageRefusedError(text)
        refused.error_class = error.name()
        return refused

    def _timed_out(self, place: str) -> JobError:
        """Return the error for an unanswered message. It names the option with the time-out that applied."""
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
        """True if no connection was ever lost. After a loss, the next transaction may wait without end."""
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
        """Return whether this or an earlier error reports that another producer has the transactional ID."""
        kinds = self._kafka.KafkaError
        told = (kinds._FENCED, kinds.INVALID_PRODUCER_EPOCH, kinds.PRODUCER_FENCED)
        return bool(self.name) and (error.code() in told or self._was_shut_out)

    def _shut_out(self, why: str) -> Exception:
        """Return the error for a lost transactional ID, or for a transaction that was open for too long."""
        # The broker also reports a lost transactional ID if a transaction lasts too long.
        lasted = 0.0 if self._began is None else time.monotonic() - self._began
        if not lasted > self._limit:
            return ShutOutError(f"{self.name}: {why}")
        return TransientError(
            f"Kafka at {self.servers} has ended the transaction {self.name}: it was open for {lasted:.0f} s, "
            f"'{_TRANSACTION_LIMIT}' allows {self._limit:.0f} s.",
            hint=_MORE_TIME,
        )

    def shut_out_others(self, topics: Sequence[str]) -> None:
        """Fence all other producers with the transactional ID, and read the last batch that it has committed.

        Args:
            topics: Topics of the table. An offset of the consumer group `name` in partition 0 of a topic
                records the batch. The largest of these offsets counts.
        """
        self._persist(lambda: self._client.init_transactions(_ATTEMPT))
        configuration = client_configuration(self._properties) | {"group.id": self.name, "log_level": "2"}
        configuration["isolation.level"] = "read_committed"  # The table's own level is for its readers.
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
        """Last batch that the transactional ID has committed, wholly or in part; its number is -1 if none."""
        if self.messages:
            return Position(self.batch + 1, self.origin, is_whole=False)
        return Position(max(self.batch, -1), self.origin)

    def begin(
        self, batch: int, topics: Sequence[str], messages: int | None = None, origin: Origin = UNKNOWN
    ) -> None:
        """Begin a transaction that also commits a batch's progress as an offset of the consumer group `name`.

        Args:
            batch: Number of the batch.
            topics: Topics in whose partition 0 the offset is committed, usually one topic.
            messages: Number of the batch's messages that this and earlier transactions commit; None for all.
            origin: Range of source rows of the batch, recorded as the offset's metadata.
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
        """Add the group's offsets to the transaction.

        librdkafka ignores the time-out: without the group's broker, the call may never end (librdkafka#5456).
        """
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
        """Abort the transaction. If no broker answers, it times out, or the next producer aborts it."""
        if self._is_stuck:
            return
        try:
            self._client.purge()
            self._client.abort_transaction(_ATTEMPT)
        except self._kafka.KafkaException:
            return

    def _persist(self, request: Callable[[], Any]) -> Any:
        """Return the answer to a request. Repeat the request if a retry may succeed."""
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
        """Return the ShutOutError, UnavailableError or JobError for the client's error `told`."""
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
    """Return the number of messages in the metadata of a committed offset; 0 if it has none."""
    try:
        found = json.loads(note or "{}")
    except ValueError:
        return 0
    return int(found.get(_MESSAGES, 0)) if isinstance(found, dict) else 0


def idle_producer(properties: Mapping[str, str], name: str = "") -> Producer | None:
    """Take a producer with these properties and ID that an earlier task released; None if there is none."""
    with _idle_lock:
        return _idle.pop(_key(properties, name), None)


def plain_producer(properties: Mapping[str, str]) -> Producer:
    """Return a producer without transactions."""
    return idle_producer(properties) or Producer(properties)


def owner(properties: Mapping[str, str], name: str, topics: Sequence[str]) -> Producer:
    """Return a new producer that has fenced all others with the transactional ID and found its last batch."""
    made = Producer(properties, name)
    made.shut_out_others(topics)
    return made
