"""However the inputs are cut into micro-batches and alternate, the changes are valid and leave one answer."""

from __future__ import annotations

import random
from functools import cache

# ruff: noqa: E501 - queries are data
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firesteel.job.spec import JobSpec
from tests.properties.joins.histories import Table, history
from tests.properties.joins.oracle import Oracle
from tests.properties.joins.queries import Query
from tests.properties.joins.trial import BUNDLES, Case, folded, planned
from tests.properties.local_job import LocalJob
from tests.scale import examples, part

PLANS = {
    "inner": "SELECT l.id, l.v, r.id, r.v FROM l JOIN r ON l.k = r.k",
    "left": "SELECT l.id, l.v, r.id, r.v FROM l LEFT JOIN r ON l.k = r.k",
    "right, with a condition": "SELECT l.id, r.v FROM l RIGHT JOIN r ON l.k = r.k AND l.v < r.v",
    "full, with a condition": "SELECT l.id, r.v FROM l FULL JOIN r ON l.k = r.k AND l.v < r.v",
    "full": "SELECT l.v, r.v FROM l FULL JOIN r ON l.k = r.k",
    "not by key": "SELECT l.id, r.id FROM l LEFT JOIN r ON l.v > r.v + 4",
    "nested": "SELECT l.id, r.v, q.v FROM l LEFT JOIN r ON l.k = r.k FULL JOIN l AS q ON r.n = q.n AND q.v > 5",
    "of aggregates": "SELECT a.n, b.n FROM (SELECT k, COUNT(*) AS n FROM l GROUP BY k) AS a FULL JOIN "
    "(SELECT k, COUNT(*) AS n FROM r GROUP BY k) AS b ON a.k = b.k",
    "aggregate above": "SELECT l.k, COUNT(r.id), SUM(r.v) FROM l LEFT JOIN r ON l.k = r.k GROUP BY l.k",
    "in": "SELECT id, v FROM l WHERE k IN (SELECT k FROM r WHERE v > 0)",
    "not in": "SELECT id, v FROM l WHERE k NOT IN (SELECT k FROM r WHERE v > 5)",
    "exists": "SELECT id, v FROM l WHERE EXISTS (SELECT 1 FROM r WHERE r.k = l.k AND r.v > l.v)",
    "not exists": "SELECT id, v FROM l WHERE NOT EXISTS (SELECT 1 FROM r WHERE r.k = l.k)",
    "in as a value": "SELECT id, n IN (SELECT n FROM r) FROM l",
    "one value": "SELECT id, (SELECT COUNT(*) FROM r WHERE r.k = l.k), (SELECT MAX(v) FROM r WHERE r.k = l.k) FROM l",
    "greater than one value": "SELECT id, v FROM l WHERE v > (SELECT MIN(v) FROM r WHERE r.k = l.k)",
}
"""A plan for each operator and each kind of sub-query."""


@cache
def _case(name: str) -> Case:
    rng = random.Random("cuttings")
    tables: list[Table] = []
    while not all(len(table.live) > 3 for table in tables) or not tables:
        tables = [history(rng, table, 25) for table in "lr"]
    return Case(name, tables, Query(PLANS[name], ()), Oracle(tables).rows(PLANS[name]))


@cache
def _job(name: str, mini_batch: bool) -> JobSpec:
    return planned(_case(name), BUNDLES if mini_batch else {})


CUTS = st.lists(st.lists(st.sampled_from([0, 0, 1, 2, 3, 9]), min_size=4, max_size=4), max_size=12)
"""For each micro-batch how many rows each source gives to it."""


@pytest.mark.parametrize("name", part(list(PLANS), 8))
@settings(max_examples=examples(16), deadline=None)
@given(cuts=CUTS, targets=st.sampled_from([1, 3]), mini_batch=st.booleans())
def test_any_cutting_is_valid(name: str, cuts: list[list[int]], targets: int, mini_batch: bool) -> None:
    made = _case(name)
    local = LocalJob(_job(name, mini_batch), {table.name: table.rows for table in made.tables}, targets)
    batches = local.in_batches(dict(zip(local.sources(), cut, strict=False)) for cut in cuts)
    assert folded(row for batch in batches for row in batch) == (made.expected, None)
