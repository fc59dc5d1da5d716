"""Columns beside the rows of a table function are copied only where something reads them."""

from __future__ import annotations

import pytest

from firesteel.job.lower.job import translate
from firesteel.runtime.spec.correlate import CorrelateSpec
from tests.rules.planning import plan, tables

TABLES = """
CREATE TABLE t (id INT, tags ARRAY<STRING>, grid ARRAY<ARRAY<INT>>, name STRING)
WITH ('connector' = 'filesystem', 'path' = 'unread/t.json', 'format' = 'json');
"""


def unread(*queries: str) -> list[tuple[int, ...]]:
    catalog = tables(TABLES)
    job = translate([plan(query, catalog)[1] for query in queries])
    return [spec.unread for c in job.chains for spec in c.operators if isinstance(spec, CorrelateSpec)]


@pytest.mark.parametrize(
    ("query", "columns"),
    [
        ("SELECT id, x FROM t CROSS JOIN UNNEST(tags) AS u (x)", [(1, 2, 3)]),
        ("SELECT id, x FROM t CROSS JOIN UNNEST(tags) AS u (x) WHERE x = name", [(1, 2)]),
        ("SELECT * FROM t CROSS JOIN UNNEST(tags) AS u (x)", [()]),
        ("SELECT x FROM t CROSS JOIN UNNEST(tags) AS u (x)", [(0, 1, 2, 3)]),
        (
            "SELECT id, y FROM t CROSS JOIN UNNEST(grid) AS u (x) CROSS JOIN UNNEST(x) AS w (y)",
            [(1, 2, 3), (1, 2, 3, 4)],
        ),
        ("SELECT sku FROM (SELECT name AS sku FROM t EXCEPT ALL SELECT name FROM t)", [(0, 1)]),
    ],
)
def test_columns_that_nothing_reads(query: str, columns: list[tuple[int, ...]]) -> None:
    assert unread(query) == columns


def test_a_shared_function_hands_on_what_any_reader_reads() -> None:
    joined = "SELECT id, tags, grid, name, x FROM t CROSS JOIN UNNEST(tags) AS u (x)"
    assert unread(f"SELECT id, x FROM ({joined}) AS a", f"SELECT name, x FROM ({joined}) AS b") == [(1, 2)]
