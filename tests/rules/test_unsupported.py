"""Plans that EXPLAIN shows and no host runs yet are refused when a job is made of them."""

from __future__ import annotations

import pytest

from firesteel.errors import NotSupportedError
from firesteel.spark.translate import translate
from tests.rules.planning import GOLDEN, plan, tables

BUNDLES = {
    "table.exec.mini-batch.enabled": "true",
    "table.exec.mini-batch.allow-latency": "3 s",
    "table.exec.mini-batch.size": "100",
}
ONE_PHASE = {**BUNDLES, "table.optimizer.agg-phase-strategy": "ONE_PHASE"}
SPLIT = {"table.optimizer.distinct-agg.split.enabled": "true"}
DUPLICATES = {**BUNDLES, "table.exec.source.cdc-events-duplicate": "true"}


@pytest.fixture(scope="module")
def catalog():
    return tables((GOLDEN / "tables.sql").read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    ("settings", "sql", "option"),
    [
        (BUNDLES, "SELECT k, COUNT(*) FROM o GROUP BY k", "table.exec.mini-batch.enabled"),
        (BUNDLES, "INSERT INTO pr SELECT DISTINCT k, b FROM o", "table.exec.mini-batch.enabled"),
        (ONE_PHASE, "SELECT k, COUNT(*) FROM o GROUP BY k", "table.exec.mini-batch.enabled"),
        (BUNDLES, "SELECT k, LAST_VALUE(q) FROM o GROUP BY k", "table.exec.mini-batch.enabled"),
        (DUPLICATES, "SELECT k, id FROM c", "table.exec.mini-batch.enabled"),
        (BUNDLES | SPLIT, "SELECT COUNT(DISTINCT q) FROM o", "table.exec.mini-batch.enabled"),
    ],
)
def test_a_plan_that_cannot_run_yet_is_refused(catalog, settings, sql: str, option: str) -> None:
    _, physical = plan(sql, catalog, settings)
    with pytest.raises(NotSupportedError, match=option):
        translate(physical)


@pytest.mark.parametrize(
    ("settings", "sql"),
    [
        (BUNDLES | SPLIT, "SELECT k, q FROM o WHERE q > 2"),
        (BUNDLES, "INSERT INTO fc SELECT k, id FROM c UNION ALL SELECT k, id FROM wt"),
        (SPLIT, "SELECT k, COUNT(q) FROM o GROUP BY k"),
        (SPLIT, "SELECT COUNT(DISTINCT q), MAX(w) FROM o"),
        (SPLIT, "SELECT COUNT(DISTINCT q), STDDEV_POP(w) FROM o"),
    ],
)
def test_what_the_options_do_not_change_runs(catalog, settings, sql: str) -> None:
    _, physical = plan(sql, catalog, settings)
    assert translate(physical).chains
