"""A source whose broker goes and comes back, and one whose topic is deleted, while it is read."""

from __future__ import annotations

import re
import threading
from typing import Any
from unittest.mock import Mock

import pytest
from tools.kafka_broker import Broker

from firesteel.connectors.base import ReadLimit
from firesteel.connectors.kafka import reader
from firesteel.connectors.kafka import source as kafka_source
from firesteel.connectors.kafka.cluster import UnreachableError
from firesteel.errors import JobError
from tests.connectors.kafka.reading import ALL, between, source

pytestmark = pytest.mark.slow
TIME = r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d"


def begun(broker: Broker, count: int, **options: str) -> tuple[Any, str, Any, Any]:
    """A source that has read so many messages: it, its topic, where it began and where it is."""
    topic = broker.create("outage")
    send(broker, topic, *range(count))
    read = source(broker.servers, topic, **options)
    begin = read.initial_offset()
    return read, topic, begin, read.latest_offset(begin, ALL)


def send(broker: Broker, topic: str, *values: int) -> None:
    broker.send(topic, [b'{"a": %d}' % value for value in values])


def until_gone(broker: Broker, topic: str) -> None:
    broker.admin.delete_topics([topic])[topic].result(30)
    while topic in broker.admin.list_topics(timeout=60).topics:
        pass


def for_ever(read: Any, place: Any) -> None:
    while True:
        assert read.latest_offset(place, ALL) == place


@pytest.mark.full
@pytest.mark.parametrize("clean", [True, False])
def test_a_broker_that_goes_and_comes_back(broker: Broker, clean: bool) -> None:
    """With a new leader epoch, which it holds against whoever knows the one before."""
    read, topic, _, place = begun(broker, 3)
    broker.stop(clean)
    while not (told := read.notices()):
        assert read.latest_offset(place, ALL) == place
    away = r"is away: (cannot be reached: .*|does not answer)\. Waiting for it\."
    assert re.fullmatch(rf"{TIME} Kafka at {broker.servers} {away}", told[0])
    assert read.latest_offset(place, ALL) == place
    assert read.notices() == []
    broker.start()
    send(broker, topic, 3)
    while (end := read.latest_offset(place, ALL)) == place:
        pass
    assert [row[1] for row in between(read, place, end)] == [3]
    (told,) = read.notices()
    assert re.fullmatch(rf"{TIME} Kafka at {broker.servers} is back after \d+ s\.", told)


@pytest.mark.full
def test_a_broker_that_is_away_while_messages_are_read(
    broker: Broker, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reader, "_SILENCE", 0.1)
    read, _, begin, place = begun(broker, 3)
    broker.stop()
    again = threading.Timer(3, broker.start)
    again.start()
    assert [row[1] for row in between(read, begin, place)] == [0, 1, 2]
    again.join()
    away, back = capfd.readouterr().err.splitlines()
    waits = r"Waiting for it for up to 60 s\."
    assert re.fullmatch(rf"{TIME} Kafka at {broker.servers} is away: .*\. {waits}", away)
    assert re.fullmatch(rf"{TIME} Kafka at {broker.servers} is back after \d+ s\.", back)


def test_a_bounded_read_goes_on_after_an_outage(broker: Broker, monkeypatch: pytest.MonkeyPatch) -> None:
    """Spark ends a bounded read whose next offset is the last one."""
    monkeypatch.setattr(kafka_source, "_LONGEST_WAIT", 0.1)
    topic = broker.create("outage")
    send(broker, topic, *range(3))
    read = source(broker.servers, topic, scan_bounded_mode="latest-offset")
    place = read.latest_offset(read.initial_offset(), ReadLimit(rows=1))
    away = UnreachableError("Kafka cannot be reached")
    with monkeypatch.context() as patched:
        patched.setattr(read, "_ahead", Mock(side_effect=away))
        waited = read.latest_offset(place, ALL)
        again = read.latest_offset(waited, ALL)
    assert place != waited != again
    assert not read.is_finished(again)
    assert between(read, place, again) == []
    end = read.latest_offset(again, ALL)
    assert [row[1] for row in between(read, again, end)] == [1, 2]
    assert read.is_finished(end)
    with monkeypatch.context() as patched:
        patched.setattr(read, "_ahead", Mock(side_effect=away))
        assert read.latest_offset(end, ALL) == end


def test_a_topic_that_is_deleted_while_it_is_read(broker: Broker, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kafka_source, "_GONE", 0.3)
    read, topic, begin, place = begun(broker, 3)
    until_gone(broker, topic)
    with pytest.raises(JobError, match=f"topic {topic}, partition 0 is gone: it was read up to offset 3"):
        for_ever(read, place)
    monkeypatch.setattr(reader, "_PATIENCE", 1.0)
    with pytest.raises(JobError, match=f"topic {topic}, partition 0 is gone: it was read up to offset 0"):
        between(source(broker.servers, topic), begin, place)
