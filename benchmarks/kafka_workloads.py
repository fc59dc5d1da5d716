"""Workloads over topics of Kafka, read from their beginning to what is there when the job starts."""

from __future__ import annotations

from functools import partial

from benchmarks.kafka_topics import broker, topic
from benchmarks.workload import BUNDLES, HOLE, IN_BUNDLES, REAL_COLUMNS, STREAMED, Workload

TABLE = """\
CREATE TABLE orders ({columns}) WITH ('connector' = 'kafka', 'topic' = '{topic}',
'properties.bootstrap.servers' = '{servers}', 'scan.startup.mode' = 'earliest-offset',
{bounded}'format' = 'canal-json');
"""
SUM_MAX = (
    HOLE.format(columns="name STRING, s INT, m INT")
    + "INSERT INTO hole SELECT name, SUM(cnt), MAX(cnt) FROM orders GROUP BY name;\n"
)
_BOUNDED = "'scan.bounded.mode' = 'latest-offset', "


def _sum_max(name: str, columns: str, messages: int) -> str:
    made, servers = topic(name, messages), broker()
    return TABLE.format(columns=columns, topic=made, servers=servers, bounded=_BOUNDED) + SUM_MAX


_plain = partial(_sum_max, "canal", "id BIGINT, name STRING, cnt INT")
_real = partial(_sum_max, "canal-real", REAL_COLUMNS)

KAFKA_WORKLOADS = (
    Workload(
        "kafka-canal",
        "batch-mini-batch out of a topic of four partitions",
        _plain,
        settings=IN_BUNDLES,
        flink=({}, BUNDLES),
    ),
    Workload(
        "kafka-canal-real",
        "canal-real out of a topic of four partitions",
        _real,
        settings=IN_BUNDLES,
        flink=({}, BUNDLES),
    ),
    Workload(
        "kafka-stream",
        "kafka-canal with a checkpoint",
        _plain,
        sizes=STREAMED,
        checkpoint=True,
        settings=IN_BUNDLES,
        flink=({}, BUNDLES),
    ),
)
