"""Plans of the queries of TPC-H as Flink 2.3 prints them: tests/golden/tpch/plans.txt.

A case is the name of a query, the tree that was bound, a line `----`, and the physical plan.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from firesteel import TableEnvironment
from tests.goldens import hold
from tests.rules.planning import section
from tests.tpch.schema import SCHEMAS
from tests.tpch.trial import QUERIES, text

GOLDEN = Path(__file__).parents[1] / "golden" / "tpch" / "plans.txt"
CASES = {case.split("\n", 1)[0]: case.split("\n", 1)[1] for case in GOLDEN.read_text().strip().split("\n\n")}
OTHERWISE = {"q16", "q18", "q20", "q22"}
"""Queries with another physical plan: Flink pushes aggregates through joins and joins through each other."""


@pytest.fixture(scope="module")
def environment() -> TableEnvironment:
    environment = TableEnvironment.create()
    for schema in SCHEMAS.values():
        environment.execute_sql(schema.ddl(f"/nowhere/{schema.name}.json", "debezium-json"))
    return environment


def numbered(tree: str) -> str:
    """The tree with its correlation variables from $cor0: a session numbers them over all statements."""
    names = list(dict.fromkeys(re.findall(r"\$cor\d+", tree)))
    return re.sub(r"\$cor\d+", lambda found: f"$cor{names.index(found[0])}", tree)


@pytest.mark.parametrize("query", QUERIES)
def test_plan_is_flinks(query: str, environment: TableEnvironment) -> None:
    (row,) = environment.execute_sql(f"EXPLAIN CHANGELOG_MODE {text(query)}").collect()
    tree, physical = CASES[query].split("\n----\n")
    assert numbered(section(row[0], "Abstract Syntax Tree")) == numbered(tree)
    found = section(row[0], "Optimized Physical Plan")
    if query in OTHERWISE:
        assert found != physical
    else:
        hold(GOLDEN, (f"{query}\n{tree}", physical), found)
