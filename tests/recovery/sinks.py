"""Kill a job that writes to a database or to Kafka again and again, and hold what stands there against the
answer.

usage: python -m tests.recovery.sinks [--kills N] [--events N] [--batches N] [--sink kafka|postgres|sqlite]...
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tools.kafka_broker import Broker

from tests.connectors.jdbc.databases import Database, PostgresDatabase, SqliteDatabase
from tests.connectors.jdbc.postgres import Postgres
from tests.recovery.job import NAMES
from tests.recovery.kills import Row, run

if TYPE_CHECKING:
    from collections.abc import Callable

    Sink = tuple[str, "Reader"]

COLUMNS = "name VARCHAR(20), total INTEGER, biggest INTEGER, different BIGINT, n BIGINT"
_QUIET_SECONDS = 3.0


class Reader:
    """Reads the rows that are left in a sink when it is called. ever: reads all rows that ever came."""

    def __init__(self, left: Callable[[], Counter[Row]], ever: Callable[[], set[Row]]) -> None:
        self._left, self.ever = left, ever

    def __call__(self) -> Counter[Row]:
        return self._left()


def database(of: Database) -> Sink:
    """A table without a key, to which each change is added: every row that was taken away stands there twice,
    or four times..., so the rows that stand there an odd number of times are those that are left."""
    of.run(f"CREATE TABLE t ({COLUMNS})")
    options = {"connector": "jdbc", "table-name": "t", **of.options}
    rows = partial(of.run, f"SELECT {', '.join(NAMES)} FROM t")
    return json.dumps(options), Reader(lambda: _odd(rows()), lambda: set(map(tuple, rows())))


def _odd(rows: Iterable[Row]) -> Counter[Row]:
    return Counter({tuple(row): 1 for row, count in Counter(rows).items() if count % 2})


def topic(broker: Broker) -> Sink:
    """A topic of canal-json messages, written exactly once."""
    name = broker.create("out", 2)
    options = {
        "connector": "kafka",
        "topic": name,
        "properties.bootstrap.servers": broker.servers,
        "format": "canal-json",
        "key.format": "json",
        "key.fields": "name",
        "sink.delivery-guarantee": "exactly-once",
        "sink.transactional-id-prefix": name,
    }
    read = partial(_messages, broker, name)
    return json.dumps(options), Reader(
        lambda: _folded(read()), lambda: {row for _, row in map(_change, read())}
    )


def _messages(broker: Broker, name: str) -> Iterator[bytes]:
    """What is committed, until nothing has come for a while."""
    from confluent_kafka import Consumer, TopicPartition

    reader = Consumer(
        {"bootstrap.servers": broker.servers, "group.id": "test", "auto.offset.reset": "earliest"}
    )
    reader.assign([TopicPartition(name, number, 0) for number in range(2)])
    heard = time.monotonic()
    while time.monotonic() < heard + _QUIET_SECONDS:
        for message in reader.consume(10_000, 0.5):
            heard = time.monotonic()
            yield message.value()
    reader.close()


def _change(message: bytes) -> tuple[int, Row]:
    """1 for a row that comes, -1 for one that goes; and the row."""
    change = json.loads(message)
    (row,) = change["data"]
    return 1 if change["type"] == "INSERT" else -1, tuple(row[name] for name in NAMES)


def _folded(messages: Iterable[bytes]) -> Counter[Row]:
    left: Counter[Row] = Counter()
    for sign, row in map(_change, messages):
        left[row] += sign
    assert min(left.values()) >= 0, "taken away what was not there"
    return +left


@contextmanager
def sink_of(kind: str, folder: Path) -> Iterator[Any]:
    """A sink of that kind, with its server; None for files."""
    if kind == "files":
        yield None
        return
    if kind == "sqlite":
        yield database(SqliteDatabase(folder / "db"))
        return
    server = Postgres() if kind == "postgres" else Broker(folder)
    try:
        yield database(PostgresDatabase(server)) if isinstance(server, Postgres) else topic(server)
    finally:
        server.remove() if isinstance(server, Postgres) else server.stop()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=30)
    parser.add_argument("--events", type=int, default=200_000)
    parser.add_argument("--batches", type=int, default=400)
    parser.add_argument("--sink", choices=("kafka", "postgres", "sqlite"), action="append")
    options = parser.parse_args()
    for kind in options.sink or ("kafka", "postgres"):
        with tempfile.TemporaryDirectory() as temporary, sink_of(kind, Path(temporary)) as sink:
            counts = run(Path(temporary), options.events, options.kills, options.batches, sink=sink)
        print(f"{kind}: {options.events} events, {counts}, what stands there is the answer", flush=True)


if __name__ == "__main__":
    main()
