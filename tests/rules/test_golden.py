"""Queries and the physical plans that Flink 2.3 prints for them: tests/golden/rules, one file a theme.

A case is the statement, a line `----`, and the plan; a blank line ends it.
"""

from __future__ import annotations

import pytest

from tests.goldens import hold
from tests.rules.planning import GOLDEN, physical_text, tables

THEMES = sorted(path for path in GOLDEN.glob("*.txt"))


def _cases() -> list[tuple[str, str, str]]:
    cases = []
    for path in THEMES:
        for case in path.read_text(encoding="utf-8").strip().split("\n\n"):
            sql, expected = case.split("\n----\n")
            cases.append((path.stem, sql, expected))
    return cases


@pytest.fixture(scope="module")
def catalog():
    return tables((GOLDEN / "tables.sql").read_text(encoding="utf-8"))


@pytest.mark.parametrize(("theme", "sql", "expected"), _cases(), ids=lambda value: value[:70])
def test_plan_is_flinks(theme: str, sql: str, expected: str, catalog) -> None:
    hold(GOLDEN / f"{theme}.txt", (sql, expected), physical_text(sql, catalog))
