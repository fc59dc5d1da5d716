"""Transactions of a sink: in parts, and longer than their time-out; topics that are created on first use."""

from __future__ import annotations

import json
import threading
import time
import uuid
from collections.abc import Iterator
from itertools import product
from typing import Any

import pytest
from tools.kafka_broker import Broker, NoJarsError

from firesteel.connectors.kafka import producer, sink_options, transactions
from firesteel.connectors.kafka import sink as kafka_sink
from firesteel.connectors.kafka.producer import Producer, ShutOutError
from firesteel.errors import InternalError, JobError
from firesteel.types.sql import INT, STRING
from tests.connectors.kafka.writing import messages, sink, write
from tests.runtime.changes import to_table
from tests.scale import part

pytestmark = pytest.mark.slow

ONCE = {"sink_delivery__guarantee": sink_options.EXACTLY_ONCE}
ROWS = [("+I", number, "") for number in range(23)]


def once(broker: Broker, topic: str, **options: str) -> Any:
    return sink(broker.servers, topic, sink_transactional__id__prefix=f"p-{topic}", **ONCE, **options)


def numbers(broker: Broker, topic: str, count: int) -> list[int]:
    return [json.loads(message.value())["a"] for message in messages(broker, topic, count)]


@pytest.fixture(autouse=True)
def small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kafka_sink, "_TOGETHER", 2)
    monkeypatch.setattr(transactions, "_MESSAGES", 6)


def fail_after(monkeypatch: pytest.MonkeyPatch, commits: int) -> None:
    """The worker is lost as it is about to send transaction number `commits`."""
    send, sent = Producer.send, [0]

    def lost(self: Any, *arguments: Any) -> None:
        sent[0] += 1
        if sent[0] > commits:
            raise MemoryError
        send(self, *arguments)

    monkeypatch.setattr(Producer, "send", lost)


@pytest.mark.parametrize(("commits", "size"), part(list(product((1, 2, 3), (6, 4, 100))), 3))
def test_a_batch_in_parts_is_written_once(
    broker: Broker, monkeypatch: pytest.MonkeyPatch, commits: int, size: int
) -> None:
    """A retry leaves out what is there, and may cut the batch elsewhere."""
    topic, job = broker.create("parts"), uuid.uuid4().hex
    write(once(broker, topic), [("+I", 100, "")], job=job)
    with monkeypatch.context() as patched:
        fail_after(patched, commits)
        with pytest.raises(MemoryError):
            write(once(broker, topic), ROWS, job=job, batch=1)
    assert numbers(broker, topic, 1 + 6 * commits)[1:] == list(range(6 * commits))
    producer._idle.clear()
    monkeypatch.setattr(transactions, "_MESSAGES", size)
    for batch, rows in ((1, ROWS), (1, ROWS), (2, [("+I", 200, "")])):
        write(once(broker, topic), rows, job=job, batch=batch)
    assert numbers(broker, topic, 25) == [100, *range(23), 200]


def test_an_attempt_with_fewer_messages_than_are_there(
    broker: Broker, monkeypatch: pytest.MonkeyPatch
) -> None:
    topic = broker.create("fewer")
    with monkeypatch.context() as patched:
        fail_after(patched, 2)
        with pytest.raises(MemoryError):
            write(once(broker, topic), ROWS)
    producer._idle.clear()
    with pytest.raises(InternalError, match="has written 12 messages of batch 0, which has 3"):
        write(once(broker, topic), ROWS[:3])


def test_another_attempt_between_two_parts(broker: Broker) -> None:
    topic, job = broker.create("between"), uuid.uuid4().hex
    first, second = once(broker, topic), once(broker, topic)
    first.open_task(job, 0, 0)
    first.write(to_table(ROWS[:9], (INT, STRING)))
    second.open_task(job, 0, 0)
    with pytest.raises(ShutOutError):
        first.write(to_table(ROWS[9:], (INT, STRING)))
    first.abort_task()
    second.write(to_table(ROWS, (INT, STRING)))
    second.close_task()
    assert numbers(broker, topic, 23) == list(range(23))


