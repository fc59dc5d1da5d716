"""Bytes of messages: judged by a few that wait, and bounding what is decoded together."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import pyarrow.compute as pc
import pytest
from tools.kafka_broker import Broker

from firesteel.connectors.base import ReadLimit
from firesteel.connectors.kafka import reader as reading
from firesteel.connectors.kafka import sizes
from firesteel.connectors.kafka.messages import MESSAGE, MESSAGE_KEY, OFFSET, Block, Messages
from firesteel.connectors.kafka.object_consumer import ObjectConsumer, taken_of
from firesteel.connectors.kafka.offsets import Range, ahead
from firesteel.connectors.kafka.reader import Reader
from firesteel.connectors.kafka.sizes import MessageSizes, places
from tests.connectors.kafka.reading import between, source


@dataclass(frozen=True)
class Record:
    place: int
    size: int

    def key(self) -> None:
        return None

    def value(self) -> bytes:
        return bytes(self.size)

    def offset(self) -> int:
        return self.place

    def timestamp(self) -> tuple[int, int]:
        return 1, self.place

    def error(self) -> None:
        return None

    def __len__(self) -> int:
        return self.size


class Topic:
    """Messages in all partitions, and the ranges that were read of them.

    Args:
        size: Bytes of each message, or of the one at an offset.
        together: Messages that are given at once.
    """

    def __init__(self, size: int | Callable[[int], int], together: int = 1_000) -> None:
        self.size = size
        self.together = together
        self.given = 0
        self.read: list[Range] = []

    def _size(self, place: int) -> int:
        return self.size if isinstance(self.size, int) else self.size(place)

    def __call__(self, wanted: Range) -> Iterator[Messages]:
        self.read.append(wanted)
        for start in range(wanted.start, wanted.end, self.together):
            end = min(wanted.end, start + self.together)
            block, records = Block(), [Record(place, self._size(place)) for place in range(start, end)]
            block.add(taken_of(records, (MESSAGE, MESSAGE_KEY, OFFSET), end))
            self.given += end - start
            yield Messages(wanted.topic, wanted.partition, block.columns())


AT = {("t", 0): 10, ("t", 1): 20}


def test_so_many_messages_have_so_many_bytes() -> None:
    topic = Topic(1000)
    judged = MessageSizes(topic)
    assert judged.rows_of(100_000, AT, {("t", 0): 1_000, ("t", 1): 5_000}) == 100
    assert judged.rows_of(10, AT, {("t", 0): 1_000, ("t", 1): 5_000}) == 1


def test_all_of_a_micro_batch_is_looked_at() -> None:
    ends = {("t", 0): 1_010, ("t", 1): 3_020}
    found = places(AT, ends)
    assert len(found) == 16
    assert found[0] == Range("t", 0, 10, 18)
    assert found[-1] == Range("t", 1, 3_012, 3_020)
    assert [each.partition for each in found] == [0] * 4 + [1] * 12
    assert all(each.end - each.start == 8 for each in found)


@pytest.mark.parametrize("waiting", [1, 7, 8, 9, 100])
def test_few_messages_are_all_looked_at(waiting: int) -> None:
    found = places({("t", 0): 5}, {("t", 0): 5 + waiting})
    read = {offset for each in found for offset in range(each.start, each.end)}
    assert read == set(range(5, 5 + waiting))


def test_nothing_is_looked_at_where_nothing_waits() -> None:
    assert places(AT, AT) == []


@pytest.mark.parametrize("before", [0, 1_000, 30_000, 90_000])
def test_small_messages_before_large_ones_do_not_hide_them(before: int) -> None:
    """The bytes that a micro-batch really has stay near the limit, wherever the large messages begin."""
    limit, small, large = 10_000_000, 100, 10_000
    topic = Topic(lambda place: small if place < before else large)
    judged, at, latest = MessageSizes(topic), {("t", 0): 0}, {("t", 0): 100_000}
    while at != latest:
        end = ahead(at, latest, judged.rows_of(limit, at, latest))
        few = min(end["t", 0], before) - min(at["t", 0], before)
        many = end["t", 0] - at["t", 0] - few
        assert few * small + many * large < 1.3 * limit
        assert few + many >= min(50, latest["t", 0] - at["t", 0])
        at = end


def test_large_messages_are_not_read_further_than_needed() -> None:
    topic = Topic(2_000_000, together=1)
    MessageSizes(topic).rows_of(10_000_000, AT, {("t", 0): 1_000, ("t", 1): 5_000})
    assert topic.given <= 16 * 5


def test_messages_are_looked_at_where_many_wait() -> None:
    topic = Topic(100)
    judged = MessageSizes(topic)
    few, many = {("t", 0): 12, ("t", 1): 20}, {("t", 0): 100_000, ("t", 1): 20}
    assert judged.rows_of(1_000_000, AT, few) == 2
    topic.size = 10_000
    assert judged.rows_of(1_000_000, AT, few) == 2  # two messages: nothing can go wrong
    assert len(topic.read) == 1
    assert judged.rows_of(1_000_000, AT, many) == 100


def test_no_more_messages_are_taken_than_asked_for() -> None:
    assert MessageSizes(Topic(100)).rows_of(1_000_000, AT, {("t", 0): 9_000, ("t", 1): 20}, 30) == 30


def test_they_are_looked_at_now_and_then(monkeypatch: pytest.MonkeyPatch) -> None:
    topic = Topic(100)
    judged = MessageSizes(topic)
    few = {("t", 0): 12, ("t", 1): 20}
    judged.rows_of(1_000_000, AT, few)
    monkeypatch.setattr(sizes, "_AGAIN_SECONDS", -1.0)
    judged.rows_of(1_000_000, AT, few)
    assert len(topic.read) == 2


def test_where_there_is_nothing_to_look_at_nothing_is_limited() -> None:
    def nothing(wanted: Range) -> Iterator[Messages]:
        return iter(())

    assert MessageSizes(nothing).rows_of(10, AT, {("t", 0): 15, ("t", 1): 21}) == 6


class Consumer:
    """Gives as many messages as it is asked for."""

    def __init__(self, size: int) -> None:
        self.size, self.place, self.asked = size, 0, list[int]()

    def assign(self, places: object) -> None:
        self.place = 0

    def consume(self, count: int, timeout: float) -> list[Record]:
        self.asked.append(count)
        first, self.place = self.place, self.place + count
        return [Record(place, self.size) for place in range(first, self.place)]


@pytest.mark.parametrize("size", [10, 5_000, 40_000])
def test_what_is_decoded_together_has_a_bound(size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("confluent_kafka")
    monkeypatch.setattr(reading, "_BYTES_TOGETHER", 1_000_000)
    made, consumer = Reader({"bootstrap.servers": "127.0.0.1:1"}, frozenset(("timestamp",))), Consumer(size)
    assert isinstance(made._consumer, ObjectConsumer)
    made._consumer.asked = consumer
    read = list(made.read(Range("t", 0, 0, 20_000)))
    assert [each.offset(index) for each in read for index in range(len(each))] == list(range(20_000))
    # at most twice the bytes, but for the first look, which is at a fixed number of messages
    bound = max(2 * 1_000_000, 200 * size + 1_000_000)
    assert max(pc.sum(pc.binary_length(each.values)).as_py() for each in read) <= bound
    assert max(consumer.asked[1:]) <= max(200, 1_000_000 // size)


def test_a_backlog_is_taken_by_bytes(broker: Broker) -> None:
    """Each micro-batch as much as fits, and nothing is left out between them."""
    topic = broker.create("large", 2)
    for partition in range(2):
        messages = (b'{"a":%d,"s":"%s"}' % (place, b"x" * 980) for place in range(300))
        broker.send(topic, messages, partition)
    read = source(broker.servers, topic)
    place, found = read.initial_offset(), []
    while (end := read.latest_offset(place, ReadLimit(bytes=100_000))) != place:
        found.append(between(read, place, end))
        place = end
    assert all(95 <= len(rows) <= 105 for rows in found[:-1])
    assert sorted(row[1] for rows in found for row in rows) == sorted([*range(300)] * 2)
