"""Top-N and deduplication."""

from __future__ import annotations

from benchmarks.join_data import facts, orders
from benchmarks.workload import HOLE, LARGE, SMALL, Workload

_KEYS = 10_000


def _top_n(events: int) -> str:
    """The ten largest of each key, over rows that change."""
    return (
        "CREATE TABLE orders (id BIGINT, k BIGINT, name STRING, qty INT, PRIMARY KEY (id) NOT ENFORCED)\n"
        f"WITH ('connector' = 'filesystem', 'path' = '{orders(events, _KEYS)}', 'format' = 'canal-json');\n"
        + HOLE.format(columns="k BIGINT, id BIGINT, qty INT")
        + "INSERT INTO hole SELECT k, id, qty FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY k ORDER BY qty "
        "DESC) AS rn FROM orders) WHERE rn <= 10;\n"
    )


def _deduplicate(rows: int) -> str:
    """The last row of each key, as they come."""
    return (
        "CREATE TABLE facts (id BIGINT, k BIGINT, v INT, pt AS PROCTIME())\n"
        f"WITH ('connector' = 'filesystem', 'path' = '{facts(rows, rows // 10)}', 'format' = 'json');\n"
        + HOLE.format(columns="k BIGINT, id BIGINT, v INT")
        + "INSERT INTO hole SELECT k, id, v FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY k ORDER BY pt "
        "DESC) AS rn FROM facts) WHERE rn = 1;\n"
    )


RANK_WORKLOADS = (
    Workload("top-n", "ten rows of each of 10K keys, over changing rows", _top_n, (SMALL, LARGE)),
    Workload("deduplicate", "the last row of each key", _deduplicate, (SMALL, 5_000_000)),
)
