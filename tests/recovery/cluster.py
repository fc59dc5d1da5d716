"""Kill workers of a Spark cluster while a job runs on it, and hold what it wrote against the answer.

usage: python -m tests.recovery.cluster [--kills N] [--events N] [--seconds N] [--speculation] [--folder DIR]

About N events in N seconds, and more at that pace for as long as the kills take.

Kafka (canal-json, four partitions) -> GROUP BY with a function of the user's -> PostgreSQL, upsert-kafka and
Kafka as debezium-json, all exactly once. Inserts, updates and deletes come in while one of two workers is
killed with its executor and their Pythons, and another one is started in its place. Then the table and both
topics must hold the answer, each topic's messages must follow from one another, and both must tell the same.
"""

from __future__ import annotations

import argparse
import json
import random
import signal
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tools.kafka_broker import Broker
from tools.spark_cluster import SparkCluster

from tests.connectors.jdbc.databases import PostgresDatabase
from tests.connectors.jdbc.postgres import Postgres
from tests.recovery.cluster_job import Job, Load, Row, bare_python, write_job
from tests.recovery.job import NAMES
from tests.recovery.runs import commits

_COLUMNS = "name VARCHAR(20) PRIMARY KEY, total INTEGER, biggest INTEGER, different BIGINT, n BIGINT"
_PARTITIONS = 4
_PATIENCE = 240.0
_PIECE = 0.5
"""Seconds between two pieces of the load."""


@dataclass(frozen=True)
class Places:
    """Where a job reads and writes."""

    broker: Broker
    database: PostgresDatabase
    source: str
    upserts: str
    changes: str

    @classmethod
    def made(cls, broker: Broker, server: Postgres) -> Places:
        database = PostgresDatabase(server)
        database.run(f"CREATE TABLE t ({_COLUMNS})")
        return cls(broker, database, *(broker.create(name, _PARTITIONS) for name in ("in", "up", "out")))

    def script(self, folder: Path) -> Path:
        servers = {"properties.bootstrap.servers": self.broker.servers}
        once = {"sink.delivery-guarantee": "exactly-once"}
        source = {"connector": "kafka", "topic": self.source, "format": "canal-json", **servers}
        upserts = {"connector": "upsert-kafka", "key.format": "json", "value.format": "json"}
        keyed = {"key.format": "json", "key.fields": "name"}
        changes = {"connector": "kafka", "format": "debezium-json", **keyed}
        sinks = {
            "to_database": {"connector": "jdbc", "table-name": "t", **self.database.options},
            "to_upserts": {**upserts, **servers, **once, "topic": self.upserts}
            | {"sink.transactional-id-prefix": self.upserts},
            "to_changes": {**changes, **servers, **once, "topic": self.changes}
            | {"sink.transactional-id-prefix": self.changes},
        }
        return write_job(folder, {**source, "scan.startup.mode": "earliest-offset"}, sinks)

    def send(self, load: Load, count: int) -> None:
        """More of the load, all changes of a row to one partition."""
        parts: defaultdict[int, list[bytes]] = defaultdict(list)
        for number, message in load.changes(count):
            parts[number % _PARTITIONS].append(message)
        for partition, messages in parts.items():
            self.broker.send(self.source, messages, partition)

    def table(self) -> Counter[Row]:
        return Counter(self.database.run(f"SELECT {', '.join(NAMES)} FROM t"))


# --- what stands in the topics -----------------------------------------------------------------------
def read_committed(broker: Broker, topic: str) -> Iterator[tuple[str, Any]]:
    """Keys and values, up to what is committed now."""
    from confluent_kafka import OFFSET_BEGINNING, Consumer, TopicPartition

    reader = Consumer(
        {
            "bootstrap.servers": broker.servers,
            "group.id": "test",
            "isolation.level": "read_committed",
            "enable.partition.eof": True,
        }
    )
    reader.assign([TopicPartition(topic, number, OFFSET_BEGINNING) for number in range(_PARTITIONS)])
    ended: set[int] = set()
    while len(ended) < _PARTITIONS:
        for message in reader.consume(10_000, 1.0):
            if message.error() is not None:
                ended.add(message.partition())
                continue
            value = message.value()
            yield json.loads(message.key())["name"], None if value is None else json.loads(value)
    reader.close()


Histories = dict[str, list[Row | None]]
"""By name the rows that it has had, None where it had none."""


def upserts(messages: Iterator[tuple[str, Any]]) -> Histories:
    found: defaultdict[str, list[Row | None]] = defaultdict(list)
    for name, value in messages:
        row = None if value is None else tuple(value[column] for column in NAMES)
        last = found[name][-1] if found[name] else None
        assert row != last, f"{name}: {row} is written twice"
        found[name].append(row)
    return _without_gaps(found)


