"""Messages that cannot be read and rows that a table refuses are in the dead-letter table once, under kills.

usage: python -m tests.recovery.dead_letters [--messages N] [--bad N] [--kills N] [--seed N] [--patience N]

The job counts the rows of a topic in PostgreSQL, and writes them to a table with a constraint. Its dead
letters go to another table there. Its JVM is killed again and again, and nobody starts it again. Then the
messages are mended and replayed. The replay is killed, too, and started again until it is complete.
"""

from __future__ import annotations

import argparse
import itertools
import json
import random
import signal
import tempfile
import time
from collections.abc import Callable
from contextlib import ExitStack
from functools import partial
from pathlib import Path

from tools.kafka_broker import Broker

from tests.connectors.jdbc.postgres import PASSWORD, USER, Postgres
from tests.recovery.faults import _command, _kill, descendants
from tests.recovery.runs import Run, commits
from tests.spark.test_dead_letters import BAD

_PARTITIONS = 4
_BATCHES = 20
_MENDED = 60
"""Value of the column n of mended messages, which no other message has."""
_SCRIPT = """\
CREATE TABLE messages (id INT, n INT) WITH ('connector' = 'kafka', 'topic' = '{topic}',
  'properties.bootstrap.servers' = '{servers}', 'properties.group.id' = 'dead-letters',
  'scan.startup.mode' = 'earliest-offset', 'format' = 'json');
CREATE TABLE counts (n INT, c BIGINT, PRIMARY KEY (n) NOT ENFORCED) WITH ({jdbc}, 'table-name' = 'counts');
CREATE TABLE kept (id INT, n INT) WITH ({jdbc}, 'table-name' = 'kept');
CREATE TABLE bad (source_id STRING, source_position STRING, error_text STRING, raw_bytes BYTES,
  row_kind STRING) WITH ({jdbc}, 'table-name' = 'bad');
CREATE VIEW mended AS SELECT source_id, source_position, ENCODE(CONCAT('{{"id": 1',
  LPAD(REGEXP_EXTRACT(source_position, 'offset ([0-9]+)', 1), 7, '0'),
  REGEXP_EXTRACT(source_position, 'partition ([0-9]+)', 1), ', "n": {mended}}}'), 'UTF-8') AS raw_bytes
  FROM bad WHERE row_kind IS NULL;
SET 'firesteel.dead-letters.table' = 'bad';
EXECUTE STATEMENT SET BEGIN
  INSERT INTO counts SELECT n, COUNT(id) FROM messages GROUP BY n;
  INSERT INTO kept SELECT id, n FROM messages;
END;
"""
_TABLES = (
    "CREATE TABLE counts (n INTEGER PRIMARY KEY, c BIGINT)",
    "CREATE TABLE kept (id INTEGER PRIMARY KEY, n INTEGER CHECK (n <> 13))",
    "CREATE TABLE bad "
    "(source_id TEXT, source_position TEXT, error_text TEXT, raw_bytes BYTEA, row_kind TEXT)",
)


def run(folder: Path, messages: int, bad: int, kills: int, seed: int = 1, patience: float = 200.0) -> str:
    """Return what has happened. Raises AssertionError if a message is lost or there twice."""
    chance = random.Random(seed)
    with ExitStack() as ends:
        broker = Broker(folder)
        ends.callback(broker.stop)
        server = Postgres()
        ends.callback(server.remove)
        with server.connect() as connection:
            for statement in _TABLES:
                connection.execute(statement)
        topic = broker.create("messages", _PARTITIONS)
        expected, good = _fill(broker, topic, messages, bad, chance)
        user = f"'username' = '{USER}', 'password' = '{PASSWORD}'"
        jdbc = f"'connector' = 'jdbc', 'url' = '{server.url}', {user}"
        (folder / "job.sql").write_text(
            _SCRIPT.format(topic=topic, servers=broker.servers, jdbc=jdbc, mended=_MENDED)
        )
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
        while _sum(server) < messages - bad or _missing(server, good):
            assert job.poll() is None, job.said[-3000:]
            assert time.monotonic() < end, job.said[-3000:]
            time.sleep(0.5)
        kept, refused = _check_delivered(server, expected, good)
        restarts = job.said.count("Restart ")
        job.send_signal(signal.SIGINT)
        job.wait(patience)
        replay = partial(
            Run, "firesteel.cli.main", "replay", folder / "job.sql", "--checkpoint", checkpoint,
            "--from", "mended", *settings,
        )  # fmt: skip
        killed = _replayed(replay, checkpoint, min(kills, 4), chance, patience)
        _check_replayed(server, messages, bad, len(kept))
        before = commits(checkpoint)
        assert _ended(replay(), patience) == 0
        assert commits(checkpoint) == before, "a replay without new messages has run the job"
        _check_replayed(server, messages, bad, len(kept))
        return (
            f"{messages} messages, {bad} of {len(BAD)} kinds cannot be read, {len(refused)} rows are "
            f"refused; {kills} kills of the JVM, {restarts} restarts, {commits(checkpoint)} micro-batches: "
            f"each is there once; {killed} kills of the replay: each message is replayed once"
        )


