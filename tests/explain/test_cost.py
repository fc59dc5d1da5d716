"""EXPLAIN ESTIMATED_COST: tests/golden/explain/cost.txt has queries and what Flink 2.3 estimates.

The file begins with the tables. A case is the query, or settings and the query, a line `----`, and the
optimized physical plan.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from firesteel.catalog.catalog import Catalog
from firesteel.errors import NotSupportedError
from firesteel.explain import explain
from tests.goldens import hold
from tests.rules.planning import plan, section, tables

GOLDEN = Path(__file__).parents[1] / "golden" / "explain" / "cost.txt"
DDL, *CASES = GOLDEN.read_text(encoding="utf-8").strip().split("\n\n")
MINI_BATCH = {
    "table.exec.mini-batch.enabled": "true",
    "table.exec.mini-batch.allow-latency": "5s",
    "table.exec.mini-batch.size": "100",
    "table.optimizer.agg-phase-strategy": "TWO_PHASE",
}


@pytest.fixture(scope="module")
def catalog() -> Catalog:
    return tables(DDL)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.split("\n")[0][:80])
def test_estimates_are_flinks(case: str, catalog: Catalog) -> None:
    sql, expected = case.split("\n----\n")
    settings = MINI_BATCH if sql.startswith("MINI-BATCH ") else {}
    text = explain(*plan(sql.removeprefix("MINI-BATCH "), catalog, settings), {"ESTIMATED_COST"})
    hold(GOLDEN, (sql, expected), section(text, "Optimized Physical Plan"))


def test_an_estimate_comes_after_the_changelog_mode(catalog: Catalog) -> None:
    text = explain(*plan("SELECT k FROM p", catalog), {"ESTIMATED_COST", "CHANGELOG_MODE"})
    assert "fields=[k], changelogMode=[I]): rowcount = 1.0E8, cumulative cost = {1.0E8 rows" in text


def test_a_condition_that_follows_another_on_its_column_is_not_estimated(catalog: Catalog) -> None:
    sql = "SELECT k, v, COUNT(*) FROM p WHERE v > 1 GROUP BY ROLLUP (k, v) HAVING v < 10"
    with pytest.raises(NotSupportedError, match="ESTIMATED_COST of a condition on a column"):
        explain(*plan(sql, catalog), {"ESTIMATED_COST"})
