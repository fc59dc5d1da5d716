"""Several joins by one key: what they are planned as, and the joins that run."""

from __future__ import annotations

from pathlib import Path

import pytest

from firesteel.catalog.catalog import Catalog
from firesteel.job.lower.job import translate
from firesteel.plan.nodes.multi_join.physical import MultiJoin
from firesteel.plan.tree import walk
from firesteel.runtime.spec.join import JoinKind, JoinSpec
from tests.rules.planning import plan, tables

TABLES = Path(__file__).parents[1] / "golden" / "joins" / "tables.sql"
ENABLED = {"table.optimizer.multi-join.enabled": "true"}
BUNDLES = {
    "table.exec.mini-batch.enabled": "true",
    "table.exec.mini-batch.allow-latency": "3 s",
    "table.exec.mini-batch.size": "100",
}
THREE = "l.id, r.v, c.v FROM l JOIN r ON l.id = r.id LEFT JOIN c ON l.id = c.id"


@pytest.fixture(scope="module")
def catalog() -> Catalog:
    return tables(TABLES.read_text(encoding="utf-8"))


def inputs(sql: str, catalog: Catalog, settings: dict[str, str]) -> list[int]:
    """How many inputs each join of several has."""
    _, physical = plan(sql, catalog, settings)
    return [len(node.inputs) for node in walk(physical) if isinstance(node, MultiJoin)]


@pytest.mark.parametrize("more", [{}, BUNDLES])
def test_it_runs_as_joins_with_the_state_that_their_inputs_allow(
    more: dict[str, str], catalog: Catalog
) -> None:
    sql = f"SELECT /*+ STATE_TTL('c' = '1 s') */ {THREE}"
    assert inputs(sql, catalog, ENABLED) == [3]
    _, physical = plan(sql, catalog, ENABLED | more)
    operators = [spec for chain in translate([physical]).chains for spec in chain.operators]
    joins = [spec for spec in operators if isinstance(spec, JoinSpec)]
    assert [spec.kind for spec in joins] == [JoinKind.INNER, JoinKind.LEFT]
    assert all(side.has_one_row for spec in joins for side in spec.inputs)
    assert [[side.ttl for side in spec.inputs] for spec in joins] == [[0, 0], [0, 1000]]


@pytest.mark.parametrize(
    ("hint", "expected"),
    [
        ("", []),
        ("/*+ MULTI_JOIN(l, r, c) */", [3]),
        ("/*+ MULTI_JOIN(l, r) */", [2]),
        ("/*+ MULTI_JOIN(l) */", []),
    ],
)
def test_a_hint_asks_for_it(hint: str, expected: list[int], catalog: Catalog) -> None:
    assert inputs(f"SELECT {hint} {THREE}", catalog, {}) == expected


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("SELECT l.id FROM l JOIN r ON l.k = r.k JOIN c ON l.g = c.g", [2, 2]),
        ("SELECT l.id FROM l JOIN r ON l.k = r.k AND l.g = r.g JOIN c ON l.g = c.g", [3]),
        ("SELECT l.id FROM l JOIN r ON l.k = r.k JOIN c ON r.k = c.k AND l.v < c.v WHERE l.v + r.v > 3", [3]),
        ("SELECT l.id FROM l FULL JOIN r ON l.k = r.k", []),
        ("SELECT id FROM l WHERE k IN (SELECT k FROM r)", []),
    ],
)
def test_a_common_key_brings_joins_together(sql: str, expected: list[int], catalog: Catalog) -> None:
    assert inputs(sql, catalog, ENABLED) == expected
