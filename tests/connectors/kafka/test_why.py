"""Why a row of a job over a topic is as it is: its messages, by partition and offset. No Spark runs."""

from __future__ import annotations

from pathlib import Path

import pytest
from tools.kafka_broker import Broker

from firesteel.errors import UsageError
from tests.why.past_job import PastJob

pytestmark = pytest.mark.slow

SCRIPT = """\
CREATE TABLE sales (name STRING, cnt INT, at_ TIMESTAMP_LTZ(3) METADATA FROM 'timestamp')
  WITH ('connector' = 'kafka', 'topic' = '%s', 'properties.bootstrap.servers' = '%s',
  'scan.startup.mode' = 'earliest-offset', 'format' = 'json');
CREATE TABLE totals (name STRING, total INT, last TIMESTAMP_LTZ(3))
  WITH ('connector' = 'filesystem', 'path' = '{base}/totals', 'format' = 'debezium-json');
INSERT INTO totals SELECT name, SUM(cnt), MAX(at_) FROM sales GROUP BY name;
"""


def message(name: str, cnt: int) -> bytes:
    return b'{"name": "%s", "cnt": %d}' % (name.encode(), cnt)


def test_messages_by_partition_and_offset(broker: Broker, tmp_path: Path) -> None:
    topic = broker.create("why", partitions=2)
    broker.send(topic, [message("Tom", 3), message("Ann", 9), message("Tom", 4)], partition=1, timestamp=1000)
    broker.send(topic, [message("Ann", 1), message("Tom", 2)], partition=0, timestamp=2000)
    found = PastJob(tmp_path, SCRIPT % (topic, broker.servers)).why("name = 'Tom'")
    assert sorted(tuple(each.place.values()) for each in found.sources) == [
        (topic, 0, 1),
        (topic, 1, 0),
        (topic, 1, 2),
    ]
    assert {tuple(each.place) for each in found.sources} == {("topic", "partition", "offset")}
    assert [row.split(",")[1] for row in found.rows] == [" 9"]


def test_a_topic_that_was_made_again(broker: Broker, tmp_path: Path) -> None:
    topic = broker.create("why_anew")
    broker.send(topic, [message("Tom", 3)], timestamp=1000)
    job = PastJob(tmp_path, SCRIPT % (topic, broker.servers))
    broker.admin.delete_topics([topic])[topic].result(30)
    broker.create_as(topic)
    with pytest.raises(UsageError, match="sales no longer has its history"):
        job.why("name = 'Tom'")
