"""The script of the README over a topic that a producer fills all the while, on the stream host."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from tools.kafka_broker import Broker

from firesteel import TableEnvironment
from firesteel.job.spec import Input, JobSpec
from firesteel.runtime.spec.tables import ScanSpec
from firesteel.spark.batch import host as batch_host
from firesteel.spark.stream import host as stream_host
from firesteel.spark.stream.host import StreamJob
from firesteel.spark.stream.settings import StreamSettings
from tests.connectors.kafka.reading import committed
from tests.spark.jobs import folded, grouped, rows, write_changes

if TYPE_CHECKING:
    from firesteel.spark.launch.launch import Spark

pytestmark = [pytest.mark.spark, pytest.mark.slow]

TABLE = """
CREATE TABLE table1 (name STRING, cnt int) WITH ('connector' = 'kafka', 'topic' = 'products_binlog',
'properties.bootstrap.servers' = '127.0.0.1:9092', 'properties.group.id' = 'testGroup',
'scan.startup.mode' = 'earliest-offset', 'format' = 'canal-json')
"""
QUERY = "select name, sum(cnt), max(cnt) from table1 group by name"
MINI_BATCH = {
    "table.exec.mini-batch.enabled": "true",
    "table.exec.mini-batch.allow-latency": "200 ms",
    "table.exec.mini-batch.size": "5000",
}
EVENTS = 600


@pytest.fixture(scope="module")
def changes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file of canal messages."""
    path = tmp_path_factory.mktemp("changes") / "changes.json"
    write_changes(path, EVENTS)
    return path


@pytest.fixture(scope="module")
def expected(changes: Path, spark: Spark) -> list[tuple[Any, ...]]:
    """What the query answers over the file, change by change."""
    return rows(batch_host.run(grouped(changes, ("SUM", "MAX")), spark))


def producing(broker: Broker, topic: str, lines: list[str]) -> threading.Thread:
    """A producer that sends a few messages at a time."""

    def send() -> None:
        for start in range(0, len(lines), 20):
            broker.send(topic, lines[start : start + 20])

    thread = threading.Thread(target=send, daemon=True)
    thread.start()
    return thread


@pytest.mark.parametrize(
    "options",
    [pytest.param({}, id="records"), pytest.param(MINI_BATCH, id="mini-batch", marks=pytest.mark.full)],
)
def test_a_script_over_a_topic_that_is_being_filled(
    options: dict[str, str],
    broker: Broker,
    spark: Spark,
    changes: Path,
    expected: list[tuple[Any, ...]],
) -> None:
    topic = broker.create("products_binlog")
    environment = TableEnvironment.create(spark, configuration={"parallelism.default": "2", **options})
    table = TABLE.replace("127.0.0.1:9092", broker.servers).replace("products_binlog", topic)
    environment.execute_sql(table)
    producer = producing(broker, topic, changes.read_text().splitlines())
    result = environment.execute_sql(QUERY)
    seen = []
    for row in result.collect():
        seen.append((row.get_row_kind().short, *row))
        done = not producer.is_alive()
        if len(seen) == len(expected) or (options and done and folded(seen) == folded(expected)):
            break
    result.cancel()
    if not options:
        assert seen == expected
    assert folded(seen) == folded(expected)


def over(topic: str, broker: Broker, job: JobSpec) -> JobSpec:
    """The job over a topic instead of a file, without an end."""
    first, *others = job.chains
    assert isinstance(first.source, ScanSpec)
    options = {
        "topic": topic,
        "properties.bootstrap.servers": broker.servers,
        "properties.group.id": topic,
        "scan.startup.mode": "earliest-offset",
        "format": "canal-json",
    }
    scan = replace(first.source, connector="kafka", options=tuple(options.items()))
    return replace(job, chains=(replace(first, inputs=(Input(scan),)), *others), bounded=False)


class Following:
    """What a job has given so far."""

    def __init__(self, job: StreamJob) -> None:
        self.seen: list[tuple[Any, ...]] = []
        self._more = threading.Condition()
        self._thread = threading.Thread(target=self._take, args=(job.results(),), daemon=True)
        self._thread.start()

    def _take(self, tables: Iterator[Any]) -> None:
        for table in tables:
            with self._more:
                self.seen.extend(rows([table]))
                self._more.notify_all()

    def until(self, condition: Callable[[list[tuple[Any, ...]]], bool]) -> None:
        with self._more:
            assert self._more.wait_for(lambda: condition(self.seen), timeout=120)

    def join(self) -> list[tuple[Any, ...]]:
        """All, when the job was stopped."""
        self._thread.join(60)
        return self.seen


def test_a_restart_gives_each_change_once(
    tmp_path: Path, broker: Broker, spark: Spark, changes: Path, expected: list[tuple[Any, ...]]
) -> None:
    topic = broker.create("restarted")
    lines = changes.read_text().splitlines()
    job = over(topic, broker, grouped(changes, ("SUM", "MAX")))
    settings = StreamSettings(str(tmp_path / "checkpoint"), parallelism=2, max_rows=70)
    broker.send(topic, lines[: EVENTS // 2])
    first = stream_host.start(job, spark, settings)
    following = Following(first)
    following.until(lambda seen: len(seen) > len(expected) // 4)
    first.stop()
    before = following.join()
    assert before == expected[: len(before)]
    broker.send(topic, lines[EVENTS // 2 :])
    second = stream_host.start(job, spark, settings)
    following = Following(second)
    following.until(lambda seen: len(before) + len(seen) >= len(expected))
    second.stop()
    assert before + following.join() == expected
    assert EVENTS // 2 <= committed(broker, topic) <= EVENTS  # For tools that watch the group.
