"""EXPLAIN PLAN_ADVICE of joins as Flink 2.3 answers: tests/golden/explain/join_advice.txt."""

from __future__ import annotations

import pytest

from firesteel.catalog.catalog import Catalog
from firesteel.explain import explain
from tests.goldens import hold
from tests.rules.planning import GOLDEN, plan, section, tables

PATH = GOLDEN.parent / "explain" / "join_advice.txt"
CASES = PATH.read_text(encoding="utf-8").strip().split("\n\n")


@pytest.fixture(scope="module")
def catalog() -> Catalog:
    return tables((GOLDEN.parent / "joins" / "tables.sql").read_text(encoding="utf-8"))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.split("\n")[0])
def test_advice_is_flinks(case: str, catalog: Catalog) -> None:
    sql, expected = case.split("\n----\n")
    text = explain(*plan(sql, catalog), {"PLAN_ADVICE"}, {})
    found = section(text, "Optimized Physical Plan With Advice")
    hold(PATH, (sql, expected), "\n".join(line for line in found.splitlines() if line))
