"""Cluster, the driver's connection to Kafka for partitions and offsets."""

from __future__ import annotations

import time
from collections.abc import Iterable
from concurrent.futures import Future
from contextlib import suppress
from typing import Any

from firesteel.connectors.kafka.offsets import Partition, Places
from firesteel.connectors.kafka.options import EARLIEST, LATEST, SPECIFIC, TIMESTAMP, KafkaOptions, Place
from firesteel.connectors.kafka.properties import client_configuration
from firesteel.errors import JobError, UnavailableError, ValidationError, missing_package
from firesteel.functions.java.regular_expressions import parsed

_PATIENCE, _REFUSED, _SHORT = 10.0, 2.0, 1.0
"""Seconds until a request fails: usually; if a broker refuses connections; and if it asks for the lag.

The value for refused connections, 2.0, applies while other brokers may still answer. If all brokers refuse,
_ALL_REFUSED applies. The lag is only shown to the user, so the job goes on without it.
"""
_FIRST_TIMEOUT = 0.25
_ALL_REFUSED = 0.4
"""Seconds until a request for metadata fails if all brokers refuse connections.

The time is short because no broker is left that could still answer. If only some brokers refuse connections,
the request fails after _REFUSED seconds.
"""
_RETENTION = 7 * 24 * 3600.0
"""Seconds: Kafka's default of offsets.retention.minutes."""
_CREATION, _PAUSE = 5.0, 0.1
"""Seconds to wait until a broker has created a topic, and between two checks whether it has."""


def client() -> Any:
    """Return the module confluent_kafka. Raises UsageError if it is not installed."""
    try:
        import confluent_kafka
        import confluent_kafka.admin
    except ImportError:
        raise missing_package("The connector 'kafka'", "confluent-kafka", "kafka") from None
    return confluent_kafka


def will_pass(error: Any) -> bool:
    """Return whether a retry may succeed: no broker answered, or it is not ready, leader or coordinator.

    These are the errors of Java's RetriableException, without that of an unknown topic.
    """
    kinds = client().KafkaError
    return error.code() in (
        *(kinds._TRANSPORT, kinds._ALL_BROKERS_DOWN, kinds._TIMED_OUT, kinds._TIMED_OUT_QUEUE),
        *(kinds._WAIT_COORD, kinds.NOT_COORDINATOR, kinds.COORDINATOR_NOT_AVAILABLE),
        *(kinds.COORDINATOR_LOAD_IN_PROGRESS, kinds.REQUEST_TIMED_OUT, kinds.NETWORK_EXCEPTION),
        *(kinds.NOT_LEADER_FOR_PARTITION, kinds.LEADER_NOT_AVAILABLE, kinds.REPLICA_NOT_AVAILABLE),
        *(kinds.FENCED_LEADER_EPOCH, kinds.UNKNOWN_LEADER_EPOCH, kinds.OFFSET_NOT_AVAILABLE),
        *(kinds.KAFKA_STORAGE_ERROR, kinds.LISTENER_NOT_FOUND, kinds.UNSTABLE_OFFSET_COMMIT),
    )


def is_away(error: Any) -> bool:
    """Return whether no broker answered at all."""
    kinds = client().KafkaError
    return error.code() in (
        kinds._TRANSPORT,
        kinds._ALL_BROKERS_DOWN,
        kinds._TIMED_OUT,
        kinds._TIMED_OUT_QUEUE,
    )


class UnreachableError(UnavailableError):
    """Error: the cluster does not answer now."""


class UnknownPartitionError(UnavailableError):
    """Error: the cluster does not know a topic, a partition or its leader.

    Brokers may also report this while they start. So a retry may succeed.
    """


