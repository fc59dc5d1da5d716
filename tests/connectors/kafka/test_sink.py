"""The sink against a broker: what stands in messages, transactions, what goes wrong."""

from __future__ import annotations

import json
import threading
import uuid
from datetime import datetime, timezone
from typing import Any

import pytest
from tools.kafka_broker import Broker, unused_address

from firesteel.connectors.kafka import producer
from firesteel.connectors.kafka.producer import ShutOutError
from firesteel.errors import DataError, JobError
from firesteel.types.arrow import KEY, VALUE
from firesteel.types.sql import BYTES, INT, STRING, SqlType, TypeRoot, map_of
from tests.connectors.kafka.writing import messages, sink, write
from tests.runtime.changes import to_table

pytestmark = pytest.mark.slow

ROWS = [("+I", 1, "x"), ("-U", 1, "x"), ("+U", 2, "y"), ("-D", 2, "y")]
ONCE = {"sink_delivery__guarantee": "exactly-once"}


def values(broker: Broker, topic: str, count: int) -> list[bytes]:
    return [message.value() for message in messages(broker, topic, count)]


def test_formats_of_values(broker: Broker) -> None:
    expected = {
        "canal-json": [
            b'{"data":[{"a":1,"s":"x"}],"type":"INSERT"}',
            b'{"data":[{"a":1,"s":"x"}],"type":"DELETE"}',
            b'{"data":[{"a":2,"s":"y"}],"type":"INSERT"}',
            b'{"data":[{"a":2,"s":"y"}],"type":"DELETE"}',
        ],
        "debezium-json": [
            b'{"before":null,"after":{"a":1,"s":"x"},"op":"c"}',
            b'{"before":{"a":1,"s":"x"},"after":null,"op":"d"}',
            b'{"before":null,"after":{"a":2,"s":"y"},"op":"c"}',
            b'{"before":{"a":2,"s":"y"},"after":null,"op":"d"}',
        ],
    }
    for name, lines in expected.items():
        topic = broker.create(name)
        write(sink(broker.servers, topic, format=name), ROWS)
        assert values(broker, topic, 4) == lines
    topic = broker.create("csv")
    write(sink(broker.servers, topic, format="csv"), [("+I", 1, "x y"), ("+I", None, None)])
    assert values(broker, topic, 2) == [b'1,"x y"', b","]


def test_keys_are_written_and_choose_the_partition(broker: Broker) -> None:
    topic = broker.create("keys", 4)
    columns: dict[str, SqlType] = {"k_id": INT, "s": STRING}
    options = {"key_format": "json", "key_fields": "k_id", "key_fields__prefix": "k_"}
    write(
        sink(broker.servers, topic, columns, value_fields__include="EXCEPT_KEY", **options),
        [("+I", number % 8, str(number)) for number in range(16)],
    )
    found = messages(broker, topic, 16)
    by_key: dict[bytes, list[Any]] = {}
    for message in found:
        by_key.setdefault(message.key(), []).append(message)
    assert set(by_key) == {b'{"id":%d}' % number for number in range(8)}
    for number in range(8):
        of_key = by_key[b'{"id":%d}' % number]
        assert [each.value() for each in of_key] == [b'{"s":"%d"}' % number, b'{"s":"%d"}' % (number + 8)]
        assert len({each.partition() for each in of_key}) == 1
    # murmur2 as Java's client has it
    assert by_key[b'{"id":0}'][0].partition() == java_partition(b'{"id":0}', 4)
    assert by_key[b'{"id":5}'][0].partition() == java_partition(b'{"id":5}', 4)


def java_partition(key: bytes, count: int) -> int:
    """org.apache.kafka.common.utils.Utils.murmur2, and the default partitioner over it."""
    m, mask = 0x5BD1E995, 0xFFFFFFFF
    h = (0x9747B28C ^ len(key)) & mask
    whole = len(key) - len(key) % 4
    for start in range(0, whole, 4):
        k = int.from_bytes(key[start : start + 4], "little") * m & mask
        k = (k ^ k >> 24) * m & mask
        h = (h * m & mask) ^ k
    rest = key[whole:]
    if rest:
        h = (h ^ int.from_bytes(rest, "little")) * m & mask
    h = (h ^ h >> 13) * m & mask
    return ((h ^ h >> 15) & 0x7FFFFFFF) % count


def test_a_task_that_keeps_to_one_partition(broker: Broker) -> None:
    topic = broker.create("fixed", 3)
    for task in range(4):
        write(
            sink(broker.servers, topic, sink_partitioner="fixed"),
            [("+I", task, str(n)) for n in range(3)],
            partition=task,
        )
    places = {(m.value()[5:6], m.partition()) for m in messages(broker, topic, 12)}
    assert places == {(b"0", 0), (b"1", 1), (b"2", 2), (b"3", 0)}


