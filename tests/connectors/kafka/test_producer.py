"""What a producer says of a message that no broker has taken in time. No broker is needed."""

from __future__ import annotations

import pytest

from firesteel.connectors.kafka.producer import Producer
from firesteel.errors import JobError

kafka = pytest.importorskip("confluent_kafka")
NOWHERE = {"bootstrap.servers": "127.0.0.1:1"}


def test_a_message_without_an_answer_names_the_time_out() -> None:
    producer = Producer({**NOWHERE, "delivery.timeout.ms": "100", "linger.ms": "0"})
    producer.send([("t", b"", b"", None, None)], None)
    with pytest.raises(JobError) as raised:
        producer.flush()
    assert "has not taken a message within 0.1 s" in raised.value.message
    assert raised.value.option == "properties.delivery.timeout.ms"
    assert "'properties.delivery.timeout.ms' to more milliseconds" in str(raised.value)


@pytest.mark.parametrize(
    ("properties", "seconds", "option"),
    [
        ({"transaction.timeout.ms": "1000"}, "1 s", "properties.transaction.timeout.ms"),
        ({"transaction.timeout.ms": "60000"}, "60 s", "properties.transaction.timeout.ms"),
        (
            {"transaction.timeout.ms": "60000", "delivery.timeout.ms": "2500"},
            "2.5 s",
            "properties.delivery.timeout.ms",
        ),
    ],
)
def test_in_a_transaction_the_shorter_time_out_is_named(
    properties: dict[str, str], seconds: str, option: str
) -> None:
    producer = Producer({**NOWHERE, **properties}, "p-t-0")
    producer._delivered(kafka.KafkaError(kafka.KafkaError._MSG_TIMED_OUT), Message())
    with pytest.raises(JobError) as raised:
        producer._check()
    assert raised.value.message.startswith(
        "topic t, partition 3: Kafka at 127.0.0.1:1 has not taken a message"
    )
    assert f"within {seconds}, which is what '{option}' allows" in raised.value.message
    assert raised.value.option == option


class Message:
    """The message of a delivery report."""

    def topic(self) -> str:
        return "t"

    def partition(self) -> int:
        return 3
