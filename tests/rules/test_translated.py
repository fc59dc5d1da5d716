"""The operators of the jobs that mini-batches and split DISTINCT aggregates make."""

from __future__ import annotations

import pytest

from firesteel.job.lower.job import TranslateOptions, translate
from firesteel.runtime.spec.join import JoinSpec
from tests.rules.planning import GOLDEN, plan, tables

BUNDLES = {
    "table.exec.mini-batch.enabled": "true",
    "table.exec.mini-batch.allow-latency": "3 s",
    "table.exec.mini-batch.size": "100",
}
ONE_PHASE = {**BUNDLES, "table.optimizer.agg-phase-strategy": "ONE_PHASE"}
SPLIT = {"table.optimizer.distinct-agg.split.enabled": "true"}
APART = {"table.optimizer.incremental-agg-enabled": "false"}
DUPLICATES = {**BUNDLES, "table.exec.source.cdc-events-duplicate": "true"}
_COUNTS = """INSERT INTO ups SELECT a.k, b.n FROM (SELECT k, COUNT(*) AS n FROM o GROUP BY k) AS a
JOIN (SELECT k, COUNT(*) AS n FROM c GROUP BY k) AS b ON a.k = b.k"""


@pytest.fixture(scope="module")
def catalog():
    return tables((GOLDEN / "tables.sql").read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    ("settings", "sql", "operators"),
    [
        (BUNDLES, "SELECT k, COUNT(*) FROM o GROUP BY k", "Local | Global"),
        (BUNDLES, "INSERT INTO pr SELECT DISTINCT k, b FROM o", "Local | Global"),
        (ONE_PHASE, "SELECT k, COUNT(*) FROM o GROUP BY k", "| Group"),
        (BUNDLES, "SELECT k, LAST_VALUE(q) FROM o GROUP BY k", "| Group"),
        (DUPLICATES, "SELECT k, id FROM c", "DropUpdateBefore | ChangelogNormalize"),
        (BUNDLES | SPLIT, "SELECT COUNT(DISTINCT q) FROM o", "Local | Incremental | Global"),
        (BUNDLES | SPLIT | APART, "SELECT COUNT(DISTINCT q) FROM o", "Local | Global Local | Global"),
    ],
)
def test_operators(catalog, settings, sql: str, operators: str) -> None:
    """Chains are apart by `|`."""
    _, physical = plan(sql, catalog, settings)
    names = [
        [type(each).__name__.removesuffix("Spec").removesuffix("GroupAggregate") or "Group" for each in chain]
        for chain in (chain.operators for chain in translate([physical], TranslateOptions(bundle=100)).chains)
    ]
    shown = (" ".join(name for name in chain if name not in ("Calc", "MiniBatchAssigner")) for chain in names)
    assert " | ".join(shown).strip() == operators


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
    assert translate([physical]).chains


@pytest.mark.parametrize(
    ("sql", "folds"),
    [
        ("SELECT a.k, b.q FROM c AS a JOIN c AS b ON a.id = b.b", (100, 100)),
        ("SELECT a.k, b.q FROM o AS a LEFT JOIN c AS b ON a.id = b.b", (100, 100)),
        (
            "SELECT a.k, n FROM o AS a JOIN (SELECT k, COUNT(*) AS n FROM o GROUP BY k) AS b ON a.k = b.k",
            (100, 100),
        ),
        (_COUNTS, (0, 0)),
    ],
)
def test_joins_fold_what_has_the_old_row_of_each_update(catalog, sql: str, folds: tuple[int, int]) -> None:
    _, physical = plan(sql, catalog, BUNDLES, collect=True)
    chains = translate([physical], TranslateOptions(bundle=100)).chains
    (join,) = (each for chain in chains for each in chain.operators if isinstance(each, JoinSpec))
    assert join.folds == folds
