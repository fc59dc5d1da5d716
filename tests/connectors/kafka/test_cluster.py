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
