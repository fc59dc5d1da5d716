"""Driving a Kafka source without Spark."""

from __future__ import annotations

import json
from typing import Any

from tools.kafka_broker import Broker

from firesteel.changelog import SEQUENCE, SHORT
from firesteel.connectors.base import Offset, ReadLimit, Source
from firesteel.connectors.registry import open_source
from firesteel.runtime.spec.tables import ScanSpec
from firesteel.types.sql import INT, STRING, SqlType

ALL = ReadLimit()
COLUMNS: dict[str, SqlType] = {"a": INT, "s": STRING}


def source(
    servers: str,
    topic: str,
    columns: dict[str, SqlType] | None = None,
    /,
    metadata: Any = None,
    connector: str = "kafka",
    upsert_key: tuple[str, ...] = (),
    **options: str,
) -> Source:
    """A source of JSON messages from the beginning on. options: with `_` for `.` and `__` for `-`."""
    given = {k.replace("__", "-").replace("_", "."): v for k, v in options.items()}
    defaults = {
        "topic": topic,
        "properties.bootstrap.servers": servers,
        "scan.startup.mode": "earliest-offset",
        "format": "json",
    }
    wanted = columns or COLUMNS
    pairs = tuple((k, v) for k, v in (defaults | given).items() if v)
    names, keys = tuple(wanted), tuple((metadata or {}).get(name) for name in wanted)
    return open_source(
        ScanSpec(
            *(connector, pairs, names, tuple(wanted.values()), tuple(range(len(names))), keys),
            table="t",
            upsert_key=upsert_key,
        )
    )


def between(read: Source, start: Offset, end: Offset) -> list[tuple[Any, ...]]:
    """The changes between two offsets, which go through JSON as Spark keeps them."""
    start, end = json.loads(json.dumps([start, end]))
    return _rows(read, read.splits_between(start, end, 2))


def everything(read: Source) -> list[tuple[Any, ...]]:
    """All that a bounded source gives."""
    return _rows(read, read.splits(2))


def now(read: Source) -> list[tuple[Any, ...]]:
    """What an unbounded source has from its start on."""
    start = read.initial_offset()
    return between(read, start, read.latest_offset(start, ALL))


def _rows(read: Source, splits: Any) -> list[tuple[Any, ...]]:
    found: list[tuple[Any, ...]] = []
    for split in splits:
        for table in read.read(split):
            columns = (table.column(n).to_pylist() for n in table.column_names if n != SEQUENCE)
            found += [(SHORT[kind], *values) for kind, *values in zip(*columns, strict=True)]
    return found


def committed(broker: Broker, topic: str, group: str = "") -> int:
    """The offset that a group (default: that of the topic's name) has committed for partition 0; else < 0."""
    from confluent_kafka import Consumer, TopicPartition

    watcher = Consumer({"bootstrap.servers": broker.servers, "group.id": group or topic})
    found = watcher.committed([TopicPartition(topic, 0)], 20)[0].offset
    watcher.close()
    return int(found)
