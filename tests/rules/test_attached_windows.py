"""Plans of ranks, deduplication and joins of windows as Flink 2.3 prints them, and its refusals.

The files are in tests/golden/attached_windows. A case is the statement, a line `----`, and the physical plan
or the message of Flink's refusal. A blank line ends a case.
"""

from __future__ import annotations

import pytest

from firesteel.catalog.catalog import Catalog
from firesteel.errors import ValidationError
from firesteel.explain import explain
from tests.rules.planning import GOLDEN, plan, section, tables

FOLDER = GOLDEN.parent / "attached_windows"
BUNDLES = {
    "table.exec.mini-batch.enabled": "true",
    "table.exec.mini-batch.allow-latency": "5 s",
    "table.exec.mini-batch.size": "100",
}
OPTIONS: dict[str, dict[str, str]] = {"joins": {}, "ranks": {}, "mini_batch": BUNDLES}


def _cases(theme: str) -> list[list[str]]:
    text = (FOLDER / f"{theme}.txt").read_text(encoding="utf-8")
    return [case.split("\n----\n") for case in text.strip().split("\n\n")]


@pytest.fixture(scope="module")
def catalog() -> Catalog:
    return tables((FOLDER / "tables.sql").read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    ("theme", "case"), [(t, c) for t in OPTIONS for c in _cases(t)], ids=lambda value: str(value[0])[:90]
)
def test_plan_is_flinks(theme: str, case: list[str], catalog: Catalog) -> None:
    sql, expected = case
    bound, physical = plan(sql, catalog, OPTIONS[theme])
    text = explain(bound, physical, {"CHANGELOG_MODE"}, OPTIONS[theme])
    assert section(text, "Optimized Physical Plan") == expected


@pytest.mark.parametrize("case", _cases("refused"), ids=lambda case: case[0][:90])
def test_flink_refuses(case: list[str], catalog: Catalog) -> None:
    sql, message = case
    with pytest.raises(ValidationError) as refused:
        plan(sql, catalog)
    assert message in refused.value.message
