"""Interval joins in whole jobs against DuckDB, wherever the inputs are cut into micro-batches.

No row is late: rows are up to four seconds out of order, watermarks a millisecond more.
"""

from __future__ import annotations

import random
from collections import Counter
from datetime import datetime, timedelta
from functools import cache

import duckdb

# ruff: noqa: E501 - queries are data
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firesteel import TableEnvironment
from firesteel.job.spec import JobSpec
from tests.cases.script import job
from tests.properties.joins.oracle import Answer, text
from tests.properties.joins.trial import BUNDLES, folded
from tests.properties.local_job import LocalJob, Rows
from tests.runtime.changes import Row
from tests.scale import examples, part

NAMES = ("id", "k", "v", "ts")
_TABLE = """
CREATE TABLE {} (id INT, k STRING, v INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '4.001' SECOND)
WITH ('connector' = 'filesystem', 'path' = '/nowhere', 'format' = 'json')"""
START = datetime(2026, 1, 1)

_PADDED = "SELECT l.id, l.k, l.ts, r.v FROM l LEFT JOIN r ON l.k = r.k AND r.ts BETWEEN l.ts AND l.ts + INTERVAL '3' SECOND"
SAME = {
    "inner": "SELECT l.id, r.id, l.ts FROM l JOIN r ON l.k = r.k AND l.ts BETWEEN r.ts - INTERVAL '3' SECOND AND r.ts + INTERVAL '1' SECOND",
    "left": "SELECT l.id, r.id, r.ts FROM l LEFT JOIN r ON l.k = r.k AND r.ts > l.ts AND r.ts < l.ts + INTERVAL '4' SECOND",
    "right, with a condition": "SELECT l.id, r.id FROM l RIGHT JOIN r ON l.k = r.k AND l.ts BETWEEN r.ts - INTERVAL '6' SECOND AND r.ts - INTERVAL '2' SECOND AND l.v < r.v",
    "full": "SELECT l.id, r.id FROM l FULL JOIN r ON l.k IS NOT DISTINCT FROM r.k AND r.ts BETWEEN l.ts + INTERVAL '1' SECOND AND l.ts + INTERVAL '9' SECOND",
    "full, equal times": "SELECT l.id, r.id FROM l FULL JOIN r ON l.k = r.k AND l.ts = r.ts",
    "not by key": "SELECT l.id, r.id FROM l FULL JOIN r ON l.ts BETWEEN r.ts - INTERVAL '1' SECOND AND r.ts",
    "no pairs": "SELECT l.id, r.id FROM l FULL JOIN r ON l.k = r.k AND l.ts BETWEEN r.ts + INTERVAL '2' SECOND AND r.ts",
    "nested": "SELECT l.id, r.id, q.id FROM l JOIN r ON l.k = r.k AND l.ts BETWEEN r.ts - INTERVAL '2' SECOND AND r.ts LEFT JOIN l AS q ON q.v = r.v AND q.ts BETWEEN l.ts AND l.ts + INTERVAL '2' SECOND",
    "aggregate above": "SELECT l.k, COUNT(*), MAX(r.v) FROM l JOIN r ON l.k = r.k AND l.ts BETWEEN r.ts - INTERVAL '3' SECOND AND r.ts GROUP BY l.k",
}
QUERIES = {
    **{name: (sql, sql) for name, sql in SAME.items()},
    "window above": (
        f"SELECT window_start, k, COUNT(*), SUM(v) FROM TABLE(TUMBLE(({_PADDED}), DESCRIPTOR(ts), INTERVAL '4' SECOND)) GROUP BY window_start, window_end, k",
        f"SELECT time_bucket(INTERVAL '4' SECOND, ts, TIMESTAMP '2026-01-01'), k, COUNT(*), SUM(v) FROM ({_PADDED}) GROUP BY 1, 2",
    ),
}
"""Query for Firesteel, query for DuckDB."""


def history(chance: random.Random, rows: int) -> list[Row]:
    """Rows whose times go on by up to two seconds each, and lie up to four seconds behind."""
    found, at = [], 0
    for number in range(rows):
        at += chance.choice([0, 0, 500, 1000, 2000])
        time = START + timedelta(milliseconds=at - chance.choice([0, 0, 1000, 4000]))
        found.append(("+I", number, chance.choice(["a", "a", "b", None]), chance.randint(0, 9), time))
    return found


@cache
def planned(name: str, mini_batch: bool) -> JobSpec:
    environment = TableEnvironment.create(configuration=BUNDLES if mini_batch else {})
    for table in "lr":
        environment.execute_sql(_TABLE.format(table))
    return job(environment, QUERIES[name][0])


def expected(sql: str, tables: dict[str, list[Row]]) -> Answer:
    connection = duckdb.connect(":memory:")
    for name, rows in tables.items():
        connection.execute(f"CREATE TABLE {name} (id INT, k VARCHAR, v INT, ts TIMESTAMP)")
        if rows:
            places = [row[1:] for row in rows]
            connection.executemany(f"INSERT INTO {name} VALUES (?, ?, ?, ?)", places)
    return Counter(tuple(map(text, row)) for row in connection.execute(sql).fetchall())


CUTS = st.lists(st.lists(st.sampled_from([0, 1, 2, 5, 9]), min_size=3, max_size=3), max_size=20)
"""For each micro-batch how many rows each source gives to it."""


@pytest.mark.parametrize("name", part(list(QUERIES), 4))
@settings(max_examples=examples(12), deadline=None)
@given(st.integers(0, 1 << 30), CUTS, st.sampled_from([1, 3]), st.booleans())
def test_any_cutting_leaves_duckdbs_answer(
    name: str, seed: int, cuts: list[list[int]], targets: int, mini_batch: bool
) -> None:
    chance = random.Random(seed)
    tables = {table: history(chance, chance.choice([0, 20, 60])) for table in "lr"}
    local = LocalJob(planned(name, mini_batch), {t: Rows(NAMES, rows) for t, rows in tables.items()}, targets)
    batches = local.in_batches(dict(zip(local.sources(), cut, strict=False)) for cut in cuts)
    found = folded(row for batch in batches for row in batch)
    assert found == (expected(QUERIES[name][1], tables), None)
