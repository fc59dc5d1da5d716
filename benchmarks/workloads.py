"""The workloads: a script for a number of events, and how each engine is to run it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from benchmarks.data import canal, few_lines

SMALL, LARGE = 500_000, 2_000_000
STREAMED = (2_000_000, 6_000_000)
"""A stream takes up to 2M events in one micro-batch, so there is more than one."""

PARALLELISMS = ("1", "2")

FLINK_BEST = {"pipeline.object-reuse": "true", "state.backend.type": "hashmap"}
"""Flink's settings in every workload; its parallelism is tried at 1 and 2, the better one counts."""

_ORDERS = """\
CREATE TABLE orders (id BIGINT, name STRING, cnt INT)
WITH ('connector' = 'filesystem', 'path' = '{path}', 'format' = 'canal-json');
"""
_HOLE = "CREATE TABLE hole ({columns}) WITH ('connector' = 'blackhole');\n"


_BUNDLES = {
    "table.exec.mini-batch.enabled": "true",
    "table.exec.mini-batch.allow-latency": "5 s",
    "table.exec.mini-batch.size": "5000",
}
IN_BUNDLES = {**_BUNDLES, "table.exec.mini-batch.size": "10000000"}
_SPLIT = {"table.optimizer.distinct-agg.split.enabled": "true"}
_ROCKSDB = {"state.backend.type": "rocksdb"}


@dataclass(frozen=True)
class Workload:
    """script(size) is run at each size; with two sizes the slope between them is the throughput.

    checkpoint: both engines keep a checkpoint, so Firesteel runs on the stream host. settings: of
    Firesteel. flink: settings to try with Flink, of which the best counts. skewed: the same work with half
    of all rows in one key, for Firesteel alone.
    """

    name: str
    what: str
    script: Callable[[int], str]
    sizes: tuple[int, ...] = (SMALL, LARGE)
    checkpoint: bool = False
    settings: dict[str, str] = field(default_factory=dict)
    flink: tuple[dict[str, str], ...] = ({},)
    skewed: Callable[[int], str] | None = None


def _sum_max(events: int) -> str:
    return (
        _ORDERS.format(path=canal(events))
        + _HOLE.format(columns="name STRING, s INT, m INT")
        + "INSERT INTO hole SELECT name, SUM(cnt), MAX(cnt) FROM orders GROUP BY name;\n"
    )


def _sum_count_avg(events: int) -> str:
    return (
        _ORDERS.format(path=canal(events))
        + _HOLE.format(columns="name STRING, s INT, c BIGINT, a INT")
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
        + _HOLE.format(columns="k BIGINT, s INT, c BIGINT")
        + "INSERT INTO hole SELECT k, SUM(v), COUNT(*) FROM source GROUP BY k;\n"
    )


def _keyed(rows: int, key: str = "k") -> str:
    """SUM and COUNT by `key` over rows of 1000 keys; `CASE` expressions make a hot one."""
    return (
        f"CREATE TABLE source (k BIGINT, v INT) WITH ('connector' = 'datagen', 'number-of-rows' = '{rows}', "
        "'rows-per-second' = '100000000', 'fields.k.min' = '0', 'fields.k.max' = '999', "
        "'fields.v.min' = '1', 'fields.v.max' = '1000');\n"
        + _HOLE.format(columns="k BIGINT, s INT, m INT")
        + f"INSERT INTO hole SELECT k, SUM(v), MAX(v) FROM (SELECT {key} AS k, v FROM source) GROUP BY k;\n"
    )


def _hot_key(rows: int) -> str:
    return _keyed(rows, "CASE WHEN MOD(k, 2) = 0 THEN 0 ELSE k END")


def _distinct(rows: int) -> str:
    return (
        f"CREATE TABLE source (k INT, v INT) WITH ('connector' = 'datagen', 'number-of-rows' = '{rows}', "
        "'rows-per-second' = '100000000', 'fields.k.min' = '1', 'fields.k.max' = '1000', "
        "'fields.v.min' = '1', 'fields.v.max' = '1000000');\n"
        + _HOLE.format(columns="k INT, d BIGINT")
        + "INSERT INTO hole SELECT k, COUNT(DISTINCT v) FROM source GROUP BY k;\n"
    )


def _first_result(_: int) -> str:
    return _ORDERS.format(path=few_lines()) + "SELECT name, SUM(cnt), MAX(cnt) FROM orders GROUP BY name;\n"


WORKLOADS = (
    Workload("batch-sum-max", "canal-json, SUM and MAX with retraction, batch host", _sum_max),
    Workload("batch-sum-count-avg", "canal-json, SUM, COUNT and AVG, batch host", _sum_count_avg),
    Workload(
        "batch-mini-batch",
        "the same as batch-sum-max in mini-batches, Flink as it is fastest",
        _sum_max,
        settings=IN_BUNDLES,
        flink=({}, _BUNDLES),
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
        flink=({}, _BUNDLES),
    ),
    Workload("datagen", "10M rows made on the fly, 5M keys, SUM and COUNT", _datagen, sizes=(10_000_000,)),
    Workload(
        "datagen-mini-batch",
        "the same in mini-batches, Flink as it is fastest",
        _datagen,
        sizes=(10_000_000,),
        settings=IN_BUNDLES,
        flink=({}, _BUNDLES),
    ),
    Workload(
        "datagen-rocksdb",
        "3M rows, 1M keys, Flink's state in RocksDB",
        lambda rows: aggregated_datagen(rows, rows // 3),
        sizes=(3_000_000,),
        settings=IN_BUNDLES,
        flink=(_ROCKSDB, {**_ROCKSDB, **_BUNDLES}),
    ),
    Workload(
        "distinct",
        "COUNT(DISTINCT), 1000 keys, 1M values, Flink as it is fastest",
        _distinct,
        sizes=(LARGE,),
        settings=IN_BUNDLES,
        flink=({}, _BUNDLES, {**_BUNDLES, **_SPLIT}),
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
)
