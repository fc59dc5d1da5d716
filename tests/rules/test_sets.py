"""Plans of INTERSECT and EXCEPT as Flink 2.3 prints them, and its refusals: the files of tests/golden/sets.

A case is the statement, a line `----`, and the abstract syntax tree, `----`, and the physical plan; or the
message of Flink's refusal. A blank line ends a case.
"""

from __future__ import annotations

import pytest

from firesteel.catalog.catalog import Catalog
from firesteel.errors import FiresteelError
from firesteel.explain import explain
from tests.goldens import hold
from tests.rules.planning import GOLDEN, physical_text, plan, tables, tree_and_plan

FOLDER = GOLDEN.parent / "sets"


def _cases(theme: str) -> list[list[str]]:
    text = (FOLDER / f"{theme}.txt").read_text(encoding="utf-8")
    return [case.split("\n----\n") for case in text.strip().split("\n\n")]


@pytest.fixture(scope="module")
def catalog() -> Catalog:
    return tables((FOLDER / "tables.sql").read_text(encoding="utf-8"))


@pytest.mark.parametrize("case", _cases("plans"), ids=lambda case: case[0][:90])
def test_plan_is_flinks(case: list[str], catalog: Catalog) -> None:
    sql = case[0]
    bound, physical = plan(sql, catalog)
    text = explain(bound, physical, {"CHANGELOG_MODE"})
    hold(FOLDER / "plans.txt", case, *tree_and_plan(text))


@pytest.mark.parametrize("case", _cases("refused"), ids=lambda case: case[0][:90])
def test_flink_refuses(case: list[str], catalog: Catalog) -> None:
    sql, message = case
    with pytest.raises(FiresteelError) as refused:
        plan(sql, catalog)
    assert message in refused.value.message


@pytest.mark.parametrize("operator", ["INTERSECT ALL", "EXCEPT ALL"])
def test_columns_that_nobody_reads_still_tell_rows_apart(operator: str, catalog: Catalog) -> None:
    """Flink moves the projection below, and counts other rows (Calcite: ProjectSetOpTransposeRule)."""
    sql = f"SELECT item FROM (SELECT cust, item FROM orders {operator} SELECT cust, name FROM custs)"
    assert "groupBy=[cust, item]" in physical_text(sql, catalog)


def test_mini_batches_leave_the_text_of_rows_of_counts(catalog: Catalog) -> None:
    settings = {"table.exec.mini-batch.enabled": "true", "table.exec.mini-batch.allow-latency": "1 s"}
    settings |= {"table.exec.mini-batch.size": "5"}
    text = physical_text(
        "SELECT cust FROM orders EXCEPT ALL SELECT cust FROM custs", catalog, False, settings
    )
    assert "rowType=[RecordType(BIGINT sum_vcol_marker, INTEGER cust, INTEGER cust0)]" in text
    assert "GlobalGroupAggregate" in text