class Cluster:
    """A connection of the driver to a Kafka cluster.

    Methods raise UnreachableError if the cluster does not answer, and JobError if it refuses a request. The
    text of both errors names the servers.
    """

    def __init__(self, options: KafkaOptions) -> None:
        self._options = options
        self._kafka = client()
        self._properties = dict(options.properties)
        self.servers = self._properties["bootstrap.servers"]
        self._errors: list[Any] = []
        configuration: dict[str, Any] = client_configuration(self._properties)
        configuration |= {"log_level": 2, "error_cb": self._errors.append}
        try:
            self._admin = self._kafka.admin.AdminClient(configuration)
        except self._kafka.KafkaException as error:
            raise ValidationError(f"Kafka's client refuses a property: {_words(error)}") from None

    # --- partitions ------------------------------------------------------------------------------
    def partitions(self) -> list[Partition]:
        """Return the partitions of the topics in the options. Raises JobError if a topic does not exist."""
        topics = self._metadata().topics
        names = self._options.topics
        if self._options.pattern:
            pattern = parsed(self._options.pattern)
            names = tuple(sorted(name for name in topics if pattern.fullmatch(name)))
        for name in names:
            if name not in topics:
                near = ", ".join(sorted(t for t in topics if not t.startswith("__"))) or "none"
                raise JobError(
                    f"Kafka at {self.servers} has no topic '{name}'.",
                    hint=f"its topics are: {near}",
                    option="topic",
                )
        return [(name, number) for name in names for number in sorted(topics[name].partitions)]

    def create_missing(self, topics: Iterable[str]) -> list[str]:
        """Let the broker create missing topics of a sink, as it does on first use.

        Returns:
            A notice for each topic that was created.

        Raises:
            JobError: The broker does not create topics (auto.create.topics.enable is false).
        """
        there = self._metadata().topics
        return [self._created(topic) for topic in topics if topic not in there]

    def _created(self, topic: str) -> str:
        end = time.monotonic() + _CREATION
        while time.monotonic() < end:
            found = self._metadata(topic).topics[topic]  # a request for one topic by its name creates it
            if found.error is None and found.partitions:
                many = "1 partition" if len(found.partitions) == 1 else f"{len(found.partitions)} partitions"
                return (
                    f"Kafka at {self.servers} has created the topic '{topic}', with {many}: it was not there."
                )
            time.sleep(_PAUSE)
        raise JobError(
            f"Kafka at {self.servers} has no topic '{topic}', and does not create it on first use: "
            f"{'auto.create.topics.enable is false' if found.error is None else found.error.str()}",
            hint=f"create it: kafka-topics.sh --bootstrap-server {self.servers} --create --topic {topic}",
            option="topic",
        )

    def known(self) -> set[Partition]:
        """Return all partitions of the cluster."""
        topics = self._metadata().topics
        return {(name, number) for name, topic in topics.items() for number in topic.partitions}

    def _metadata(self, topic: str | None = None) -> Any:
        began, down = time.monotonic(), self._kafka.KafkaError._ALL_BROKERS_DOWN
        self._errors.clear()
        timeout = _FIRST_TIMEOUT
        while True:
            try:
                return self._admin.list_topics(topic, timeout=timeout)
            except self._kafka.KafkaException as error:
                self._admin.poll(0)
                waited = time.monotonic() - began
                all_down = any(each.code() == down for each in self._errors)
                patience = _ALL_REFUSED if all_down else _REFUSED if self._errors else _PATIENCE
                if waited >= patience:
                    raise self._unreachable(error) from None
                # Wait longer for the next answer: a far cluster may take more than the first time-out.
                timeout = min(2 * timeout, 1.0, patience - waited)

    def ids(self, topics: Iterable[str]) -> dict[str, str]:
        """Return the id of each topic. A topic that is deleted and created again gets a new id.

        A topic is left out if it does not exist, or if its broker has no ids (before Kafka 2.8).
        """
        names = sorted(set(topics))
        if not names:
            return {}
        asked = self._kafka.TopicCollection(names)
        answers = self._admin.describe_topics(asked, request_timeout=_PATIENCE)
        found: dict[str, str] = {}
        for name, answer in answers.items():
            with suppress(UnknownPartitionError):
                made = self._answer(answer, f"topic {name}: ").topic_id
                if made is not None and (
                    made.get_most_significant_bits() or made.get_least_significant_bits()
                ):
                    found[name] = str(made)
        return found

    def offsets_retention(self) -> float:
        """Return the seconds for which the brokers keep the offsets of an unused consumer group.

        If the brokers do not report the setting or do not permit the request, return Kafka's default, a week.
        """
        kinds = self._kafka.admin
        broker = next(iter(self._metadata().brokers), None)
        if broker is None:
            return _RETENTION
        asked = kinds.ConfigResource(kinds.ResourceType.BROKER, str(broker))
        (answer,) = self._admin.describe_configs([asked], request_timeout=_PATIENCE).values()
        try:
            entry = self._answer(answer).get("offsets.retention.minutes")
        except JobError:
            return _RETENTION
        return _RETENTION if entry is None or entry.value is None else 60.0 * int(entry.value)

    # --- offsets ---------------------------------------------------------------------------------
    def earliest(self, partitions: Iterable[Partition]) -> Places:
        return self._offsets(partitions, self._kafka.admin.OffsetSpec.earliest())

    def latest(self, partitions: Iterable[Partition]) -> Places:
        """Return the offset after the last message of each partition.

        If `isolation.level` is read_committed and transactions are open, return the offset of the first
        message of the oldest open transaction (Kafka: last stable offset).
        """
        return self._offsets(partitions, self._kafka.admin.OffsetSpec.latest())

    def lag(self, at: Places) -> Places:
        """Return for each partition the number of messages from its offset in `at` to its end.

        Raises:
            UnreachableError: The cluster has not answered for one second.
        """
        latest = self._offsets(at, self._kafka.admin.OffsetSpec.latest(), _SHORT)
        return {each: max(0, latest[each] - place) for each, place in at.items()}

    def at(self, place: Place, partitions: list[Partition]) -> Places:
        """Return the offset in each partition at which reading starts or ends, by Flink's rules.

        - earliest-offset, latest-offset: the beginning or the end of the partition.
        - timestamp: the first message with this time or a later one. Without such a message, the end.
        - specific-offsets: the listed offset. For a partition that is not listed, it is the offset that the
          consumer group has committed, or the beginning if the group has none.
        - group-offsets: the offset that the consumer group has committed. If it has none,
          `auto.offset.reset` decides between the beginning and the end (see `_of_group`).

        Args:
            place: Start or end of reading as the table's options set it.
            partitions: The partitions.
        """
        if place.mode == EARLIEST:
            return self.earliest(partitions)
        found = self.latest(partitions)
        if place.mode == LATEST:
            return found
        if place.mode == TIMESTAMP:
            times = self._offsets(partitions, self._kafka.admin.OffsetSpec.for_timestamp(place.timestamp))
            return found | {each: offset for each, offset in times.items() if offset >= 0}
        if place.mode == SPECIFIC:
            given = {(self._options.topics[0], number): offset for number, offset in place.offsets}
            missing = [each for each in partitions if each not in given]
            found = {each: offset for each, offset in given.items() if each in partitions}
            if not missing:
                return found
            committed = self._committed(missing)
            return self.earliest(missing) | committed | found
        return self._of_group(partitions)

    def _of_group(self, partitions: list[Partition]) -> Places:
        """Return the offset of each partition that the consumer group has committed.

        Without a committed offset, `auto.offset.reset` decides between the beginning and the end.

        Raises:
            JobError: A committed offset is missing, and `auto.offset.reset` is neither earliest nor latest.
        """
        committed = self._committed(partitions)
        missing = [each for each in partitions if each not in committed]
        reset = self._properties.get("auto.offset.reset", "none").lower()
        if missing and reset not in ("earliest", "latest"):
            listed = ", ".join(f"{topic}-{number}" for topic, number in missing)
            raise JobError(
                f"Undefined offset with no reset policy for partitions: [{listed}]",
                hint=f"the group '{self._properties['group.id']}' has committed nothing there; set "
                "'scan.startup.mode' = 'earliest-offset', or 'properties.auto.offset.reset'",
            )
        rest = self.earliest(missing) if reset == "earliest" else self.latest(missing)
        return committed | rest

    def _committed(self, partitions: list[Partition]) -> Places:
        group = self._properties.get("group.id")
        if group is None:
            return {}
        asked = self._kafka.ConsumerGroupTopicPartitions(group, self._listed(partitions))
        (answer,) = self._admin.list_consumer_group_offsets([asked], request_timeout=_PATIENCE).values()
        found = self._answer(answer).topic_partitions
        return {(each.topic, each.partition): each.offset for each in found if each.offset >= 0}

    def commit(self, places: Places) -> None:
        """Commit offsets to the consumer group, without waiting. A failure is ignored."""
        noted = [self._kafka.TopicPartition(*each, offset) for each, offset in places.items()]
        group = self._kafka.ConsumerGroupTopicPartitions(self._properties["group.id"], noted)
        self._admin.alter_consumer_group_offsets([group])

    def _offsets(self, partitions: Iterable[Partition], spec: Any, patience: float = _PATIENCE) -> Places:
        wanted = self._listed(partitions)
        if not wanted:
            return {}
        committed = self._properties.get("isolation.level") == "read_committed"
        level = self._kafka.IsolationLevel
        answers = self._admin.list_offsets(
            dict.fromkeys(wanted, spec),
            isolation_level=level.READ_COMMITTED if committed else level.READ_UNCOMMITTED,
            request_timeout=patience,
        )
        found: Places = {}
        for each, answer in answers.items():
            where = f"topic {each.topic}, partition {each.partition}: "
            found[each.topic, each.partition] = self._answer(answer, where).offset
            if found[each.topic, each.partition] == self._kafka.OFFSET_INVALID:
                raise UnknownPartitionError(f"{where}Kafka at {self.servers} knows no leader of it now.")
        return found

    def _listed(self, partitions: Iterable[Partition]) -> list[Any]:
        return [self._kafka.TopicPartition(topic, number) for topic, number in partitions]

    # --- errors ----------------------------------------------------------------------------------
    def _answer(self, answer: Future[Any], where: str = "") -> Any:
        try:
            return answer.result(_PATIENCE)
        except TimeoutError:
            raise UnreachableError(
                f"Kafka at {self.servers} does not answer.", option="properties.bootstrap.servers"
            ) from None
        except self._kafka.KafkaException as error:
            if will_pass(error.args[0]):
                raise self._unreachable(error) from None
            codes = self._kafka.KafkaError
            unknown = error.args[0].code() in (codes.UNKNOWN_TOPIC_OR_PART, codes._NOENT)
            kind = UnknownPartitionError if unknown else JobError
            raise kind(f"{where}Kafka at {self.servers} refuses: {_words(error)}") from None

    def _unreachable(self, error: Exception) -> UnreachableError:
        self._admin.poll(0)
        said = [
            each.str() for each in self._errors if each.code() != self._kafka.KafkaError._ALL_BROKERS_DOWN
        ]
        return UnreachableError(
            f"Kafka at {self.servers} cannot be reached: {(said or [_words(error)])[0]}",
            hint="is the broker up, and 'properties.bootstrap.servers' right?",
            option="properties.bootstrap.servers",
        )


def _words(error: Any) -> str:
    text: str = error.args[0].str()
    return text