def _check_delivered(
    server: Postgres, expected: dict[str, bytes], good: list[int]
) -> tuple[list[int], list[int]]:
    """Return the rows that the sink has taken and refused. Asserts that each message is there once."""
    assert _sum(server) == len(good)
    with server.connect() as connection:
        found = connection.execute(
            "SELECT source_position, raw_bytes FROM bad WHERE row_kind IS NULL"
        ).fetchall()
        rows = connection.execute("SELECT raw_bytes FROM bad WHERE row_kind = '+I'").fetchall()
        kept = [number for (number,) in connection.execute("SELECT id FROM kept ORDER BY id").fetchall()]
    assert len(found) == len(expected)
    _compare({place: bytes(raw) for place, raw in found}, expected)
    refused = sorted(json.loads(bytes(raw))["id"] for (raw,) in rows)
    assert refused == [number for number in good if number % 50 == 13]
    assert kept == [number for number in good if number % 50 != 13]
    return kept, refused


def _replayed(
    replay: Callable[[], Run], checkpoint: Path, kills: int, chance: random.Random, patience: float
) -> int:
    """Replay, kill the replay at random moments, and complete it. Return how often it was killed at work."""
    killed = 0
    for number in range(kills):
        process = replay()
        end = time.monotonic() + patience
        while number % 2 and process.poll() is None and not any(checkpoint.glob("*/replays/[0-9]*")):
            assert time.monotonic() < end, process.said[-3000:]
            time.sleep(0.05)
        time.sleep(chance.uniform(0, 6))
        killed += process.poll() is None
        for victim in [process.pid, *descendants(process.pid)]:
            _kill(victim)
        process.wait()
    process = replay()
    assert _ended(process, patience) == 0, process.said[-3000:]
    return killed


def _ended(process: Run, patience: float) -> int:
    try:
        return process.wait(patience)
    finally:
        process.kill()


def _check_replayed(server: Postgres, messages: int, bad: int, kept: int) -> None:
    """Raise AssertionError unless each mended message has arrived once."""
    with server.connect() as connection:
        counts = dict(connection.execute("SELECT n, c FROM counts").fetchall())
        mended = connection.execute("SELECT COUNT(*), COUNT(DISTINCT id) FROM kept WHERE n = %s", (_MENDED,))
        arrived = mended.fetchone()
        (all_kept,) = connection.execute("SELECT COUNT(*) FROM kept").fetchone()
        (letters,) = connection.execute("SELECT COUNT(*) FROM bad WHERE row_kind IS NULL").fetchone()
    assert counts[_MENDED] == bad
    assert sum(counts.values()) == messages
    assert arrived == (bad, bad)
    assert all_kept == kept + bad
    assert letters == bad


def _compare(found: dict[str, bytes], expected: dict[str, bytes]) -> None:
    """Raise AssertionError with the first places that differ."""
    places = ((place, found.get(place), expected.get(place)) for place in sorted({*found, *expected}))
    wrong = [each for each in places if each[1] != each[2]]
    assert not wrong, f"{len(wrong)} places differ (place, in the table, in the topic): {wrong[:6]}"


def _fill(
    broker: Broker, topic: str, messages: int, bad: int, chance: random.Random
) -> tuple[dict[str, bytes], list[int]]:
    """Send the messages. Return the bad ones by the places where a consumer finds them, and all good ids."""
    _send(broker, topic, messages, bad, chance)
    kinds, read = set(BAD), _read(broker, topic)
    assert len(read) == messages, f"the topic has {len(read)} messages of {messages}"
    good = sorted(json.loads(message)["id"] for message in read.values() if message not in kinds)
    return {place: message for place, message in read.items() if message in kinds}, good


def _read(broker: Broker, topic: str) -> dict[str, bytes]:
    """Return all messages of a topic by their place, with a client of its own."""
    from confluent_kafka import Consumer, TopicPartition

    client = Consumer({"bootstrap.servers": broker.servers, "group.id": "check", "enable.auto.commit": False})
    found: dict[str, bytes] = {}
    try:
        places = [TopicPartition(topic, number, 0) for number in range(_PARTITIONS)]
        ends = [client.get_watermark_offsets(place, timeout=30)[1] for place in places]
        client.assign(places)
        while len(found) < sum(ends):
            batch = client.consume(10_000, timeout=30)
            assert batch, f"the topic gives {len(found)} messages of {sum(ends)}"
            for message in batch:
                assert message.error() is None, message.error()
                place = f"topic {topic}, partition {message.partition()}, offset {message.offset()}"
                found[place] = message.value()
    finally:
        client.close()
    return found


def _send(broker: Broker, topic: str, messages: int, bad: int, chance: random.Random) -> None:
    """Send the messages. Without idempotence, a retry of the client changes their order or doubles them."""
    from confluent_kafka import Producer

    client = Producer(
        {
            "bootstrap.servers": broker.servers,
            "queue.buffering.max.messages": messages + 1,
            "enable.idempotence": True,
        }
    )
    places, kinds = set(chance.sample(range(messages), bad)), itertools.cycle(BAD)
    for number in range(messages):
        message = b'{"id": %d, "n": %d}' % (number, number % 50)
        client.produce(topic, next(kinds) if number in places else message, partition=number % _PARTITIONS)
    assert client.flush(120) == 0


def _sum(server: Postgres) -> int:
    with server.connect() as connection:
        return int(connection.execute("SELECT COALESCE(SUM(c), 0) FROM counts").fetchone()[0])


def _missing(server: Postgres, good: list[int]) -> bool:
    """Return whether rows of good messages are neither in their table nor refused."""
    with server.connect() as connection:
        kept = int(connection.execute("SELECT COUNT(*) FROM kept").fetchone()[0])
        refused = int(connection.execute("SELECT COUNT(*) FROM bad WHERE row_kind = '+I'").fetchone()[0])
    return kept + refused < len(good)


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
