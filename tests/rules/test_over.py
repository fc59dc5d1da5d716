"""Plans of OVER and of ORDER BY as Flink 2.3 prints them, and its refusals: the files of tests/golden/over.

A case is the statement, a line `----`, and the abstract syntax tree, `----`, and the physical plan; or what
Flink says where it refuses the statement. A blank line ends a case.
"""

from __future__ import annotations

import pytest

from firesteel.errors import NotSupportedError, ValidationError
from firesteel.explain import explain
from firesteel.plan.nodes.rank.physical import Rank
from firesteel.plan.tree import walk
from tests.goldens import hold
from tests.rules.planning import GOLDEN, plan, tables, tree_and_plan

FOLDER = GOLDEN.parent / "over"
BUNDLES = {
    "table.exec.mini-batch.enabled": "true",
    "table.exec.mini-batch.allow-latency": "4 s",
    "table.exec.mini-batch.size": "500",
}
OPTIONS = {"plans": {}, "sorts": {}, "mini_batch": BUNDLES}


def _cases(theme: str) -> list[list[str]]:
    text = (FOLDER / f"{theme}.txt").read_text(encoding="utf-8")
    return [case.split("\n----\n") for case in text.strip().split("\n\n")]


@pytest.fixture(scope="module")
def catalog():
    return tables((FOLDER / "tables.sql").read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    ("theme", "case"), [(t, c) for t in OPTIONS for c in _cases(t)], ids=lambda value: str(value[0])[:90]
)
def test_plan_is_flinks(theme: str, case: list[str], catalog) -> None:
    sql = case[0]
    bound, physical = plan(sql, catalog, OPTIONS[theme])
    text = explain(bound, physical, {"CHANGELOG_MODE"}, OPTIONS[theme])
    hold(FOLDER / f"{theme}.txt", case, *tree_and_plan(text))


@pytest.mark.parametrize("case", _cases("refused"), ids=lambda case: case[0][:90])
def test_flink_refuses(case: list[str], catalog) -> None:
    sql, message = case
    with pytest.raises(ValidationError) as refused:
        plan(sql, catalog)
    assert message in refused.value.message


@pytest.mark.parametrize("bound", ["rn <= 3", "rn = 1", "3 >= rn", "rn BETWEEN 2 AND 3"])
def test_a_bound_on_the_row_number_is_a_rank(bound: str, catalog) -> None:
    ranked = "SELECT uid, ROW_NUMBER() OVER (PARTITION BY uid ORDER BY cost) AS rn FROM clicks"
    _, physical = plan(f"SELECT uid FROM ({ranked}) WHERE {bound}", catalog)
    assert any(isinstance(node, Rank) for node in walk(physical))


@pytest.mark.parametrize(
    ("query", "what"),
    [
        ("SELECT LAG(cost, uid) OVER (PARTITION BY uid ORDER BY ts) FROM clicks", "no literal"),
        ("SELECT SUM(cost) OVER (ORDER BY ts ROWS 1 + 1 PRECEDING) FROM clicks", "no literal"),
        (
            "SELECT SUM(cost) OVER (ORDER BY ts RANGE INTERVAL '1' SECOND * 2 PRECEDING) FROM clicks",
            "no literal",
        ),
        ("SELECT SUM(cost) OVER (ORDER BY ts ROWS INTERVAL '1' SECOND PRECEDING) FROM clicks", "an interval"),
    ],
)
def test_not_yet(query: str, what: str, catalog) -> None:
    with pytest.raises(NotSupportedError, match=what) as refused:
        plan(query, catalog)
    assert refused.value.range is not None
