"""A topic that is deleted and created again, with more messages than were read of the old one."""

from __future__ import annotations

import time
from typing import Any

import pytest
from tools.kafka_broker import Broker

from firesteel.connectors.base import ReadLimit
from firesteel.errors import JobError
from tests.connectors.kafka.reading import ALL, between, source

pytestmark = pytest.mark.slow


def send(broker: Broker, topic: str, count: int) -> None:
    broker.send(topic, [b'{"a": %d}' % value for value in range(count)])


def begun(broker: Broker, **options: str) -> tuple[Any, str, Any]:
    """A source that has read 15 messages: it, its topic and where it is."""
    topic = broker.create("ids")
    send(broker, topic, 15)
    read = source(broker.servers, topic, **options)
    return read, topic, read.latest_offset(read.initial_offset(), ALL)


def recreate(broker: Broker, topic: str) -> None:
    """Delete the topic, and create it again with 40 messages."""
    from confluent_kafka import KafkaException

    broker.admin.delete_topics([topic])[topic].result(30)
    end = time.monotonic() + 30
    while True:
        try:
            broker.create_as(topic)
            break
        except KafkaException:  # it is not gone yet
            assert time.monotonic() < end
    send(broker, topic, 40)


def again(topic: str) -> str:
    return rf"topic {topic} was deleted and created again after it was read \(partition 0 up to offset 15\)"


def test_when_a_job_goes_on(broker: Broker) -> None:
    read, topic, place = begun(broker)
    assert list(place["ids"]) == [topic]
    assert source(broker.servers, topic).latest_offset(place, ALL) == place
    recreate(broker, topic)
    with pytest.raises(JobError, match=again(topic)) as raised:
        source(broker.servers, topic).latest_offset(place, ALL)
    assert "begin with an empty checkpoint folder" in str(raised.value)
    with pytest.raises(JobError, match=again(topic)):  # while it runs
        read.latest_offset(place, ALL)
    goes_on = source(broker.servers, topic, properties_auto_offset_reset="earliest")
    with pytest.raises(JobError, match=again(topic)):
        goes_on.latest_offset(place, ALL)


def test_a_micro_batch_that_was_planned_before(broker: Broker) -> None:
    topic = broker.create("ids")
    send(broker, topic, 15)
    read = source(broker.servers, topic)
    begin = read.initial_offset()
    place = read.latest_offset(begin, ReadLimit(rows=15))
    recreate(broker, topic)
    with pytest.raises(JobError, match=again(topic)):
        between(source(broker.servers, topic), begin, place)


def test_offsets_of_an_older_checkpoint(broker: Broker) -> None:
    """They have no ids: the next ones have, and while the job runs a new topic is noticed without."""
    read, topic, place = begun(broker)
    old = {"at": place["at"]}
    assert read.latest_offset(old, ALL) == old
    send(broker, topic, 1)
    resumed = source(broker.servers, topic)
    end = resumed.latest_offset(old, ALL)
    assert end["ids"] == place["ids"]
    assert [row[1] for row in between(resumed, old, end)] == [0]
    recreate(broker, topic)
    with pytest.raises(JobError, match=again(topic)):
        resumed.latest_offset(old, ALL)


def test_topics_of_a_pattern(broker: Broker) -> None:
    """Each topic has an id, a topic that comes later, too."""
    first = broker.create("several")
    send(broker, first, 15)
    options = {"topic__pattern": rf"\Q{first}\E.*", "scan_topic__partition__discovery_interval": "1 ms"}
    read = source(broker.servers, "", **options)
    place = read.latest_offset(read.initial_offset(), ALL)
    other = broker.create_as(f"{first}-more")
    send(broker, other, 15)
    end = time.monotonic() + 20
    while (found := read.latest_offset(place, ALL)) == place:
        assert time.monotonic() < end
    assert sorted(found["ids"]) == sorted([first, other])
    recreate(broker, other)
    with pytest.raises(JobError, match=again(other)):
        source(broker.servers, "", **options).latest_offset(found, ALL)
