"""EXPLAIN's sections, as Flink 2.3 prints them."""

from __future__ import annotations

import json

import pytest

from firesteel.explain import explain
from tests.goldens import hold, hold_file
from tests.rules.planning import GOLDEN, plan, section, tables


@pytest.fixture(scope="module")
def catalog():
    return tables((GOLDEN / "tables.sql").read_text(encoding="utf-8"))


THEMES = (
    "counted_rows", "dropped", "known_columns", "known_comparisons", "metadata", "names", "no_rows",
    "one_row", "strings_and_numbers",
)  # fmt: skip


def test_the_three_plans_of_a_query(catalog) -> None:
    sql = "SELECT k, COUNT(*) AS n FROM o WHERE q > 0 AND p IN ('tea', 'rice') GROUP BY k HAVING MAX(w) < 2.5"
    hold_file(GOLDEN.parent / "explain" / "three_plans.txt", explain(*plan(sql, catalog), {"CHANGELOG_MODE"}))


def _explained() -> list[tuple[str, str, str]]:
    """Queries and Flink's answers to EXPLAIN, by theme; two blank lines end a case."""
    cases = []
    for theme in THEMES:
        text = (GOLDEN.parent / "explain" / f"{theme}.txt").read_text(encoding="utf-8")
        for case in text.strip().split("\n\n\n"):
            sql, expected = case.split("\n----\n")
            cases.append((theme, sql, expected))
    return cases


@pytest.mark.parametrize(("theme", "sql", "expected"), _explained(), ids=lambda value: value[:70])
def test_it_is_explained_as_by_flink(theme: str, sql: str, expected: str, catalog) -> None:
    found = explain(*plan(sql, catalog), set()).strip()
    hold(GOLDEN.parent / "explain" / f"{theme}.txt", (sql, expected), found)


def test_several_inputs_are_marked_on_the_left(catalog) -> None:
    sql = "SELECT k FROM o WHERE q > 1 UNION ALL SELECT k FROM c WHERE q > 1"
    lines = section(explain(*plan(sql, catalog), set()), "Optimized Execution Plan").splitlines()
    assert [line[:6] for line in lines] == ["Union(", ":- Cal", ":  +- ", "+- Cal", "   +- "]


@pytest.mark.parametrize(
    ("rank", "expected"),
    [
        (
            "PARTITION BY k, q ORDER BY ts",
            "keep=[FirstRow], key=[k, q], order=[ROWTIME], outputInsertOnly=[true]",
        ),
        (
            "PARTITION BY q ORDER BY ts DESC",
            "keep=[LastRow], key=[q], order=[ROWTIME], outputInsertOnly=[false]",
        ),
        ("ORDER BY PROCTIME()", "keep=[FirstRow], key=[], order=[PROCTIME], outputInsertOnly=[true]"),
    ],
)
def test_a_rank_that_keeps_a_row_by_time_is_executed_as_a_deduplication(
    catalog, rank: str, expected: str
) -> None:
    sql = f"SELECT k FROM (SELECT *, ROW_NUMBER() OVER ({rank}) AS rn FROM wt) WHERE rn = 1"
    text = explain(*plan(sql, catalog), {"JSON_EXECUTION_PLAN"})
    assert section(text, "Optimized Physical Plan").splitlines()[1].startswith("+- Rank(")
    assert section(text, "Optimized Execution Plan").splitlines()[1] == f"+- Deduplicate({expected})"
    nodes = json.loads(section(text, "Physical Execution Plan"))["nodes"]
    assert [n["contents"].split(":")[1] for n in nodes if n["type"].startswith("Dedup")] == [
        f"Deduplicate({expected})"
    ]


def test_the_job_as_json(catalog) -> None:
    sql = "INSERT INTO bh SELECT k, COUNT(*) FROM o WHERE q > 1 GROUP BY k"
    text = section(explain(*plan(sql, catalog), {"JSON_EXECUTION_PLAN"}), "Physical Execution Plan")
    nodes = json.loads(text)["nodes"]
    assert [node["type"] for node in nodes] == [
        "Source: o[1]",
        "Calc[2]",
        "GroupAggregate[4]",
        "ConstraintEnforcer[5]",
        "bh[5]: Writer",
    ]
    assert [p["ship_strategy"] for node in nodes for p in node.get("predecessors", [])] == [
        "FORWARD",
        "HASH",
        "FORWARD",
        "FORWARD",
    ]
    assert text.startswith('{\n  "nodes" : [ {\n    "id" : 1,\n    "type" : "Source: o[1]",')
    assert text.endswith('"side" : "second"\n    } ]\n  } ]\n}')


def test_a_global_aggregate_ships_everything_to_one_place(catalog) -> None:
    text = section(
        explain(*plan("SELECT COUNT(*) FROM c", catalog), {"JSON_EXECUTION_PLAN"}), "Physical Execution Plan"
    )
    assert json.loads(text)["nodes"][-1]["predecessors"][0]["ship_strategy"] == "GLOBAL"


def test_advice_names_the_options_that_two_phases_need(catalog) -> None:
    sql = "SELECT n, COUNT(*) FROM (SELECT k, COUNT(*) AS n FROM o GROUP BY k) GROUP BY n"
    text = section(explain(*plan(sql, catalog), {"PLAN_ADVICE"}), "Optimized Physical Plan With Advice")
    assert text.count("GroupAggregate(advice=[1], groupBy=") == 2
    assert text.endswith(
        "\n\nadvice[1]: [ADVICE] You might want to enable local-global two-phase optimization by configuring "
        "('table.exec.mini-batch.enabled' to 'true', 'table.exec.mini-batch.allow-latency' to a positive "
        "long value, 'table.exec.mini-batch.size' to a positive long value)."
    )


@pytest.mark.parametrize("sql", ["SELECT k, q FROM o", "SELECT k, FIRST_VALUE(q) FROM o GROUP BY k"])
def test_no_advice_where_there_is_no_local_phase(catalog, sql: str) -> None:
    text = explain(*plan(sql, catalog), {"PLAN_ADVICE"})
    assert section(text, "Optimized Physical Plan With Advice").endswith("\n\nNo available advice...")