def changes(messages: Iterator[tuple[str, Any]]) -> Histories:
    """Each message must take away what is there, or add where nothing is."""
    found: defaultdict[str, list[Row | None]] = defaultdict(list)
    for name, value in messages:
        before, after = (
            None if value[part] is None else tuple(value[part][column] for column in NAMES)
            for part in ("before", "after")
        )
        last = found[name][-1] if found[name] else None
        assert before == last, f"{name}: {before} is taken away, there is {last}"
        found[name].append(after)
    return _without_gaps(found)


def _without_gaps(found: Histories) -> Histories:
    """Without moments in which there is no row: those within an update stand in one of the topics only."""
    return {name: [row for row in rows[:-1] if row is not None] + rows[-1:] for name, rows in found.items()}


def left(histories: Histories) -> Counter[Row]:
    return Counter(rows[-1] for rows in histories.values() if rows[-1] is not None)


# --- the run ------------------------------------------------------------------------------------------
@dataclass(frozen=True)
class Run:
    """A job on a cluster under load."""

    job: Job
    cluster: SparkCluster
    places: Places
    checkpoint: Path
    chance: random.Random

    def until(self, what: str, is_so: Callable[[], bool], meanwhile: Callable[[], None]) -> None:
        end = time.monotonic() + _PATIENCE
        while not is_so():
            assert self.job.poll() is None, self.job.said
            assert time.monotonic() < end, f"{what}: not after {_PATIENCE:.0f} s\n{self.job.said}"
            meanwhile()
            time.sleep(_PIECE)

    def batches(self, more: int, meanwhile: Callable[[], None]) -> None:
        """Wait for more micro-batches."""
        wanted = commits(self.checkpoint) + more
        self.until(f"{more} micro-batches", lambda: commits(self.checkpoint) >= wanted, meanwhile)

    def kill(self, numbers: list[int]) -> list[int]:
        """One of the workers, somewhere in a micro-batch; the workers that there are then."""
        victim = self.chance.choice(numbers)
        time.sleep(self.chance.uniform(0, 2))
        assert self.cluster.executors(victim), "a worker without an executor"
        self.cluster.kill_worker(victim)
        return [number for number in numbers if number != victim]


def run(folder: Path, kills: int, events: int, seconds: float, *more: str, seed: int = 1) -> str:
    """All of it; what happened. Raises AssertionError where the answer is wrong."""
    with ExitStack() as open_:
        cluster = open_.enter_context(SparkCluster(folder))
        broker = Broker(folder)
        open_.callback(broker.stop)
        server = Postgres()
        open_.callback(server.remove)
        places, load = Places.made(broker, server), Load(names=60, seed=seed)
        checkpoint = folder / "checkpoint"
        python = bare_python(folder / "python")
        job = Job(places.script(folder / "job"), cluster.master, checkpoint, python, *more)
        open_.callback(job.kill)
        running = Run(job, cluster, places, checkpoint, random.Random(seed))
        piece = max(1, int(events * _PIECE / seconds))
        sent = 0

        def go_on() -> None:
            nonlocal sent
            places.send(load, piece)
            sent += piece

        workers = [0, 1]
        running.batches(2, go_on)
        for _ in range(kills):
            workers = running.kill(workers)
            running.batches(2, go_on)
            workers.append(cluster.add_worker())
            running.until("an executor", lambda: bool(cluster.executors(workers[-1])), go_on)  # noqa: B023
            running.batches(1, go_on)
        running.until("all of the load", lambda: sent >= events, go_on)
        answer = load.answer()
        running.until("the answer in the table", lambda: places.table() == answer, lambda: None)
        batches = commits(checkpoint)
        job.send_signal(signal.SIGINT)
        job.wait(60)
        return f"{sent} events, {batches} micro-batches, {kills} workers killed: {hold(places, load)}"


def hold(places: Places, load: Load) -> str:
    """The table and the topics against the answer."""
    answer = load.answer()
    assert places.table() == answer
    upserted = upserts(read_committed(places.broker, places.upserts))
    changed = changes(read_committed(places.broker, places.changes))
    assert left(upserted) == answer, "the upserts' topic does not fold to the answer"
    assert left(changed) == answer, "the changes' topic does not fold to the answer"
    differ = [name for name in {**upserted, **changed} if upserted.get(name) != changed.get(name)]
    assert not differ, f"{differ[0]}: {upserted.get(differ[0])} and {changed.get(differ[0])}"
    told = sum(map(len, upserted.values()))
    return f"{len(answer)} rows, {told} upserts, the same in the changes"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=3)
    parser.add_argument("--events", type=int, default=20_000)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--speculation", action="store_true")
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    more = [f"--set=spark.speculation{key}" for key in _SPECULATION] if given.speculation else []
    with tempfile.TemporaryDirectory() as temporary:
        folder = given.folder or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        print(run(folder, given.kills, given.events, given.seconds, *more, seed=given.seed), flush=True)


_SPECULATION = ("=true", ".interval=50ms", ".multiplier=1", ".quantile=0.1", ".minTaskRuntime=0ms")
"""As eager as can be: each task that is not the first has a second attempt."""

if __name__ == "__main__":
    main()