def test_the_tables_isolation_level_is_for_its_readers(broker: Broker) -> None:
    """With read_uncommitted the broker gives the number of a batch whose transaction may yet be aborted."""
    topic, job = broker.create("isolated"), uuid.uuid4().hex
    options = {"properties_isolation_level": "read_uncommitted"}
    asked: list[dict[str, Any]] = []
    made = once(broker, topic, **options)
    kafka = producer.client()
    real = kafka.Consumer

    class Asked:
        def __new__(cls, configuration: dict[str, Any]) -> Any:
            asked.append(configuration)
            return real(configuration)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(kafka, "Consumer", Asked)
        write(made, ROWS, job=job)
    assert [each["isolation.level"] for each in asked] == ["read_committed"]


def test_producers_that_are_released_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """By threads of one process, such as those of the statements of a set."""
    failed: list[BaseException] = []
    monkeypatch.setattr(producer, "_idle", {})
    monkeypatch.setattr(producer, "_KEPT", 2)

    class Slow(dict[Any, Any]):
        """One in which another thread comes between the look for the oldest and its removal."""

        def __iter__(self) -> Iterator[Any]:
            keys = list(super().__iter__())
            time.sleep(0.001)
            return iter(keys)

    monkeypatch.setattr(producer, "_idle", Slow())

    def release(thread: int) -> None:
        try:
            for number in range(20):
                made = Producer.__new__(Producer)
                made._properties, made.name = {}, f"{thread}-{number}"
                made.release()
        except BaseException as error:
            failed.append(error)

    threads = [threading.Thread(target=release, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failed == []
    assert len(producer._idle) <= 2


def test_what_identifies_topics_and_how_long_numbers_are_kept(broker: Broker) -> None:
    topic = broker.create("identity")
    identities = once(broker, topic).identities()
    assert list(identities) == [f"topic {topic}"]
    broker.admin.delete_topics([topic])[topic].result(30)
    while topic in broker.admin.list_topics(timeout=60).topics:
        pass
    broker.create_as(topic)
    assert once(broker, topic).identities() != identities
    assert once(broker, topic).forgets_after() == 7 * 24 * 3600
    plain = sink(broker.servers, topic)
    assert (plain.identities(), plain.forgets_after()) == ({}, None)


# --- a broker of its own ---------------------------------------------------------------------------
_MORE = """\
auto.create.topics.enable=true
num.partitions=3
transaction.abort.timed.out.transaction.cleanup.interval.ms=100
"""


@pytest.fixture(scope="module")
def lenient(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Broker]:
    """A broker that creates topics on first use, and looks often for transactions that take too long."""
    pytest.importorskip("confluent_kafka")
    try:
        made = Broker(tmp_path_factory.mktemp("lenient"), _MORE)
    except NoJarsError as error:
        pytest.skip(f"no Kafka broker: its jars cannot be fetched ({error})")
    yield made
    made.stop()


@pytest.mark.full
def test_a_topic_is_created_on_first_use(lenient: Broker, capfd: pytest.CaptureFixture[str]) -> None:
    for _ in range(2):
        made = sink(lenient.servers, "totals")
        made.open("job")
        write(made, ROWS[:1])
    assert numbers(lenient, "totals", 2) == [0, 0]
    assert capfd.readouterr().err == (
        f"Kafka at {lenient.servers} has created the topic 'totals', with 3 partitions: it was not there.\n"
    )


def test_a_transaction_that_takes_longer_than_its_time_out(lenient: Broker) -> None:
    topic = lenient.create("long")
    late = once(lenient, topic, properties_transaction_timeout_ms="1000")
    late.open_task("job", 0, 0)
    late.write(to_table(ROWS[:1], (INT, STRING)))
    late._transactions._begin(is_last=True)
    late._transactions._begin = lambda is_last: True
    time.sleep(1.5)  # the broker's patience is what is tested
    with pytest.raises(JobError, match=r"open for \d s, 'properties.transaction.timeout.ms' allows 1 s"):
        late.close_task()
    late.abort_task()
    write(once(lenient, topic), ROWS)
    assert numbers(lenient, topic, 23) == list(range(23))


def test_a_time_out_that_the_broker_does_not_allow(broker: Broker) -> None:
    topic = broker.create("allowed")
    with pytest.raises(JobError, match=r"Kafka at .* refuses: .*imeout") as raised:
        write(once(broker, topic, properties_transaction_timeout_ms="3600000"), ROWS)
    assert "'properties.transaction.timeout.ms' is 3600000: set it to at most" in str(raised.value)
