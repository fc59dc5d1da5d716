"""Driving a Kafka sink without Spark, and reading what it wrote."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

from tools.kafka_broker import Broker

from firesteel.changelog import INSERT_ONLY
from firesteel.connectors.base import Sink
from firesteel.connectors.registry import open_sink
from firesteel.runtime.spec.tables import SinkSpec
from firesteel.types.sql import INT, STRING, SqlType
from tests.runtime.changes import to_table

COLUMNS: dict[str, SqlType] = {"a": INT, "s": STRING}


def sink(
    servers: str,
    topic: str,
    columns: dict[str, SqlType] | None = None,
    /,
    metadata: dict[str, str] | None = None,
    connector: str = "kafka",
    primary_key: tuple[int, ...] = (),
    **options: str,
) -> Sink:
    """A sink of JSON messages. options: with `_` for `.` and `__` for `-`."""
    given = {k.replace("__", "-").replace("_", "."): v for k, v in options.items()}
    defaults = {"topic": topic, "properties.bootstrap.servers": servers, "format": "json"}
    wanted = columns or COLUMNS
    pairs = tuple((k, v) for k, v in (defaults | given).items() if v)
    keys = tuple((metadata or {}).get(name) for name in wanted)
    types = tuple(wanted.values())
    return open_sink(
        SinkSpec(connector, pairs, tuple(wanted), types, "t", None, primary_key, INSERT_ONLY, keys)
    )


def write(
    to: Sink,
    rows: Sequence[tuple[Any, ...]],
    types: Sequence[SqlType] = tuple(COLUMNS.values()),
    job: str = "job",
    batch: int = 0,
    partition: int = 0,
) -> None:
    """A task that writes the rows."""
    to.open_task(job, batch, partition)
    try:
        to.write(to_table(rows, types))
        to.close_task()
    except BaseException:
        to.abort_task()
        raise


def messages(broker: Broker, topic: str, count: int) -> list[Any]:
    """The first committed messages of a topic, as the client gives them; `count` of them must come."""
    from confluent_kafka import Consumer, TopicPartition

    reader = Consumer(
        {"bootstrap.servers": broker.servers, "group.id": "test", "auto.offset.reset": "earliest"}
    )
    partitions = reader.list_topics(topic).topics[topic].partitions
    reader.assign([TopicPartition(topic, number, 0) for number in partitions])
    found: list[Any] = []
    end = time.monotonic() + 60
    while len(found) < count and time.monotonic() < end:
        found += reader.consume(count - len(found), 0.5)
    found += reader.consume(10, 0.3)
    reader.close()
    assert len(found) == count
    return found
