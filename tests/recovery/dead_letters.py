"""A topic in which some messages cannot be read: each of them is in the dead-letter table once, under kills.

usage: python -m tests.recovery.dead_letters [--messages N] [--bad N] [--kills N] [--seed N] [--patience N]

The job counts the rows of a topic in PostgreSQL, and its dead letters go to another table there. Its JVM is
killed again and again, and nobody starts it again.
"""

from __future__ import annotations

import argparse
import random
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path

from tools.kafka_broker import Broker

from tests.connectors.jdbc.postgres import PASSWORD, USER, Postgres
from tests.recovery.faults import _command, _kill, descendants
from tests.recovery.runs import Run, commits
from tests.spark.test_dead_letters import BAD

_PARTITIONS = 4
_BATCHES = 20
_SCRIPT = """\
CREATE TABLE messages (id INT, n INT) WITH ('connector' = 'kafka', 'topic' = '{topic}',
  'properties.bootstrap.servers' = '{servers}', 'properties.group.id' = 'dead-letters',
  'scan.startup.mode' = 'earliest-offset', 'format' = 'json');
CREATE TABLE counts (n INT, c BIGINT, PRIMARY KEY (n) NOT ENFORCED) WITH ({jdbc}, 'table-name' = 'counts');
CREATE TABLE bad (source_position STRING, error_text STRING, raw_bytes BYTES)
  WITH ({jdbc}, 'table-name' = 'bad');
SET 'firesteel.dead-letters.table' = 'bad';
INSERT INTO counts SELECT n, COUNT(id) FROM messages GROUP BY n;
"""


def run(folder: Path, messages: int, bad: int, kills: int, seed: int = 1, patience: float = 200.0) -> str:
    """Return what has happened. Raises AssertionError if a message is lost or there twice."""
    chance = random.Random(seed)
    with ExitStack() as ends:
        broker = Broker(folder)
        ends.callback(broker.stop)
        server = Postgres()
        ends.callback(server.remove)
        with server.connect() as connection:
            connection.execute("CREATE TABLE counts (n INTEGER PRIMARY KEY, c BIGINT)")
            connection.execute("CREATE TABLE bad (source_position TEXT, error_text TEXT, raw_bytes BYTEA)")
        topic = broker.create("messages", _PARTITIONS)
        expected = _fill(broker, topic, messages, bad, chance)
        user = f"'username' = '{USER}', 'password' = '{PASSWORD}'"
        jdbc = f"'connector' = 'jdbc', 'url' = '{server.url}', {user}"
        (folder / "job.sql").write_text(_SCRIPT.format(topic=topic, servers=broker.servers, jdbc=jdbc))
        rows = f"firesteel.source.max-rows-per-batch={max(1, messages // _BATCHES)}"
        settings = ("--set", rows, "--set", "restart-strategy.exponential-delay.initial-backoff=200 ms")
        checkpoint = folder / "checkpoint"
        job = Run("firesteel.cli.main", "run", folder / "job.sql", "--checkpoint", checkpoint, *settings)
        ends.callback(lambda: (job.kill(), job.wait()))
        for number in range(kills):
            _await(job, checkpoint, min(_BATCHES - 2, commits(checkpoint) + 1 + number % 2), patience)
            time.sleep(chance.uniform(0, 1.5))
            for victim in [pid for pid in descendants(job.pid) if "java" in _command(pid)[0]]:
                _kill(victim)
        end = time.monotonic() + patience
        while _sum(server) < messages - bad:
            assert job.poll() is None, job.said[-3000:]
            assert time.monotonic() < end, job.said[-3000:]
            time.sleep(0.5)
        with server.connect() as connection:
            found = connection.execute("SELECT source_position, raw_bytes FROM bad").fetchall()
        assert _sum(server) == messages - bad
        assert len(found) == bad
        assert {place: bytes(raw) for place, raw in found} == expected
        restarts = job.said.count("Restart ")
        return (
            f"{messages} messages, {bad} of {len(BAD)} kinds cannot be read; {kills} kills of the JVM, "
            f"{restarts} restarts, {commits(checkpoint)} micro-batches: each is there once"
        )


def _fill(broker: Broker, topic: str, messages: int, bad: int, chance: random.Random) -> dict[str, bytes]:
    """Send the messages; the bad ones by their place."""
    from confluent_kafka import Producer

    client = Producer(
        {
            "bootstrap.servers": broker.servers,
            "queue.buffering.max.messages": messages + 1,
            "enable.idempotence": True,  # else a retry changes the order
        }
    )
    places = set(chance.sample(range(messages), bad))
    expected = {}
    for number in range(messages):
        partition, offset = number % _PARTITIONS, number // _PARTITIONS
        message = b'{"id": %d, "n": %d}' % (number, number % 50)
        if number in places:
            message = BAD[len(expected) % len(BAD)]
            expected[f"topic {topic}, partition {partition}, offset {offset}"] = message
        client.produce(topic, message, partition=partition)
    assert client.flush(120) == 0
    return expected


def _sum(server: Postgres) -> int:
    with server.connect() as connection:
        return int(connection.execute("SELECT COALESCE(SUM(c), 0) FROM counts").fetchone()[0])


def _await(job: Run, checkpoint: Path, batches: int, patience: float) -> None:
    end = time.monotonic() + patience
    while commits(checkpoint) < batches:
        assert job.poll() is None, job.said[-3000:]
        assert time.monotonic() < end, job.said[-3000:]
        time.sleep(0.05)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--messages", type=int, default=100_000)
    parser.add_argument("--bad", type=int, default=1_000)
    parser.add_argument("--kills", type=int, default=5)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--patience", type=float, default=200.0, help="seconds, on a slow machine more")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        said = run(Path(folder), given.messages, given.bad, given.kills, given.seed, given.patience)
        print(said, flush=True)


if __name__ == "__main__":
    main()
