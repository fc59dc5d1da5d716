"""The workloads: a script for a number of events, and how each engine is to run it."""

from __future__ import annotations

from benchmarks.data import canal, few_lines
from benchmarks.interval_workloads import INTERVAL_WORKLOADS
from benchmarks.join_workloads import JOIN_WORKLOADS
from benchmarks.kafka_workloads import KAFKA_WORKLOADS
from benchmarks.rank_workloads import RANK_WORKLOADS
from benchmarks.real_workloads import REAL_WORKLOADS
from benchmarks.temporal_workloads import TEMPORAL_WORKLOADS
from benchmarks.time_workloads import TIME_WORKLOADS
from benchmarks.workload import BUNDLES, HOLE, IN_BUNDLES, LARGE, ORDERS, STREAMED, Workload

PARALLELISMS = ("1", "2")

FLINK_BEST = {"pipeline.object-reuse": "true", "state.backend.type": "hashmap"}
"""Flink's settings in every workload; its parallelism is tried at 1 and 2, the better one counts."""

_SPLIT = {"table.optimizer.distinct-agg.split.enabled": "true"}
_ROCKSDB = {"state.backend.type": "rocksdb"}


def _sum_max(events: int) -> str:
    return (
        ORDERS.format(path=canal(events))
        + HOLE.format(columns="name STRING, s INT, m INT")
        + "INSERT INTO hole SELECT name, SUM(cnt), MAX(cnt) FROM orders GROUP BY name;\n"
    )


def _sum_count_avg(events: int) -> str:
    return (
        ORDERS.format(path=canal(events))
        + HOLE.format(columns="name STRING, s INT, c BIGINT, a INT")
        + "INSERT INTO hole SELECT name, SUM(cnt), COUNT(*), AVG(cnt) FROM orders GROUP BY name;\n"
    )


def _datagen(rows: int) -> str:
    return aggregated_datagen(rows, rows // 2)


def aggregated_datagen(rows: int, keys: int) -> str:
    """SUM and COUNT by key over random rows."""
    return (
        f"CREATE TABLE source (k BIGINT, v INT) WITH ('connector' = 'datagen', 'number-of-rows' = '{rows}', "
        f"'rows-per-second' = '100000000', 'fields.k.min' = '1', 'fields.k.max' = '{keys}', "
        "'fields.v.min' = '1', 'fields.v.max' = '1000');\n"
        + HOLE.format(columns="k BIGINT, s INT, c BIGINT")
        + "INSERT INTO hole SELECT k, SUM(v), COUNT(*) FROM source GROUP BY k;\n"
    )


def _keyed(rows: int, key: str = "k") -> str:
    """SUM and COUNT by `key` over rows of 1000 keys; `CASE` expressions make a hot one."""
    return (
        f"CREATE TABLE source (k BIGINT, v INT) WITH ('connector' = 'datagen', 'number-of-rows' = '{rows}', "
        "'rows-per-second' = '100000000', 'fields.k.min' = '0', 'fields.k.max' = '999', "
        "'fields.v.min' = '1', 'fields.v.max' = '1000');\n"
        + HOLE.format(columns="k BIGINT, s INT, m INT")
        + f"INSERT INTO hole SELECT k, SUM(v), MAX(v) FROM (SELECT {key} AS k, v FROM source) GROUP BY k;\n"
    )


def _hot_key(rows: int) -> str:
    return _keyed(rows, "CASE WHEN MOD(k, 2) = 0 THEN 0 ELSE k END")


def _distinct(rows: int) -> str:
    return (
        f"CREATE TABLE source (k INT, v INT) WITH ('connector' = 'datagen', 'number-of-rows' = '{rows}', "
        "'rows-per-second' = '100000000', 'fields.k.min' = '1', 'fields.k.max' = '1000', "
        "'fields.v.min' = '1', 'fields.v.max' = '1000000');\n"
        + HOLE.format(columns="k INT, d BIGINT")
        + "INSERT INTO hole SELECT k, COUNT(DISTINCT v) FROM source GROUP BY k;\n"
    )


def _first_result(_: int) -> str:
    return ORDERS.format(path=few_lines()) + "SELECT name, SUM(cnt), MAX(cnt) FROM orders GROUP BY name;\n"


WORKLOADS = (
    Workload("batch-sum-max", "canal-json, SUM and MAX with retraction, batch host", _sum_max),
    Workload("batch-sum-count-avg", "canal-json, SUM, COUNT and AVG, batch host", _sum_count_avg),
    Workload(
        "batch-mini-batch",
        "the same as batch-sum-max in mini-batches, Flink as it is fastest",
        _sum_max,
        settings=IN_BUNDLES,
        flink=({}, BUNDLES),
    ),
    Workload("stream-sum-max", "batch-sum-max with a checkpoint", _sum_max, sizes=STREAMED, checkpoint=True),
    Workload(
        "stream-sum-count-avg",
        "batch-sum-count-avg with a checkpoint",
        _sum_count_avg,
        sizes=STREAMED,
        checkpoint=True,
    ),
    Workload(
        "stream-mini-batch",
        "batch-mini-batch with a checkpoint",
        _sum_max,
        sizes=STREAMED,
        checkpoint=True,
        settings=IN_BUNDLES,
        flink=({}, BUNDLES),
    ),
    Workload("datagen", "10M rows made on the fly, 5M keys, SUM and COUNT", _datagen, sizes=(10_000_000,)),
    Workload(
        "datagen-mini-batch",
        "the same in mini-batches, Flink as it is fastest",
        _datagen,
        sizes=(10_000_000,),
        settings=IN_BUNDLES,
        flink=({}, BUNDLES),
    ),
    Workload(
        "datagen-rocksdb",
        "3M rows, 1M keys, Flink's state in RocksDB",
        lambda rows: aggregated_datagen(rows, rows // 3),
        sizes=(3_000_000,),
        settings=IN_BUNDLES,
        flink=(_ROCKSDB, {**_ROCKSDB, **BUNDLES}),
    ),
    Workload(
        "distinct",
        "COUNT(DISTINCT), 1000 keys, 1M values, Flink as it is fastest",
        _distinct,
        sizes=(LARGE,),
        settings=IN_BUNDLES,
        flink=({}, BUNDLES, {**BUNDLES, **_SPLIT}),
    ),
    Workload(
        "skew",
        "SUM and MAX over 1000 keys, then half of the rows in one key",
        _keyed,
        sizes=(10_000_000,),
        settings=IN_BUNDLES,
        skewed=_hot_key,
    ),
    Workload(
        "first-result",
        "a file of 20 lines, from the start of the process to its end",
        _first_result,
        (20,),
    ),
    *REAL_WORKLOADS,
    *KAFKA_WORKLOADS,
    *TIME_WORKLOADS,
    *JOIN_WORKLOADS,
    *INTERVAL_WORKLOADS,
    *TEMPORAL_WORKLOADS,
    *RANK_WORKLOADS,
)
