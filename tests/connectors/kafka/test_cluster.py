"""What a cluster answers whose brokers are starting, or stopping: it is asked again."""

from __future__ import annotations

from concurrent.futures import Future
from types import SimpleNamespace
from typing import Any

import pytest

from firesteel.connectors.kafka.cluster import Cluster, UnknownPartitionError, UnreachableError
from firesteel.connectors.kafka.options import read_options
from firesteel.errors import JobError

kafka = pytest.importorskip("confluent_kafka")
OPTIONS = {"topic": "t", "properties.bootstrap.servers": "127.0.0.1:1", "format": "json"}


def answering(offset: int | Exception) -> Cluster:
    """A cluster that gives this for the offset of a partition."""
    cluster, future = Cluster(read_options(OPTIONS)), Future[Any]()
    if isinstance(offset, Exception):
        future.set_exception(offset)
    else:
        future.set_result(SimpleNamespace(offset=offset))
    answers: Any = SimpleNamespace(
        list_offsets=lambda asked, **_: dict.fromkeys(asked, future), poll=lambda _: None
    )
    cluster._admin = answers
    return cluster


@pytest.mark.parametrize(
    ("answer", "error"),
    [
        (kafka.OFFSET_INVALID, UnknownPartitionError),
        (kafka.KafkaError._NOENT, UnknownPartitionError),
        (kafka.KafkaError.UNKNOWN_TOPIC_OR_PART, UnknownPartitionError),
        (kafka.KafkaError.FENCED_LEADER_EPOCH, UnreachableError),
        (kafka.KafkaError.NOT_LEADER_FOR_PARTITION, UnreachableError),
        (kafka.KafkaError._TRANSPORT, UnreachableError),
        (kafka.KafkaError.TOPIC_AUTHORIZATION_FAILED, JobError),
    ],
)
def test_answers_that_are_no_offset(answer: int, error: type[JobError]) -> None:
    is_offset = answer == kafka.OFFSET_INVALID
    cluster = answering(answer if is_offset else kafka.KafkaException(kafka.KafkaError(answer)))
    with pytest.raises(JobError, match=r"Kafka at 127\.0\.0\.1:1 ") as raised:
        cluster.latest([("t", 0)])
    assert type(raised.value) is error


def test_an_offset() -> None:
    assert answering(7).latest([("t", 0)]) == {("t", 0): 7}


class Away:
    """A client of a cluster that is away, and its clock: a request lasts as long as it may."""

    def __init__(self, errors: list[Any], code: int) -> None:
        self._errors, self._code, self.now = errors, code, 0.0

    def monotonic(self) -> float:
        return self.now

    def list_topics(self, _: str | None, timeout: float) -> None:
        assert timeout > 0
        self.now += timeout
        self._errors.append(kafka.KafkaError(self._code))
        raise kafka.KafkaException(kafka.KafkaError(kafka.KafkaError._TRANSPORT))

    def poll(self, _: float) -> None:
        """Errors have been given already."""


@pytest.mark.parametrize(("code", "seconds"), [("_ALL_BROKERS_DOWN", 0.4), ("_TRANSPORT", 2.0)])
def test_no_request_outlasts_the_time_after_which_an_absence_is_believed(
    code: str, seconds: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    cluster = Cluster(read_options(OPTIONS))
    away = Away(cluster._errors, getattr(kafka.KafkaError, code))
    cluster._admin = away
    monkeypatch.setattr("firesteel.connectors.kafka.cluster.time", away)
    with pytest.raises(UnreachableError):
        cluster.partitions()
    assert away.now == pytest.approx(seconds)
