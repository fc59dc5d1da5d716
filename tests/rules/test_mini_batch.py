"""Plans under the mini-batch options: tests/golden/mini_batch, one file for each set of options.

A case is the statement, a line `----`, and the plan with its changelog modes; a blank line ends it.
"""

from __future__ import annotations

import itertools

import pytest

from firesteel.errors import ValidationError
from firesteel.explain import explain
from firesteel.plan.nodes.physical import GlobalGroupAggregate, GroupAggregate, MiniBatchAssigner
from firesteel.plan.properties.mini_batch import NO_MINI_BATCH, NONE, PROC_TIME, ROW_TIME, Interval
from firesteel.plan.tree import walk
from tests.goldens import hold
from tests.rules.planning import GOLDEN, physical_text, plan, section, tables

ENABLED, LATENCY, SIZE = (f"table.exec.mini-batch.{name}" for name in ("enabled", "allow-latency", "size"))
BUNDLES = {ENABLED: "true", LATENCY: "3 s", SIZE: "100"}
SPLIT = {"table.optimizer.distinct-agg.split.enabled": "true"}
OPTIONS = {
    "two_phase": BUNDLES,
    "one_phase": {**BUNDLES, "table.optimizer.agg-phase-strategy": "ONE_PHASE"},
    "split": {**SPLIT, "table.optimizer.distinct-agg.split.bucket-num": "16"},
    "incremental": {**BUNDLES, **SPLIT},
    "not_incremental": {**BUNDLES, **SPLIT, "table.optimizer.incremental-agg-enabled": "false"},
}


def _cases() -> list[tuple[str, str, str]]:
    cases = []
    for theme in OPTIONS:
        text = (GOLDEN.parent / "mini_batch" / f"{theme}.txt").read_text(encoding="utf-8")
        for case in text.strip().split("\n\n"):
            sql, expected = case.split("\n----\n")
            cases.append((theme, sql, expected))
    return cases


@pytest.fixture(scope="module")
def catalog():
    return tables((GOLDEN / "tables.sql").read_text(encoding="utf-8"))


@pytest.mark.parametrize(("theme", "sql", "expected"), _cases(), ids=lambda value: value[:70])
def test_plan_under_the_options(theme: str, sql: str, expected: str, catalog) -> None:
    found = physical_text(sql, catalog, changelog=True, settings=OPTIONS[theme])
    hold(GOLDEN.parent / "mini_batch" / f"{theme}.txt", (sql, expected), found)


@pytest.mark.parametrize("sql", ["SELECT k, COUNT(*) FROM o GROUP BY k", "SELECT k FROM o WHERE q > 1"])
def test_a_latency_is_required_of_every_query(catalog, sql: str) -> None:
    with pytest.raises(ValidationError) as refused:
        plan(sql, catalog, {ENABLED: "true", SIZE: "100"})
    assert refused.value.message == "MiniBatch Latency must be greater than 0 ms. [null]"


def test_a_size_is_required_where_rows_are_bundled(catalog) -> None:
    settings = {ENABLED: "true", LATENCY: "3 s"}
    with pytest.raises(ValidationError) as refused:
        plan("SELECT k, COUNT(*) FROM o GROUP BY k", catalog, settings)
    assert refused.value.message == (
        "Key: 'table.exec.mini-batch.size' , default: -1 (fallback keys: []) must be > 0."
    )
    plan("SELECT k FROM o WHERE q > 1", catalog, settings)


def test_two_phases_need_mini_batches(catalog) -> None:
    sql, settings = (
        "SELECT k, COUNT(*) FROM o GROUP BY k",
        {"table.optimizer.agg-phase-strategy": "TWO_PHASE"},
    )
    assert isinstance(plan(sql, catalog, settings)[1], GroupAggregate)
    assert isinstance(plan(sql, catalog, {**settings, **BUNDLES})[1], GlobalGroupAggregate)


def test_one_phase_under_mini_batches_bundles_rows(catalog) -> None:
    _, physical = plan("SELECT k, FIRST_VALUE(q) FROM o GROUP BY k", catalog, BUNDLES)
    assert isinstance(physical, GroupAggregate)
    assert physical.mini_batch


def test_a_statement_without_aggregates_has_no_assigner(catalog) -> None:
    def assigners(sql: str) -> int:
        return sum(isinstance(n, MiniBatchAssigner) for n in walk(plan(sql, catalog, BUNDLES)[1]))

    assert assigners("SELECT * FROM o") == 0
    assert assigners("SELECT * FROM wt") == 0
    assert assigners("SELECT k, id FROM o WHERE q > 1 UNION ALL SELECT k, id FROM c") == 0
    assert assigners("INSERT INTO fc SELECT k, id FROM o") == 0
    assert assigners("INSERT INTO fc SELECT k, id FROM wt") == 1


@pytest.mark.parametrize(
    ("one", "other", "both"),
    [
        (Interval(), Interval(), Interval()),
        (Interval(), Interval(PROC_TIME, 5), Interval(PROC_TIME, 5)),
        (Interval(), Interval(ROW_TIME, 5), Interval(ROW_TIME, 5)),
        (Interval(PROC_TIME, 5), Interval(PROC_TIME, 5), Interval(PROC_TIME, 5)),
        (Interval(PROC_TIME, 5), Interval(ROW_TIME, 0), Interval(ROW_TIME, 5)),
        (Interval(PROC_TIME, 5), Interval(ROW_TIME, 3), Interval(ROW_TIME, 3)),
        (Interval(ROW_TIME, 0), Interval(ROW_TIME, 8), Interval(ROW_TIME, 8)),
        (Interval(ROW_TIME, 12), Interval(ROW_TIME, 8), Interval(ROW_TIME, 4)),
    ],
)
def test_intervals_merge_either_way(one: Interval, other: Interval, both: Interval) -> None:
    assert one.merged(other) == both
    assert other.merged(one) == both


def test_what_cannot_have_mini_batches_wins() -> None:
    never = Interval(NO_MINI_BATCH)
    for mode, millis in itertools.product((NONE, PROC_TIME, ROW_TIME, NO_MINI_BATCH), (0, 7)):
        assert never.merged(Interval(mode, millis)) == never
        assert Interval(mode, millis).merged(never) == never


def test_the_exchange_between_the_phases_in_the_job(catalog) -> None:
    bound, physical = plan("SELECT p, SUM(q) FROM o GROUP BY p", catalog, BUNDLES)
    text = section(explain(bound, physical, {"JSON_EXECUTION_PLAN"}), "Physical Execution Plan")
    types = [line.split('"')[3] for line in text.splitlines() if '"type"' in line]
    assert types == [
        "Source: o[1]",
        "MiniBatchAssigner[2]",
        "LocalGroupAggregate[3]",
        "GlobalGroupAggregate[5]",
    ]
    assert text.count('"HASH"') == 1


def test_no_advice_where_there_are_two_phases_already(catalog) -> None:
    sql = "SELECT p, SUM(q) FROM o GROUP BY p"
    advised = section(
        explain(*plan(sql, catalog, OPTIONS["one_phase"]), {"PLAN_ADVICE"}, OPTIONS["one_phase"]),
        "Optimized Physical Plan With Advice",
    )
    assert advised.endswith("configuring ('table.optimizer.agg-phase-strategy' to 'AUTO').")
    text = explain(*plan(sql, catalog, BUNDLES), {"PLAN_ADVICE"}, BUNDLES)
    assert section(text, "Optimized Physical Plan With Advice").endswith("No available advice...")
