"""Rows whose messages Kafka refuses are set aside, and all others arrive once."""

from __future__ import annotations

import json
from typing import Any

import pytest
from tools.kafka_broker import Broker

from firesteel.connectors.base import Sink
from firesteel.connectors.refused_rows import Refusals, RefusedRows, RowsRefusedError
from firesteel.types.sql import INT, STRING, map_of
from tests.connectors.kafka.writing import messages, sink, write

pytestmark = pytest.mark.slow

ONCE = {"sink_delivery__guarantee": "exactly-once", "sink_transactional__id__prefix": "refused"}
LARGE = "x" * 1_500_000
"""Larger than what a client sends by default."""
LARGER = "y" * 20_000
"""Larger than what the topic of a test takes."""


def narrow_topic(broker: Broker, most: int) -> str:
    """Return a topic that takes messages of at most `most` bytes."""
    from confluent_kafka.admin import AdminClient, ConfigResource

    topic = broker.create("narrow")
    client = AdminClient({"bootstrap.servers": broker.servers})
    resource = ConfigResource(ConfigResource.Type.TOPIC, topic, {"max.message.bytes": str(most)})
    for done in client.alter_configs([resource]).values():
        done.result(30)
    return topic


def refused(to: Sink, rows: list[tuple[Any, ...]], job: str) -> RefusedRows:
    to.refusals = found = Refusals()
    with pytest.raises(RowsRefusedError):
        write(to, rows, job=job)
    return found.found


def read(broker: Broker, topic: str, count: int) -> list[int]:
    return [json.loads(message.value())["a"] for message in messages(broker, topic, count)]


def test_messages_that_the_client_finds_too_large(broker: Broker) -> None:
    topic = broker.create("large")
    rows = [("+I", n, LARGE if n in (3, 40) else "s") for n in range(60)]
    found = refused(sink(broker.servers, topic, **ONCE), rows, "large")
    assert [row.number for row in found[0]] == [3, 40]
    assert {row.error_class for row in found[0]} == {"MSG_SIZE_TOO_LARGE"}
    assert json.loads(found[0][0].row) == {"a": 3, "s": LARGE}
    again = sink(broker.servers, topic, **ONCE)
    again.refusals = Refusals(found)
    write(again, rows, job="large")
    repeated = sink(broker.servers, topic, **ONCE)
    repeated.refusals = Refusals(found)
    write(repeated, rows, job="large")
    good = [n for n in range(60) if n not in (3, 40)]
    assert sorted(read(broker, topic, len(good))) == good


@pytest.mark.full
def test_messages_that_the_topic_does_not_take(broker: Broker) -> None:
    topic = narrow_topic(broker, 10_000)
    rows = [("+I", n, LARGER if n in (0, 7, 19) else "s") for n in range(20)]
    small = {**ONCE, "properties_batch_size": "2000"}
    found = refused(sink(broker.servers, topic, **small), rows, "narrow")
    assert [row.number for row in found[0]] == [0, 7, 19]
    assert {row.error_class for row in found[0]} == {"MSG_SIZE_TOO_LARGE"}
    again = sink(broker.servers, topic, **small)
    again.refusals = Refusals(found)
    write(again, rows, job="narrow")
    good = [n for n in range(20) if n not in (0, 7, 19)]
    assert sorted(read(broker, topic, len(good))) == good


def test_without_transactions_all_others_are_sent_at_once(broker: Broker) -> None:
    topic = broker.create("plain")
    to = sink(broker.servers, topic)
    to.refusals = found = Refusals()
    write(to, [("+I", n, LARGE if n == 2 else "s") for n in range(5)])
    assert [row.number for row in found.found[0]] == [2]
    assert sorted(read(broker, topic, 4)) == [0, 1, 3, 4]


def test_rows_that_the_format_cannot_write(broker: Broker) -> None:
    topic = broker.create("format")
    columns = {"a": INT, "m": map_of(STRING, INT)}
    rows = [("+I", n, [(None if n in (1, 8) else "k", n)]) for n in range(10)]
    to = sink(broker.servers, topic, columns, **ONCE)
    to.refusals = noted = Refusals()
    with pytest.raises(RowsRefusedError):
        write(to, rows, tuple(columns.values()), job="format")
    found = noted.found
    assert [row.number for row in found[0]] == [1, 8]
    assert {row.error_class for row in found[0]} == {"DataError"}
    again = sink(broker.servers, topic, columns, **ONCE)
    again.refusals = Refusals(found)
    write(again, rows, tuple(columns.values()), job="format")
    assert sorted(read(broker, topic, 8)) == [0, 2, 3, 4, 5, 6, 7, 9]
