"""Where a pipeline writes: a table with a primary key, a compacted topic, a topic of changes; and the rows
that are left there.
"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterator
from typing import Any, Protocol

from tools.kafka_broker import Broker

from tests.connectors.jdbc.postgres import PASSWORD, USER, Postgres
from tests.recovery.feed import GROWING
from tests.recovery.job import NAMES
from tests.recovery.kills import Row

_COLUMNS = "name VARCHAR(20) NOT NULL PRIMARY KEY, total INTEGER, biggest INTEGER, different BIGINT, n BIGINT"
_TABLE = """\
CREATE TABLE {name} (name STRING, total INT, biggest INT, different BIGINT, n BIGINT,
  PRIMARY KEY (name) NOT ENFORCED) WITH ({options});
"""
_PARTITIONS = 3


class Target(Protocol):
    """declaration: of its table."""

    declaration: str

    def left(self) -> Counter[Row]:
        """The rows that are left now. Raises AssertionError where something stands there twice or was taken
        away without being there."""
        ...


class Table:
    """A table of PostgreSQL's."""

    def __init__(self, name: str, server: Postgres) -> None:
        self._server, self._name = server, name
        with server.connect() as connection:
            connection.execute(f"CREATE TABLE {name} ({_COLUMNS})")
        options = {"connector": "jdbc", "url": server.url, "table-name": name}
        self.declaration = _declared(name, {**options, "username": USER, "password": PASSWORD})

    def left(self) -> Counter[Row]:
        with self._server.connect() as connection:
            found = connection.execute(f"SELECT {', '.join(NAMES)} FROM {self._name}").fetchall()
        return Counter(map(tuple, found))


class _Topic(ABC):
    """A topic, read on and on by a reader of what is committed."""

    def __init__(self, table: str, broker: Broker, options: dict[str, str]) -> None:
        from confluent_kafka import Consumer, TopicPartition

        name = broker.create(table, _PARTITIONS)
        common = {
            "topic": name,
            "properties.bootstrap.servers": broker.servers,
            "sink.delivery-guarantee": "exactly-once",
            "sink.transactional-id-prefix": name,
        }
        self.declaration = _declared(table, {**common, **options})
        self._rows: dict[str, Row] = {}
        self._most: dict[str, int] = {}
        self._reader = Consumer(
            {
                "bootstrap.servers": broker.servers,
                "group.id": "test",
                "isolation.level": "read_committed",
                "auto.offset.reset": "earliest",
                "fetch.wait.max.ms": 50,
                "log_level": 2,
            }
        )
        self._reader.assign([TopicPartition(name, number, 0) for number in range(_PARTITIONS)])

    def left(self) -> Counter[Row]:
        for message in self._new():
            self._take(message)
        return Counter(self._rows.values())

    def _new(self) -> Iterator[Any]:
        while messages := self._reader.consume(10_000, 0.3):
            yield from (each for each in messages if each.error() is None)

    @abstractmethod
    def _take(self, message: Any) -> None:
        """Keep what a message says."""

    def _put(self, row: Row, place: str) -> None:
        if row[0].startswith(GROWING):
            before = self._most.get(row[0], 0)
            assert row[-1] > before, f"{place}: {row} follows one of {before} rows"
            self._most[row[0]] = row[-1]
        self._rows[row[0]] = row


class UpsertTopic(_Topic):
    """A message is the row of its key."""

    def __init__(self, name: str, broker: Broker) -> None:
        formats = {"key.format": "json", "value.format": "json"}
        super().__init__(name, broker, {"connector": "upsert-kafka", **formats})

    def _take(self, message: Any) -> None:
        if message.value() is None:
            name = json.loads(message.key())["name"]
            assert self._rows.pop(name, None) is not None, f"{_place(message)}: {name} is not there"
        else:
            self._put(_row(json.loads(message.value())), _place(message))


class ChangesTopic(_Topic):
    """A message is a row that comes or goes, as debezium-json."""

    def __init__(self, name: str, broker: Broker) -> None:
        formats = {"key.format": "json", "key.fields": "name", "value.format": "debezium-json"}
        super().__init__(name, broker, {"connector": "kafka", **formats})

    def _take(self, message: Any) -> None:
        change, place = json.loads(message.value()), _place(message)
        if change["op"] == "d":
            row = _row(change["before"])
            assert self._rows.pop(row[0], None) == row, f"{place}: {row} is taken away, and is not there"
        else:
            row = _row(change["after"])
            assert row[0] not in self._rows, f"{place}: {row} comes, and {self._rows[row[0]]} is there"
            self._put(row, place)


def _row(found: dict[str, Any]) -> Row:
    return tuple(found[name] for name in NAMES)


def _place(message: Any) -> str:
    return f"partition {message.partition()}, offset {message.offset()}"


def _declared(name: str, options: dict[str, str]) -> str:
    return _TABLE.format(
        name=name, options=", ".join(f"'{key}' = '{value}'" for key, value in options.items())
    )
