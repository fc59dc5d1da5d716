"""Which bundles send their keys on in the map's order, and from one task."""

from __future__ import annotations

import pytest

from firesteel.plan.nodes.physical import (
    Exchange,
    GlobalGroupAggregate,
    GroupAggregate,
    IncrementalGroupAggregate,
    LocalGroupAggregate,
)
from firesteel.plan.tree import walk
from tests.rules.planning import plan, tables

BUNDLES = {
    "table.exec.mini-batch.enabled": "true",
    "table.exec.mini-batch.allow-latency": "3 s",
    "table.exec.mini-batch.size": "100",
}
SPLIT = {**BUNDLES, "table.optimizer.distinct-agg.split.enabled": "true"}
AGGREGATES = (GroupAggregate, GlobalGroupAggregate, IncrementalGroupAggregate, LocalGroupAggregate)
TABLE = "CREATE TABLE t (a INT, b INT, c STRING) WITH ('connector' = 'x', 'format' = 'canal-json');"
NESTED = "(SELECT a, b, SUM(b) AS s FROM t GROUP BY a, b) GROUP BY s"


@pytest.mark.parametrize(
    ("sql", "options", "marked", "one_task"),
    [
        ("SELECT a, LAST_VALUE(b) FROM t GROUP BY a", BUNDLES, [False], [False]),
        ("SELECT a, LAST_VALUE(b), COUNT(DISTINCT c) FROM t GROUP BY a", SPLIT, [False, True], [False, True]),
        ("SELECT a, SUM(b), COUNT(DISTINCT c) FROM t GROUP BY a", SPLIT, [False] * 3, [False, False]),
        (f"SELECT s, FIRST_VALUE(a) FROM {NESTED}", BUNDLES, [False, True, True], [False, True]),
        (f"SELECT s, FIRST_VALUE(a) FROM {NESTED}", {}, [False, False], [False, False]),
        (f"SELECT s, MAX(a) FROM {NESTED}", BUNDLES, [False, False, False, False], [False, False]),
        ("SELECT LISTAGG(c), COUNT(DISTINCT b) FROM t GROUP BY a", SPLIT, [False, True, True], [False, True]),
    ],
)  # fmt: skip
def test_marked(sql: str, options: dict[str, str], marked: list[bool], one_task: list[bool]) -> None:
    """From the root down."""
    nodes = list(walk(plan(sql, tables(TABLE), options)[1]))
    assert [n.map_order for n in nodes if isinstance(n, AGGREGATES)] == marked
    assert [n.one_task for n in nodes if isinstance(n, Exchange)] == one_task
