"""Aggregates, semi and anti joins over joins: tests/golden/transposed has queries and the plans of Flink 2.3.

A file begins with the tables. A case is the query, a line `----`, and the optimized physical plan.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from firesteel.catalog.catalog import Catalog
from firesteel.explain import explain
from tests.goldens import hold
from tests.rules.planning import plan, section, tables

GOLDEN = Path(__file__).parents[1] / "golden" / "transposed"


def _read(theme: str) -> list[str]:
    return (GOLDEN / f"{theme}.txt").read_text(encoding="utf-8").strip().split("\n\n")


CASES = [(theme, case) for theme in ("aggregates", "semi_joins") for case in _read(theme)[1:]]


@pytest.fixture(scope="module")
def catalog() -> Catalog:
    return tables(_read("aggregates")[0])


@pytest.mark.parametrize(("theme", "case"), CASES, ids=lambda text: text.split("\n")[0][:80])
def test_plan_is_flinks(theme: str, case: str, catalog: Catalog) -> None:
    sql, expected = case.split("\n----\n")
    text = explain(*plan(sql, catalog), {"CHANGELOG_MODE"})
    hold(GOLDEN / f"{theme}.txt", (sql, expected), section(text, "Optimized Physical Plan"))


def test_an_aggregate_stays_above_a_join_without_a_condition(catalog: Catalog) -> None:
    """An input without columns to group by would be one row, also if it is empty."""
    text = explain(*plan("SELECT DISTINCT o.qty FROM orders o, ap", catalog), set())
    assert section(text, "Optimized Physical Plan").count("GroupAggregate") == 1


def test_an_aggregate_with_a_time_to_live_stays_above_its_join(catalog: Catalog) -> None:
    hint = "/*+ STATE_TTL('c' = '1d', 'o' = '1d') */"
    sql = f"SELECT {hint} c.city FROM custs c JOIN orders o ON c.cust = o.cust GROUP BY c.city"
    text = explain(*plan(sql, catalog), set())
    assert section(text, "Optimized Physical Plan").count("GroupAggregate") == 1