def test_metadata(broker: Broker) -> None:
    one, other = broker.create("meta"), broker.create("meta")
    columns: dict[str, SqlType] = {
        "a": INT,
        "at": SqlType(TypeRoot.TIMESTAMP_LTZ, precision=3),
        "headers": map_of(STRING, BYTES),
        "to": STRING,
    }
    keys = {"at": "timestamp", "headers": "headers", "to": "topic"}
    types = tuple(columns.values())
    when = datetime(2020, 1, 2, 3, 4, 5, 678_000, tzinfo=timezone.utc)
    headers = [{KEY: "h", VALUE: b"1"}, {KEY: "n", VALUE: None}]
    both = sink(broker.servers, f"{one};{other}", columns, keys)
    write(both, [("+I", 1, when, headers, one), ("+I", 2, None, None, other)], types)
    (first,), (second,) = messages(broker, one, 1), messages(broker, other, 1)
    assert (first.value(), first.timestamp()[1], first.headers()) == (
        b'{"a":1}',
        1577934245678,
        [("h", b"1")],
    )
    assert (second.value(), second.headers()) == (b'{"a":2}', None)
    with pytest.raises(DataError, match=rf"Expected topic to be in: \[{one}, {other}\] but was: nowhere"):
        write(both, [("+I", 1, when, headers, "nowhere")], types)
    with pytest.raises(DataError, match="Expected a single topic but no topic is set"):
        write(both, [("+I", 1, when, headers, None)], types)
    before = datetime(1969, 12, 31, 23, 59, 59, 999_000, tzinfo=timezone.utc)
    with pytest.raises(DataError, match="Invalid timestamp: -1"):
        write(both, [("+I", 1, before, headers, one)], types)


# --- transactions --------------------------------------------------------------------------------
def once(broker: Broker, topic: str) -> Any:
    return sink(broker.servers, topic, sink_transactional__id__prefix=f"p-{topic}", **ONCE)


def fresh() -> None:
    """As if the worker were another one."""
    producer._idle.clear()


def committed(broker: Broker, topic: str, count: int) -> list[int]:
    return [json.loads(value)["a"] for value in values(broker, topic, count)]


@pytest.mark.parametrize("another_worker", [False, True], ids=["the same worker", "another worker"])
def test_a_batch_is_written_once(broker: Broker, another_worker: bool) -> None:
    topic, job = broker.create("once"), uuid.uuid4().hex
    for batch in (0, 0, 1, 1, 0, 2):
        if another_worker:
            fresh()
        write(once(broker, topic), [("+I", batch, "")], job=job, batch=batch)
    write(once(broker, topic), [("+I", 7, "")], job=job, batch=1, partition=1)
    write(once(broker, topic), [("+I", 8, "")], job=f"{job}.1", batch=1)
    assert committed(broker, topic, 5) == [0, 1, 2, 7, 8]


def test_what_is_not_committed_is_not_seen(broker: Broker) -> None:
    topic, job = broker.create("aborted"), uuid.uuid4().hex
    write(once(broker, topic), [("+I", 0, "")], job=job)
    fresh()
    dead = once(broker, topic)
    dead.open_task(job, 1, 0)
    dead.write(to_table([("+I", 100, "")], (INT, STRING)))
    failing = once(broker, topic)
    failing.open_task(job, 1, 1)
    failing.write(to_table([("+I", 101, "")], (INT, STRING)))
    failing.abort_task()
    fresh()
    write(once(broker, topic), [("+I", 1, "")], job=job, batch=1)
    with pytest.raises(ShutOutError):
        dead.close_task()
    assert committed(broker, topic, 2) == [0, 1]


def send_now(to: Any) -> None:
    """Begin the transaction of a task, and send a message in it."""
    to.write(to_table([("+I", 1, "")], (INT, STRING)))
    to._transactions._begin(is_last=True)
    send_more(to)


def send_more(to: Any) -> None:
    to._transactions._producer.send(to._transactions._held, None)
    to._transactions._producer.flush()


@pytest.mark.parametrize("has_sent", [False, True])
def test_of_two_attempts_the_one_that_began_last_writes(broker: Broker, has_sent: bool) -> None:
    topic, job = broker.create("attempts"), uuid.uuid4().hex
    first, second = once(broker, topic), once(broker, topic)
    first.open_task(job, 0, 0)
    if has_sent:
        send_now(first)
    second.open_task(job, 0, 0)
    with pytest.raises(ShutOutError):
        (send_more if has_sent else send_now)(first)
    first.abort_task()
    rows = to_table([("+I", 1, "")], (INT, STRING))
    second.write(rows)
    second.close_task()
    assert committed(broker, topic, 1) == [1]


