"""What the groups of a sink's transactional ids say of the batches that it has."""

from __future__ import annotations

import uuid
from typing import Any

import pytest
from tools.kafka_broker import Broker

from firesteel.connectors.kafka import producer
from firesteel.connectors.positions import Origin, Position
from firesteel.errors import JobError
from tests.connectors.kafka.writing import messages, sink, write

FIRST = Origin("L", "", "e0", 1, ('{"file": 1, "byte": 0}',))
SECOND = Origin("L", "e0", "e1", 1, ('{"file": 2, "byte": 0}',))


def once(broker: Broker, topic: str) -> Any:
    options = {"sink_delivery__guarantee": "exactly-once", "sink_transactional__id__prefix": topic}
    return sink(broker.servers, topic, **options)


def wrote(broker: Broker, topic: str, job: str, batch: int, origin: Origin, partition: int = 0) -> None:
    to = once(broker, topic)
    to.begin_batch(origin)
    write(to, [("+I", batch, "")], job=job, batch=batch, partition=partition)


def test_positions(broker: Broker) -> None:
    topic, job = broker.create("positions"), uuid.uuid4().hex
    assert once(broker, topic).positions(job, 3) == {}
    wrote(broker, topic, job, 0, FIRST)
    wrote(broker, topic, job, 1, SECOND)
    wrote(broker, topic, job, 0, FIRST, partition=2)
    write(once(broker, topic), [("+I", 7, "")], job=job, batch=4, partition=1)  # as earlier versions do
    expected = {0: Position(1, SECOND), 1: Position(4), 2: Position(0, FIRST)}
    assert once(broker, topic).positions(job, 3) == expected
    wrote(broker, topic, job, 1, SECOND)  # the producer that asked goes on, and knows that it is there
    assert len(messages(broker, topic, 4)) == 4


@pytest.mark.parametrize("another_worker", [False, True])
def test_other_rows_of_a_number_are_refused(broker: Broker, another_worker: bool) -> None:
    topic, job = broker.create("others"), uuid.uuid4().hex
    wrote(broker, topic, job, 0, FIRST)
    if another_worker:
        producer._idle.clear()
    with pytest.raises(JobError, match="made from other rows"):
        wrote(broker, topic, job, 0, Origin("L", "", "another"))
    assert len(messages(broker, topic, 1)) == 1


def test_moved(broker: Broker) -> None:
    topic, job = broker.create("moved"), uuid.uuid4().hex
    for batch in range(3):
        wrote(broker, topic, job, batch, Origin("L", f"e{batch}", f"e{batch + 1}"))
    to = once(broker, topic)
    to.move(job, {0: Position(0, FIRST), 1: Position(1, SECOND)})
    assert to.positions(job, 2) == {0: Position(0, FIRST), 1: Position(1, SECOND)}
    to.move(job, {0: Position(-1)})
    assert to.positions(job, 2) == {1: Position(1, SECOND)}
    wrote(broker, topic, job, 0, FIRST)
    assert len(messages(broker, topic, 4)) == 4
