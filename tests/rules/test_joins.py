"""Plans of joins and sub-queries as Flink 2.3 prints them: tests/golden/joins, one file a theme."""

from __future__ import annotations

import pytest

from firesteel.catalog.catalog import Catalog
from tests.goldens import hold
from tests.rules.planning import GOLDEN, physical_text, tables

FOLDER = GOLDEN.parent / "joins"
CASES = [
    (path.stem, *case.split("\n----\n"))
    for path in sorted(FOLDER.glob("*.txt"))
    for case in path.read_text(encoding="utf-8").strip().split("\n\n")
]

SETTINGS = {"multi_join": {"table.optimizer.multi-join.enabled": "true"}}
"""Options of a theme."""


@pytest.fixture(scope="module")
def catalog() -> Catalog:
    return tables((FOLDER / "tables.sql").read_text(encoding="utf-8"))


@pytest.mark.parametrize(("theme", "sql", "expected"), CASES)
def test_plan_is_flinks(theme: str, sql: str, expected: str, catalog: Catalog) -> None:
    found = physical_text(sql, catalog, True, SETTINGS.get(theme))
    hold(FOLDER / f"{theme}.txt", (sql, expected), found)
