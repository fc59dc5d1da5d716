"""Topics for the benchmarks: filled once, and then read by both engines."""

from __future__ import annotations

import atexit
import os
import tempfile
from collections.abc import Iterator
from functools import cache as once
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.data import cache, canal
from benchmarks.real_data import lines

if TYPE_CHECKING:
    from tools.kafka_broker import Broker

PARTITIONS = 4
_AT_ONCE = 50_000
"""Messages between two waits for the broker."""

Placed = Iterator[tuple[int, bytes]]
"""Messages, each with its partition; all changes of a row are in one."""


def broker() -> str:
    """The address of a broker: FIRESTEEL_BENCH_KAFKA names one, which keeps its topics, else one is started
    at the first call and stopped at the process's end."""
    return os.environ.get("FIRESTEEL_BENCH_KAFKA") or started().servers


@once
def started() -> Broker:
    """A broker of this process's own."""
    from tools.kafka_broker import Broker

    folder = tempfile.TemporaryDirectory(dir=cache(), prefix="kafka-")
    made = Broker(Path(folder.name))
    atexit.register(folder.cleanup)
    atexit.register(made.stop)
    return made


@once
def topic(name: str, messages: int) -> str:
    """The name of a topic with so many messages: `canal` of the plain shape (benchmarks/data.py), else of a
    kind of benchmarks/real_data.py."""
    servers, made = broker(), f"{name}-{messages}"
    if count(servers, made) != messages:
        create(servers, made)
        send(servers, made, _plain(messages) if name == "canal" else _real(name, messages))
    return made


def count(servers: str, name: str) -> int:
    """The messages of a topic, 0 where it is not there."""
    from confluent_kafka import Consumer, TopicPartition

    consumer = Consumer({"bootstrap.servers": servers, "group.id": "benchmarks"})
    try:
        there = consumer.list_topics(timeout=10).topics
        partitions = there[name].partitions if name in there else ()
        return sum(consumer.get_watermark_offsets(TopicPartition(name, each))[1] for each in partitions)
    finally:
        consumer.close()


def create(servers: str, name: str, settings: dict[str, str] | None = None) -> None:
    """A topic of that name. settings: of the topic."""
    from confluent_kafka.admin import AdminClient, NewTopic

    admin = AdminClient({"bootstrap.servers": servers})
    admin.create_topics([NewTopic(name, PARTITIONS, config=settings or {})])[name].result(30)


def send(servers: str, name: str, messages: Placed) -> None:
    """All of them, in batches as large as a busy server makes them."""
    from confluent_kafka import Producer

    producer = Producer(
        {"bootstrap.servers": servers, "linger.ms": 50, "queue.buffering.max.messages": 2 * _AT_ONCE}
    )
    for number, (partition, value) in enumerate(messages, 1):
        producer.produce(name, value, partition=partition)
        if number % _AT_ONCE == 0:
            producer.flush()
    if producer.flush(60):
        raise RuntimeError(f"the broker at {servers} does not take messages")


def _plain(messages: int) -> Placed:
    """One history, a row's changes by its id."""
    with canal(messages).open("rb") as file:
        for line in file:
            yield int(line.split(b'"', 6)[5]) % PARTITIONS, line.rstrip(b"\n")


def _real(name: str, messages: int) -> Placed:
    """A history a partition, as a message may have several rows."""
    shards = [lines(name, messages // PARTITIONS, seed=seed) for seed in range(PARTITIONS)]
    for together in zip(*shards, strict=True):
        for partition, line in enumerate(together):
            yield partition, line.rstrip("\n").encode()
