"""Both ways to take messages, beside each other: librdkafka's batches and confluent-kafka's objects."""

from __future__ import annotations

import ctypes
import time
from typing import Any

import pytest
from tools.kafka_broker import Broker

from firesteel.connectors.kafka.batch_consumer import BatchConsumer, library
from firesteel.connectors.kafka.messages import MESSAGE, MESSAGE_KEY, OFFSET, Block
from firesteel.connectors.kafka.object_consumer import ObjectConsumer
from firesteel.connectors.kafka.offsets import Range
from firesteel.connectors.kafka.reader import Reader

pytestmark = pytest.mark.slow
WAYS = (BatchConsumer, ObjectConsumer)


@pytest.fixture(scope="module")
def mixed(broker: Broker) -> str:
    """A topic of 20 messages at 22 offsets: keys, tombstones, an empty value, and a transaction's marks."""
    from confluent_kafka import Producer

    topic = broker.create("mixed")
    sent = [(b"key", b"one"), (None, b"two"), (b"gone", None), (b"", b"")]
    broker.send(topic, sent + [b"%d" % number for number in range(10)])
    producer = Producer({"bootstrap.servers": broker.servers, "transactional.id": topic})
    producer.init_transactions()
    for ends in (producer.abort_transaction, producer.commit_transaction):
        producer.begin_transaction()
        for number in range(3):
            producer.produce(topic, b"%d" % number, partition=0)
        ends()
    return topic


def consumer(kind: type[Any], servers: str, also: tuple[str, ...] = (), **more: str) -> Any:
    settings = {"bootstrap.servers": servers, "group.id": "test", "enable.partition.eof": "true", **more}
    # As reader.py. A commit of offsets waits 45 s for a coordinator, which a new broker lacks at first.
    settings |= {"auto.offset.reset": "error", "enable.auto.commit": "false", "log_level": "2"}
    return kind({key.replace("__", "."): value for key, value in settings.items()}, frozenset(also))


def read(made: Any, wanted: Range) -> tuple[dict[str, list[Any]], list[tuple[int, str, int]], int]:
    """The columns, the errors that came, and how far the range was read."""
    made.assign(wanted)
    block, told, place = Block(), [], wanted.start
    for _ in range(100):
        taken = made.take(7, wanted.end, 0.1)
        told += [(error.code(), error.str(), offset) for error, offset in taken.errors]
        place = max(place, taken.behind)
        if taken.count:
            block.add(taken)
        if place >= wanted.end or told:
            break
    made.unassign()
    return {name: column.to_pylist() for name, column in block.columns().items()}, told, place


def test_the_library_is_found() -> None:
    assert library() is not None


@pytest.mark.parametrize(
    ("start", "end", "isolation"),
    [(*bounds, f"read_{un}committed") for bounds in ((0, 14), (2, 22), (3, 16)) for un in ("", "un")],
)  # fmt: skip
def test_both_take_the_same(broker: Broker, mixed: str, start: int, end: int, isolation: str) -> None:
    given = broker.servers, (MESSAGE_KEY,)
    made = [consumer(kind, *given, isolation__level=isolation) for kind in WAYS]
    both = [read(each, Range(mixed, 0, start, end)) for each in made]
    assert both[0] == both[1]
    columns, _, _ = both[0]
    assert columns[OFFSET][0] == start
    assert max(columns[OFFSET]) < end
    assert len(columns[MESSAGE]) == len(columns[MESSAGE_KEY]) == len(columns[OFFSET])


def test_keys_tombstones_and_empty_values(broker: Broker, mixed: str) -> None:
    columns, _, _ = read(consumer(BatchConsumer, broker.servers, (MESSAGE_KEY,)), Range(mixed, 0, 0, 5))
    assert columns[MESSAGE] == [b"one", b"two", None, b"", b"0"]
    assert columns[MESSAGE_KEY] == [b"key", None, b"gone", b"", None]


def test_one_consumer_reads_range_after_range(broker: Broker, mixed: str) -> None:
    made = consumer(BatchConsumer, broker.servers)
    for start in (5, 0, 9):
        columns, _, _ = read(made, Range(mixed, 0, start, start + 3))
        assert columns[OFFSET] == list(range(start, start + 3))


def test_both_tell_the_same_error(broker: Broker, mixed: str) -> None:
    told = [read(consumer(kind, broker.servers), Range(mixed, 0, 100, 110))[1] for kind in WAYS]
    assert told[0] == told[1]
    assert "out of range" in told[0][0][1]


def test_both_refuse_a_setting_alike(broker: Broker) -> None:
    from confluent_kafka import KafkaException

    told = []
    for kind in WAYS:
        with pytest.raises(KafkaException) as caught:
            consumer(kind, broker.servers, no__such__setting="1")
        told.append((caught.value.args[0].code(), caught.value.args[0].str()))
    assert told[0] == told[1]


def test_a_released_reader_keeps_no_messages(broker: Broker) -> None:
    topic = broker.create("fetched")
    broker.send(topic, [b"%d" % number for number in range(2000)])
    made = Reader({"bootstrap.servers": broker.servers})
    assert sum(len(each) for each in made.read(Range(topic, 0, 0, 10))) == 10
    queue = made._consumer._queue
    length = library().rd_kafka_queue_length
    length.restype, length.argtypes = ctypes.c_size_t, (ctypes.c_void_p,)
    end = time.monotonic() + 60
    while length(queue) < 1900:  # what librdkafka has fetched behind the range
        assert time.monotonic() < end
        time.sleep(0.01)
    made.release()
    assert length(queue) == 0
