"""Plans of ranks, deduplication and joins of windows as Flink 2.3 prints them, and its refusals.

The files are in tests/golden/attached_windows. A case is the statement, a line `----`, and the physical plan
or the message of Flink's refusal. A blank line ends a case.
"""

from __future__ import annotations

import pytest

from firesteel.catalog.catalog import Catalog
from firesteel.errors import ValidationError
from firesteel.explain import explain
from firesteel.plan.nodes.physical import Calc, GroupAggregate
from firesteel.plan.nodes.rank.physical import Rank
from firesteel.plan.nodes.window_join.physical import WindowJoin
from firesteel.plan.tree import Node, walk
from tests.goldens import hold
from tests.rules.planning import GOLDEN, plan, section, tables

FOLDER = GOLDEN.parent / "attached_windows"
BUNDLES = {
    "table.exec.mini-batch.enabled": "true",
    "table.exec.mini-batch.allow-latency": "5 s",
    "table.exec.mini-batch.size": "100",
}
OPTIONS: dict[str, dict[str, str]] = {"joins": {}, "numbers": {}, "ranks": {}, "mini_batch": BUNDLES}


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
    bound, physical = plan(case[0], catalog, OPTIONS[theme])
    text = explain(bound, physical, {"CHANGELOG_MODE"}, OPTIONS[theme])
    hold(FOLDER / f"{theme}.txt", case, section(text, "Optimized Physical Plan"))


@pytest.mark.parametrize("case", _cases("refused"), ids=lambda case: case[0][:90])
def test_flink_refuses(case: list[str], catalog: Catalog) -> None:
    sql, message = case
    with pytest.raises(ValidationError) as refused:
        plan(sql, catalog)
    assert message in refused.value.message


JOINED = (
    "SELECT x.k, y.v, y.window_start AS ws, y.window_end AS we FROM TABLE(TUMBLE(TABLE l, DESCRIPTOR(ts), "
    "INTERVAL '10' SECOND)) AS x LEFT JOIN TABLE(TUMBLE(TABLE r, DESCRIPTOR(ts), INTERVAL '10' SECOND)) AS y "
    "ON x.k = y.k AND x.window_start = y.window_start AND x.window_end = y.window_end"
)
"""Rows whose window is NULL where there is no partner."""


@pytest.mark.parametrize(
    ("sql", "node"),
    [
        (f"SELECT ws, we, COUNT(*) FROM ({JOINED}) GROUP BY ws, we", GroupAggregate),
        (f"SELECT * FROM ({JOINED}) QUALIFY ROW_NUMBER() OVER (PARTITION BY ws, we ORDER BY v) <= 2", Rank),
        (
            f"SELECT a.v FROM ({JOINED}) AS a JOIN TABLE(TUMBLE(TABLE m, DESCRIPTOR(ts), INTERVAL '10' "
            "SECOND)) AS m ON a.k = m.k AND a.ws IS NOT DISTINCT FROM m.window_start AND a.we = m.window_end",
            WindowJoin,
        ),
        (
            f"SELECT a.v FROM ({JOINED}) AS a JOIN TABLE(TUMBLE(TABLE m, DESCRIPTOR(ts), INTERVAL '10' "
            "SECOND)) AS m ON a.k = m.k AND a.ws = m.window_start AND a.we = m.window_end",
            WindowJoin,
        ),
    ],
)
def test_rows_without_a_window_are_not_lost(sql: str, node: type[Node], catalog: Catalog) -> None:
    """A join takes them for rows without a partner. Flink plans operators of windows, which lose them."""
    _, physical = plan(sql, catalog)
    below = next(each for each in walk(physical) if not isinstance(each, Calc))
    assert isinstance(below, node)
