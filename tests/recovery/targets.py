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
from tests.recovery.kills import Row
from tests.recovery.queries import TOTALS, Query

_PARTITIONS = 3


class Target(Protocol):
    """Where the rows of a query go.

    Attributes:
        declaration: CREATE TABLE of its table.
        query: The query.
    """

    declaration: str
    query: Query

    def left(self) -> Counter[Row]:
        """The rows that are left now. Raises AssertionError where something stands there twice or was taken
        away without being there."""
        ...


class Table:
    """A table in PostgreSQL."""

    def __init__(self, name: str, server: Postgres, query: Query = TOTALS) -> None:
        self._server, self._name, self.query = server, name, query
        columns = query.columns.replace("STRING", "TEXT")
        with server.connect() as connection:
            connection.execute(f"CREATE TABLE {name} ({columns}, PRIMARY KEY ({query.key}))")
        self.declaration = self._declare()

    def widen(self, query: Query) -> None:
        """Add the columns that another query has behind those of the present one, and take its place."""
        added = query.columns.removeprefix(f"{self.query.columns}, ").replace("STRING", "TEXT")
        with self._server.connect() as connection:
            for column in added.split(", "):
                connection.execute(f"ALTER TABLE {self._name} ADD COLUMN {column}")
        self.query = query
        self.declaration = self._declare()

    def _declare(self) -> str:
        options = {"connector": "jdbc", "url": self._server.url, "table-name": self._name}
        return _declared(self._name, self.query, {**options, "username": USER, "password": PASSWORD})

    def left(self) -> Counter[Row]:
        with self._server.connect() as connection:
            found = connection.execute(f"SELECT {', '.join(self.query.names)} FROM {self._name}").fetchall()
        return Counter(map(tuple, found))


class _Topic(ABC):
    """A topic, read on and on by a reader of what is committed."""

    query = TOTALS

    def __init__(self, table: str, broker: Broker, options: dict[str, str]) -> None:
        from confluent_kafka import Consumer, TopicPartition

        name = broker.create(table, _PARTITIONS)
        common = {
            "topic": name,
            "properties.bootstrap.servers": broker.servers,
            "sink.delivery-guarantee": "exactly-once",
            "sink.transactional-id-prefix": name,
        }
        self.declaration = _declared(table, self.query, {**common, **options})
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
    return tuple(found[name] for name in TOTALS.names)


def _place(message: Any) -> str:
    return f"partition {message.partition()}, offset {message.offset()}"


def _declared(name: str, query: Query, options: dict[str, str]) -> str:
    texts = ", ".join(f"'{key}' = '{value}'" for key, value in options.items())
    columns = f"{query.columns}, PRIMARY KEY ({query.key}) NOT ENFORCED"
    return f"CREATE TABLE {name} ({columns}) WITH ({texts});\n"
