"""The keyed sink of a job that is upgraded (upgrade_run.py): a SQLite table, or a topic of upsert-kafka."""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, Protocol

from tools.kafka_broker import Broker

Rows = Counter[tuple[Any, ...]]
_PARTITIONS = 2


class KeyedSink(Protocol):
    """A table `totals` whose rows are updated by their key.

    Attributes:
        options: Its options in CREATE TABLE.
    """

    options: dict[str, str]

    def rows(self, names: Sequence[str]) -> Rows:
        """Return the rows that are left, in these columns and as text."""
        ...

    def forget(self) -> None:
        """Forget the changes that the sink has got so far."""
        ...

    def check_last(self, changes: Counter[str]) -> None:
        """Check that the sink got these kinds of changes since `forget`, all at once."""
        ...


class SqliteTable:
    """A table in a SQLite file.

    Args:
        file: The database.
        columns: Names of all columns that the table ever has.
        key: The primary key.
    """

    def __init__(self, file: Path, columns: Sequence[str], key: str) -> None:
        self._file = file
        self.options = {"connector": "jdbc", "url": f"jdbc:sqlite:{file}", "table-name": "totals"}
        with closing(sqlite3.connect(file)) as database:
            database.execute(f"CREATE TABLE totals ({', '.join(columns)}, PRIMARY KEY ({key}))")

    def rows(self, names: Sequence[str]) -> Rows:
        with closing(sqlite3.connect(self._file)) as database:
            return counted(database.execute(f"SELECT {', '.join(names)} FROM totals"))

    def forget(self) -> None:
        """A table keeps no changes."""

    def check_last(self, changes: Counter[str]) -> None:
        """A table keeps no changes."""


class UpsertTopic:
    """A topic that upsert-kafka writes exactly once, read up to the last committed message.

    Args:
        broker: A running broker.
    """

    def __init__(self, broker: Broker) -> None:
        from confluent_kafka import Consumer, TopicPartition

        name = broker.create("totals", _PARTITIONS)
        self.options = {
            "connector": "upsert-kafka",
            "topic": name,
            "properties.bootstrap.servers": broker.servers,
            "key.format": "json",
            "value.format": "json",
            "sink.delivery-guarantee": "exactly-once",
            "sink.transactional-id-prefix": name,
        }
        self._rows: dict[bytes, dict[str, Any]] = {}
        self._last: list[Any] = []
        self._places = [TopicPartition(name, number, 0) for number in range(_PARTITIONS)]
        settings = {"bootstrap.servers": broker.servers, "group.id": name, "log_level": 2}
        self._reader = Consumer(
            settings
            | {"auto.offset.reset": "earliest", "isolation.level": "read_committed"}
            | {"enable.auto.commit": False, "fetch.wait.max.ms": 50, "enable.partition.eof": True}
        )
        self._reader.assign(self._places)

    def rows(self, names: Sequence[str]) -> Rows:
        for message in self._new():
            self._take(message)
        return Counter(tuple(text(row.get(name)) for name in names) for row in self._rows.values())

    def forget(self) -> None:
        self.rows(())
        self._last = []

    def check_last(self, changes: Counter[str]) -> None:
        """Check the messages, and that no end of a transaction is between them."""
        self.rows(())
        messages = self._last
        gone = sum(message.value() is None for message in messages)
        expected = changes["+I"] + changes["+U"], changes["-D"]
        assert (len(messages) - gone, gone) == expected, f"{len(messages)} messages, {gone} tombstones"
        for partition in range(_PARTITIONS):
            at = [message.offset() for message in messages if message.partition() == partition]
            assert not at or at == list(range(at[0], at[-1] + 1)), "several transactions"

    def _new(self) -> Iterator[Any]:
        """Yield the messages that are new and committed."""
        self._reader.assign(self._places)  # each assigned partition reports its end once
        ended: set[int] = set()
        while len(ended) < _PARTITIONS:
            messages: list[Any] = self._reader.consume(10_000, 1.0)
            for message in messages:
                if message.error() is None:
                    self._places[message.partition()].offset = message.offset() + 1
                    yield message
                elif message.error().name() == "_PARTITION_EOF":
                    ended.add(message.partition())
                else:
                    raise AssertionError(message.error())

    def _take(self, message: Any) -> None:
        self._last.append(message)
        if message.value() is None:
            assert self._rows.pop(message.key(), None) is not None, f"{message.key()!r} is not there"
        else:
            self._rows[message.key()] = json.loads(message.value())


def text(value: Any) -> str:
    """Return a value as text. Equal numbers of different types have one text."""
    return str(value).removesuffix(".0")


def counted(rows: Any) -> Rows:
    """Return the rows of a cursor as text, with their numbers."""
    return Counter(tuple(map(text, row)) for row in rows.fetchall())
