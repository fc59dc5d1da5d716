"""Plans of interval joins as Flink 2.3 prints them, and refusals: the files of tests/golden/interval_joins.

A case is the statement, a line `----`, and the abstract syntax tree, `----`, and the physical plan; with
mini-batches the physical plan alone; or the message of Flink's refusal. A blank line ends a case.
"""

from __future__ import annotations

import pytest

from firesteel.catalog.catalog import Catalog
from firesteel.errors import FiresteelError
from firesteel.explain import explain
from firesteel.plan.nodes.interval_join.physical import IntervalBounds, IntervalJoin
from firesteel.plan.tree import walk
from tests.goldens import hold
from tests.rules.planning import GOLDEN, physical_text, plan, tables, tree_and_plan

FOLDER = GOLDEN.parent / "interval_joins"
_DAY = 86_400_000
BUNDLES = {
    "table.exec.mini-batch.enabled": "true",
    "table.exec.mini-batch.allow-latency": "5 s",
    "table.exec.mini-batch.size": "10",
}


def _cases(theme: str) -> list[list[str]]:
    text = (FOLDER / f"{theme}.txt").read_text(encoding="utf-8")
    return [case.split("\n----\n") for case in text.strip().split("\n\n")]


@pytest.fixture(scope="module")
def catalog() -> Catalog:
    return tables((FOLDER / "tables.sql").read_text(encoding="utf-8"))


@pytest.mark.parametrize("case", _cases("plans"), ids=lambda case: case[0][:150])
def test_plan_is_flinks(case: list[str], catalog: Catalog) -> None:
    sql = case[0]
    bound, physical = plan(sql, catalog)
    text = explain(bound, physical, {"CHANGELOG_MODE"})
    hold(FOLDER / "plans.txt", case, *tree_and_plan(text))


@pytest.mark.parametrize("case", _cases("mini_batch"), ids=lambda case: case[0][:150])
def test_mini_batches_below_a_join_by_row_time_end_with_watermarks(case: list[str], catalog: Catalog) -> None:
    found = physical_text(case[0], catalog, changelog=True, settings=BUNDLES)
    hold(FOLDER / "mini_batch.txt", case, found)


@pytest.mark.parametrize("case", _cases("refused"), ids=lambda case: case[0][:150])
def test_flink_refuses(case: list[str], catalog: Catalog) -> None:
    sql, message = case
    with pytest.raises(FiresteelError) as refused:
        plan(sql, catalog)
    assert message == refused.value.message


@pytest.mark.parametrize(
    ("sql", "at"),
    [
        ("SELECT l.id FROM l JOIN z ON l.k = z.k AND l.ts BETWEEN z.ts AND z.ts + INTERVAL '5' DAY", "l.ts"),
        ("SELECT l.ts FROM l JOIN r ON l.k = r.k AND l.pt BETWEEN r.pt AND r.pt + INTERVAL '5' DAY", "l.pt"),
    ],
)
def test_an_error_stands_where_the_bounds_are(sql: str, at: str, catalog: Catalog) -> None:
    with pytest.raises(FiresteelError) as refused:
        plan(sql, catalog)
    assert refused.value.range is not None
    assert sql[refused.value.range.start :].startswith(at)


@pytest.mark.parametrize(
    ("bounds", "lower", "upper"),
    [
        ("l.ts BETWEEN r.ts AND r.ts + INTERVAL '1' DAY", 0, _DAY),
        ("l.ts > r.ts - INTERVAL '1' SECOND AND l.ts < r.ts + INTERVAL '1' SECOND", -999, 999),
        ("r.ts >= l.ts AND r.ts < l.ts + INTERVAL '10' SECOND", -9999, 0),
        ("r.ts + INTERVAL '3' SECOND <= l.ts AND INTERVAL '9' SECOND + r.ts > l.ts", 3000, 8999),
        ("l.ts BETWEEN r.ts - INTERVAL '3' SECOND * 2 AND r.ts", -6000, 0),
        ("l.ts BETWEEN r.ts - INTERVAL '14' MONTH AND r.ts + INTERVAL '1' YEAR", -426 * _DAY, 365 * _DAY),
        ("l.ts BETWEEN r.ts + INTERVAL '3' SECOND AND r.ts", 3000, 0),
    ],
)  # fmt: skip
def test_bounds(bounds: str, lower: int, upper: int, catalog: Catalog) -> None:
    _, physical = plan(f"SELECT l.id, r.id FROM l JOIN r ON l.k = r.k AND {bounds}", catalog)
    (join,) = [node for node in walk(physical) if isinstance(node, IntervalJoin)]
    assert join.bounds == IntervalBounds(True, lower, upper, 2, 2)


@pytest.mark.parametrize(
    "bounds",
    [
        "l.ts BETWEEN r.ts AND r.ts + INTERVAL '5' SECOND * r.v",
        "l.ts BETWEEN FLOOR(r.ts TO MINUTE) AND r.ts + INTERVAL '5' SECOND",
        "l.ts BETWEEN CAST(r.ts AS TIMESTAMP(0)) AND r.ts + INTERVAL '5' SECOND",
        "l.ts <= r.ts AND l.ts < r.ts + INTERVAL '5' SECOND",
        "(l.ts >= r.ts AND l.ts < r.ts + INTERVAL '5' SECOND OR l.v = 1)",
    ],
)
def test_bounds_that_rows_decide_leave_a_regular_join(bounds: str, catalog: Catalog) -> None:
    text = physical_text(f"SELECT l.id, r.id FROM l JOIN r ON l.k = r.k AND {bounds}", catalog)
    assert "+- Join(" in text
    assert "IntervalJoin" not in text
