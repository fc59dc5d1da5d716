"""What `--metrics-port` tells of a job over a topic, against what was sent."""

from __future__ import annotations

import json
import re
import time
from datetime import datetime, timedelta, timezone
from itertools import islice
from typing import TYPE_CHECKING, Any
from urllib.request import urlopen

import pytest
from tools.kafka_broker import Broker

from firesteel import TableEnvironment
from firesteel.cli.http_api import Api
from firesteel.cli.metrics_server import served
from firesteel.spark.stream.settings import KEY_GROUPS
from tests.connectors.kafka.reading import committed

if TYPE_CHECKING:
    from firesteel.spark.launch.launch import Spark

pytestmark = [pytest.mark.spark, pytest.mark.slow]

TABLE = """
CREATE TABLE t (k INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '1' DAY) WITH (
'connector' = 'kafka', 'topic' = '{topic}', 'properties.bootstrap.servers' = '{servers}',
'properties.group.id' = '{topic}', 'scan.startup.mode' = 'earliest-offset', 'format' = 'json',
'json.ignore-parse-errors' = 'true')
"""
QUERY = """
SELECT k, COUNT(*) FROM TABLE(TUMBLE(TABLE t, DESCRIPTOR(ts), INTERVAL '10' DAY))
GROUP BY k, window_start, window_end
"""
PARALLELISM = 2
ONE_BATCH = {
    "table.exec.mini-batch.enabled": "true",
    "table.exec.mini-batch.allow-latency": "1 d",
    "table.exec.mini-batch.size": "5000",
    "parallelism.default": str(PARALLELISM),
}
"""The second micro-batch begins at midnight: until then what comes waits."""
START = datetime(2025, 12, 28, tzinfo=timezone.utc)
"""A window of ten days begins here."""
KEYS, DAYS = 3, 25


def row(day: int) -> str:
    return json.dumps({"k": day % KEYS, "ts": f"{START + timedelta(days=day):%Y-%m-%d %H:%M:%S}"})


def asked(port: int, path: str) -> Any:
    with urlopen(f"http://127.0.0.1:{port}/api/v1/jobs/{path}") as answer:
        return json.load(answer)


def scraped(port: int, label: str) -> dict[str, float]:
    with urlopen(f"http://127.0.0.1:{port}/metrics") as answer:
        lines = [line for line in answer.read().decode().splitlines() if f'{{job="{label}"' in line]
    found = (
        re.fullmatch(r'firesteel_(\w+)\{job="[^"]+"(?:,topic="[^"]+",partition="0")?\} (.+)', each)
        for each in lines
    )
    return {match[1]: float(match[2]) for match in found if match}


def test_the_numbers_are_those_of_the_stream(broker: Broker, spark: Spark) -> None:
    topic = broker.create("measured")
    late, unreadable = [row(5), row(6)], ["x{"]
    broker.send(topic, [*map(row, range(DAYS)), *late, *unreadable])
    environment = TableEnvironment.create(spark, configuration=ONE_BATCH)
    environment.execute_sql(TABLE.format(topic=topic, servers=broker.servers))
    (statement,) = environment.parse(QUERY)
    began = time.monotonic()
    result = environment.execute(
        statement,
        QUERY,
    )
    fired = list(islice(result.collect(), 2 * KEYS))
    took = time.monotonic() - began
    assert sum(each[1] for each in fired) == 20
    broker.send(topic, [row(30)] * 7)
    assert result.record is not None
    id, label = result.record.id, result.record.label
    with served(Api().answer, 0) as port:
        found, end = scraped(port, label), time.monotonic() + 30
        while (found.get("lag_messages") != 7 or "state_bytes" not in found) and time.monotonic() < end:
            time.sleep(0.2)
            found = scraped(port, label)
        told, batches = asked(port, id), asked(port, f"{id}/batches")["batches"]
        result.cancel()
    exact = {
        "records_in_total": DAYS + len(late),
        "records_out_total": 2 * KEYS,
        "records_skipped_total": len(unreadable),
        "late_records_dropped_total": len(late),
        "batches_total": 1,
        "watermark_milliseconds": (START + timedelta(days=DAYS - 2)).timestamp() * 1000,
        "lag_messages": 7,
    }
    assert {name: found.get(name) for name in exact} == exact
    assert found["state_entries"] % (KEY_GROUPS * PARALLELISM) == KEYS  # each key group notes watermarks, too
    assert 0 < found["batch_seconds"] < took
    assert found["state_bytes"] > 0
    assert (told["state"], told["statement"]) == ("RUNNING", QUERY.strip())
    assert told["lag_messages"] == [{"topic": topic, "partition": 0, "messages": 7}]
    assert "WindowAggregate" in told["plan"]
    assert committed(broker, topic) < 0  # A job without a checkpoint leaves its group alone.
    (batch,) = batches
    spent = batch["spent"]
    assert {part for part, seconds in spent.items() if seconds > 0} == {"waiting", "tasks", "delivery"}
    assert batch["seconds"] == pytest.approx(sum(spent.values()), abs=0.01)
    assert (batch["records_in"], batch["records_out"]) == (DAYS + len(late), 2 * KEYS)
    assert any(each["seconds"] > 0 for each in batch["busy"])
