"""Equal parts of execution plans, as Flink 2.3 shows them: tests/golden/explain/reuse.txt.

Cases are apart by a line `====`: the INSERTs of a statement set or a query, a line `----`, and the execution
plan; a first line `mini-batch` turns mini-batches on.
"""

from __future__ import annotations

import pytest

from firesteel.bind.names import BindContext
from firesteel.bind.query import bind_query
from firesteel.bind.statements.insert import bind_insert
from firesteel.explain.sections import explain_all
from firesteel.rules import optimize_all
from firesteel.sql.parser import parse_script, parse_statement
from firesteel.sql.statements import Insert, Query, StatementSet
from tests.goldens import hold
from tests.rules.planning import GOLDEN, section, tables

PATH = GOLDEN.parent / "explain" / "reuse.txt"
CASES = PATH.read_text(encoding="utf-8").strip("\n").split("\n====\n")
MINI_BATCH = {
    "table.exec.mini-batch.enabled": "true",
    "table.exec.mini-batch.allow-latency": "2 s",
    "table.exec.mini-batch.size": "1000",
}


@pytest.fixture(scope="module")
def catalog():
    return tables((GOLDEN / "tables.sql").read_text(encoding="utf-8"))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.split("\n----\n")[0][-60:])
def test_execution_plans_are_flinks(case: str, catalog) -> None:
    sql, expected = case.strip("\n").split("\n----\n")
    settings = MINI_BATCH if sql.startswith("mini-batch\n") else {}
    text = sql.removeprefix("mini-batch\n") + ";"
    text = f"EXECUTE {text}" if text.startswith("STATEMENT") else text
    (statement,) = parse_script(text)
    parts = statement.inserts if isinstance(statement, StatementSet) else [statement]
    context = BindContext(catalog, sql=text)
    bound = [
        bind_insert(part, context) if isinstance(part, Insert) else bind_query(part.query, context)
        for part in parts
        if isinstance(part, (Insert, Query))
    ]
    plans = list(zip(bound, optimize_all(bound, settings), strict=True))
    hold(PATH, (sql, expected), section(explain_all(plans, set()), "Optimized Execution Plan"))


def execution(catalog, *inserts: str) -> list[str]:
    bound = []
    for sql in inserts:
        statement = parse_statement(sql)
        assert isinstance(statement, Insert)
        bound.append(bind_insert(statement, BindContext(catalog, sql=sql)))
    plans = list(zip(bound, optimize_all(bound, {}), strict=True))
    text = section(explain_all(plans, set()), "Optimized Execution Plan")
    return text.replace("default_catalog, default_database, ", "").splitlines()


def test_sinks_share_what_is_equal_and_scans_read_for_all(catalog) -> None:
    lines = execution(
        catalog,
        "INSERT INTO pr SELECT k, COUNT(*) FROM c GROUP BY k",
        "INSERT INTO bh SELECT k, SUM(b) FROM c GROUP BY k",
    )
    assert lines == [
        "TableSourceScan(table=[[c, project=[k, b], metadata=[]]], fields=[k, b])(reuse_id=[1])",
        "",
        "Sink(table=[default_catalog.default_database.pr], fields=[k, EXPR$1])",
        "+- GroupAggregate(groupBy=[k], select=[k, COUNT_RETRACT(*) AS EXPR$1])",
        "   +- Exchange(distribution=[hash[k]])",
        "      +- Calc(select=[k])",
        "         +- Reused(reference_id=[1])",
        "",
        "Sink(table=[default_catalog.default_database.bh], fields=[k, EXPR$1])",
        "+- GroupAggregate(groupBy=[k], select=[k, SUM_RETRACT(b) AS EXPR$1])",
        "   +- Exchange(distribution=[hash[k]])",
        "      +- Reused(reference_id=[1])",
    ]


def test_an_aggregate_with_another_changelog_mode_is_another_one(catalog) -> None:
    query = "SELECT k, COUNT(*) FROM o GROUP BY k"
    lines = execution(catalog, f"INSERT INTO pr {query}", f"INSERT INTO bh {query}")
    assert lines[0] == "Exchange(distribution=[hash[k]])(reuse_id=[1])"
    assert sum("GroupAggregate" in line for line in lines) == 2


def test_in_one_tree_the_first_is_whole_and_the_second_a_reference(catalog) -> None:
    query = "SELECT k, id FROM o WHERE q > 1"
    lines = execution(catalog, f"INSERT INTO pr {query} UNION ALL {query}")
    assert lines[2].startswith(":- Calc(select=[k, id], where=[(q > 1)])(reuse_id=[1])") or lines[2].endswith(
        "(reuse_id=[1])"
    )
    assert lines[-1].endswith("+- Reused(reference_id=[1])")


def test_filtered_scans_stay_apart(catalog) -> None:
    lines = execution(
        catalog,
        "INSERT INTO pr SELECT k, id FROM o WHERE q > 1",
        "INSERT INTO bh2 SELECT k, id FROM o WHERE q > 2",
    )
    assert not any("reuse" in line.lower() for line in lines)
