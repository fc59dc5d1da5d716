"""Plans between the programs of the optimizer."""

from __future__ import annotations

import re

from firesteel import TableEnvironment

TABLES = """
CREATE TABLE a (k INT, v INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts) WITH ('connector' = 'datagen');
CREATE TABLE b (k INT, w INT) WITH ('connector' = 'datagen');
"""


def traced(query: str) -> str:
    environment = TableEnvironment.create()
    text = f"{TABLES}{query};"
    return [environment.explain_statement(each, text, trace_rules=True) for each in environment.parse(text)][
        -1
    ] or ""


def test_each_program_that_changed_a_plan_names_its_rules() -> None:
    shown = traced("SELECT a.v, b.w FROM a, b WHERE a.k = b.k AND b.w > 3")
    pushed = re.search(r"== After predicate_pushdown: push_filters.* ==\n((?:.+\n)+)", shown)
    assert pushed is not None
    assert pushed[1].splitlines() == [
        "LogicalProject(v=[$1], w=[$4])",
        "+- LogicalJoin(condition=[=($0, $3)], joinType=[inner])",
        *pushed[1].splitlines()[2:],
    ]
    assert "LogicalFilter(condition=[>($1, 3)])" in pushed[1]
    assert "== After physical: to_physical" in shown
    assert shown.index("After predicate_pushdown") < shown.index("After changelog")
    assert shown.index("After changelog") < shown.index("== Abstract Syntax Tree ==")


def test_nodes_that_no_query_begins_with_have_a_line() -> None:
    assert "LogicalOverAggregate(window=[" in traced("SELECT SUM(v) OVER (PARTITION BY k ORDER BY ts) FROM a")
    numbered = "SELECT *, ROW_NUMBER() OVER (PARTITION BY k ORDER BY v) AS n FROM a"
    assert "LogicalRank(partition=[" in traced(f"SELECT k, v FROM ({numbered}) WHERE n <= 2")
