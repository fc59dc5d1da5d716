"""The workloads: a script for a number of events, and how each engine is to run it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from benchmarks.data import canal, few_lines

SMALL, LARGE = 500_000, 2_000_000
PARALLELISMS = ("1", "2")

FLINK_BEST = {"pipeline.object-reuse": "true", "state.backend.type": "hashmap"}
"""Flink's settings in every workload; its parallelism is tried at 1 and 2, the better one counts."""

_ORDERS = """\
CREATE TABLE orders (id BIGINT, name STRING, cnt INT)
WITH ('connector' = 'filesystem', 'path' = '{path}', 'format' = 'canal-json');
"""
_HOLE = "CREATE TABLE hole ({columns}) WITH ('connector' = 'blackhole');\n"


@dataclass(frozen=True)
class Workload:
    """script(size) is run at each size; with two sizes the slope between them is the throughput.

    checkpoint: both engines keep a checkpoint, so Firesteel runs on the stream host.
    """

    name: str
    what: str
    script: Callable[[int], str]
    sizes: tuple[int, ...] = (SMALL, LARGE)
    checkpoint: bool = False
    settings: dict[str, str] = field(default_factory=dict)


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
    keys = rows // 2
    return (
        f"CREATE TABLE source (k BIGINT, v INT) WITH ('connector' = 'datagen', 'number-of-rows' = '{rows}', "
        f"'rows-per-second' = '100000000', 'fields.k.min' = '1', 'fields.k.max' = '{keys}', "
        "'fields.v.min' = '1', 'fields.v.max' = '1000');\n"
        + _HOLE.format(columns="k BIGINT, s INT, c BIGINT")
        + "INSERT INTO hole SELECT k, SUM(v), COUNT(*) FROM source GROUP BY k;\n"
    )


def _first_result(_: int) -> str:
    return _ORDERS.format(path=few_lines()) + "SELECT name, SUM(cnt), MAX(cnt) FROM orders GROUP BY name;\n"


WORKLOADS = (
    Workload("batch-sum-max", "canal-json, SUM and MAX with retraction, batch host", _sum_max),
    Workload("batch-sum-count-avg", "canal-json, SUM, COUNT and AVG, batch host", _sum_count_avg),
    Workload("stream-sum-max", "the same as batch-sum-max with a checkpoint", _sum_max, checkpoint=True),
    Workload(
        "stream-sum-count-avg",
        "the same as batch-sum-count-avg with a checkpoint",
        _sum_count_avg,
        checkpoint=True,
    ),
    Workload("datagen", "10M rows made on the fly, 5M keys, SUM and COUNT", _datagen, sizes=(10_000_000,)),
    Workload(
        "first-result",
        "a file of 20 lines, from the start of the process to its end",
        _first_result,
        (20,),
    ),
)
