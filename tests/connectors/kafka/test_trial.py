"""The search for refused messages ends where the transaction fails for another reason. No broker runs."""

from __future__ import annotations

from typing import Any

import pytest

from firesteel.connectors.kafka.producer import MessageRefusedError
from firesteel.connectors.kafka.trial import Trial
from firesteel.errors import JobError

kafka = pytest.importorskip("confluent_kafka")
RECORDS: list[Any] = [("t", None, b"v", None, None)] * 3


class Client:
    """A client whose transaction is in a state that takes no message, or drops each one.

    Args:
        code: Kafka's error of each message.
        is_raised: Whether `produce` raises it; else it is reported.
        too_large: Index of a message that is reported as too large.
    """

    def __init__(self, code: int, *, is_raised: bool, too_large: int = -1) -> None:
        self._error, self._is_raised, self._too_large = kafka.KafkaError(code), is_raised, too_large
        self._count = 0

    def produce(self, *_: object, on_delivery: Any, **__: object) -> None:
        self._count += 1
        if self._count - 1 == self._too_large:
            on_delivery(kafka.KafkaError(kafka.KafkaError.MSG_SIZE_TOO_LARGE), self)
        elif self._is_raised:
            raise kafka.KafkaException(self._error)
        else:
            on_delivery(self._error, self)

    def topic(self) -> str:
        return "t"

    def partition(self) -> int:
        return 0

    def poll(self, _: float) -> int:
        return 0

    def begin_transaction(self) -> None:
        pass

    def __len__(self) -> int:
        return 0


def trial(client: Client) -> Trial:
    made = Trial.__new__(Trial)
    made._client, made._kafka, made._failed = client, kafka, None
    made.name, made.servers, made._was_shut_out = "task-0", "broker:9092", False
    made._persist = lambda request: request()  # type: ignore[method-assign]
    return made


@pytest.mark.parametrize(
    ("code", "is_raised"), [(kafka.KafkaError._STATE, True), (kafka.KafkaError._PURGE_QUEUE, False)]
)
def test_messages_of_a_failed_transaction_are_not_taken(code: int, is_raised: bool) -> None:
    found: dict[int, MessageRefusedError] = {}
    with pytest.raises(JobError, match="has not taken a message"):
        trial(Client(code, is_raised=is_raised)).search(RECORDS, 0, None, found)
    assert found == {}


def test_messages_after_a_refused_one_are_dropped() -> None:
    found: dict[int, MessageRefusedError] = {}
    code = kafka.KafkaError._PURGE_QUEUE
    assert trial(Client(code, is_raised=False, too_large=0)).search(RECORDS, 0, None, found) == 1
    assert list(found) == [0]