def test_an_idle_producer_that_was_shut_out(broker: Broker) -> None:
    topic, job = broker.create("fenced"), uuid.uuid4().hex
    write(once(broker, topic), [("+I", 0, "")], job=job, batch=0)
    mine = dict(producer._idle)
    fresh()
    write(once(broker, topic), [("+I", 1, "")], job=job, batch=1)
    producer._idle.clear()
    producer._idle.update(mine)
    write(once(broker, topic), [("+I", 100, "")], job=job, batch=1)
    write(once(broker, topic), [("+I", 2, "")], job=job, batch=2)
    assert committed(broker, topic, 3) == [0, 1, 2]


@pytest.mark.full
def test_a_broker_that_is_away_for_a_while(broker: Broker) -> None:
    """While tasks are open, and between two batches."""
    topics, job = [broker.create("away") for _ in range(2)], uuid.uuid4().hex
    sinks = [sink(broker.servers, topics[0]), once(broker, topics[1])]
    for each in sinks:
        write(each, [("+I", 0, "")], job=job)
    before = once(broker, topics[1])
    before.open_task(job, 1, 1)
    before.write(to_table([("+I", 1, "")], (INT, STRING)))
    broker.stop()
    again = threading.Timer(1, broker.start)
    again.start()
    write(sinks[0], [("+I", 2, "")], job=job, batch=1)
    write(sinks[1], [("+I", 2, "")], job=job, batch=1)
    before.close_task()
    again.join()
    assert committed(broker, topics[0], 2) == [0, 2]
    assert sorted(committed(broker, topics[1], 3)) == [0, 1, 2]


@pytest.mark.full
def test_a_broker_that_goes_as_a_transaction_begins(
    broker: Broker, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """The client would wait for ever: another takes its place, once there is a broker."""
    topic, job, again = going(broker, monkeypatch)
    again.start()
    write(once(broker, topic), [("+I", 1, "")], job=job, batch=1)
    again.join()
    told = capfd.readouterr().err.splitlines()
    assert len(told) == 2, told
    away, back = told
    assert f"Kafka at {broker.servers} is away: " in away
    assert f"Kafka at {broker.servers} is back after " in back
    assert committed(broker, topic, 2) == [0, 1]


@pytest.mark.full
def test_a_broker_that_goes_for_good_as_a_transaction_begins(
    broker: Broker, monkeypatch: pytest.MonkeyPatch
) -> None:
    topic, job, again = going(broker, monkeypatch)
    monkeypatch.setattr(producer, "_PATIENCE", 1.0)
    with pytest.raises(JobError, match=f"Kafka at {broker.servers} refuses"):
        write(once(broker, topic), [("+I", 1, "")], job=job, batch=1)
    again.run()


def going(broker: Broker, monkeypatch: pytest.MonkeyPatch) -> tuple[str, str, threading.Timer]:
    """A topic with a row of a job whose producer does not know yet that the broker is gone, and what starts
    that again."""
    monkeypatch.setattr(producer, "_SILENCE", 1.0)
    monkeypatch.setattr(producer.Producer, "is_sound", True)
    topic, job = broker.create("begins"), uuid.uuid4().hex
    write(once(broker, topic), [("+I", 0, "")], job=job)
    broker.stop()
    return topic, job, threading.Timer(3, broker.start)


# --- bad input -----------------------------------------------------------------------------------
def test_a_message_that_is_too_long(broker: Broker) -> None:
    topic = broker.create("long")
    for options in ({}, {"sink_transactional__id__prefix": topic, **ONCE}):
        long = sink(broker.servers, topic, properties_max_request_size="3000000", **options)
        with pytest.raises(JobError, match=rf"topic {topic}, partition 0: .* has not taken .*too large"):
            write(long, [("+I", 1, "x" * 2_000_000)])
    with pytest.raises(JobError, match=f"topic {topic}: .*too large"):
        write(sink(broker.servers, topic), [("+I", 1, "x" * 2_000_000)])


def test_a_topic_or_a_broker_that_is_not_there(broker: Broker) -> None:
    refused = "has no topic 'nowhere', and does not create it on first use: .*Unknown topic or partition"
    with pytest.raises(JobError, match=refused) as raised:
        sink(broker.servers, "nowhere").open("job")
    assert "--create --topic nowhere" in str(raised.value)
    address = unused_address()
    with pytest.raises(JobError, match=f"Kafka at {address} cannot be reached"):
        sink(address, "t").open("job")
