"""PROCTIME() becomes a timestamp where a query computes with it, groups by it or puts it out."""

from __future__ import annotations

import pytest

from firesteel.functions.duckdb.calc_spec import CalcSpec
from firesteel.job.lower.job import translate
from firesteel.plan.tree import Node
from tests.rules.planning import physical_text, plan, tables

DDL = """CREATE TABLE visits (k STRING, q INT, pt AS PROCTIME())
WITH ('connector' = 'filesystem', 'path' = 'unread/v.json', 'format' = 'json');
CREATE TABLE o (k STRING, q INT)
WITH ('connector' = 'filesystem', 'path' = 'unread/o.json', 'format' = 'json');"""
MADE = "PROCTIME_MATERIALIZE(PROCTIME())"


@pytest.fixture(scope="module")
def catalog():
    return tables(DDL)


@pytest.mark.parametrize(
    ("sql", "calcs"),
    [
        ("SELECT k, MAX(pt) FROM visits GROUP BY k", [f"Calc(select=[k, {MADE} AS pt])"]),
        ("SELECT pt, COUNT(*) FROM visits GROUP BY pt", [f"Calc(select=[{MADE} AS pt])"]),
        ("SELECT k, pt FROM visits WHERE q > 1", [f"Calc(select=[k, {MADE} AS pt], where=[>(q, 1)])"]),
        ("SELECT YEAR(pt) AS y FROM visits", [f"Calc(select=[EXTRACT(FLAG(YEAR), {MADE}) AS y])"]),
        (
            "SELECT pt FROM visits WHERE q > 1 UNION ALL SELECT pt FROM visits WHERE q < 1",
            [
                "Calc(select=[PROCTIME_MATERIALIZE(pt) AS pt])",
                "Calc(select=[PROCTIME() AS pt], where=[>(q, 1)])",
                "Calc(select=[PROCTIME() AS pt], where=[<(q, 1)])",
            ],
        ),
        ("SELECT k, COUNT(*) FROM (SELECT k, pt FROM visits) GROUP BY k", []),
        ("SELECT k, pt FROM visits WHERE 1 = 2", []),
        ("SELECT v.pt FROM visits AS v JOIN o ON FALSE", []),
    ],
)
def test_processing_time_is_materialized_where_it_is_read(catalog, sql: str, calcs: list[str]) -> None:
    lines = [line.lstrip(" +-:") for line in physical_text(sql, catalog).splitlines()]
    assert [line for line in lines if line.startswith("Calc")] == calcs


def _projection(physical: Node) -> tuple[str, ...]:
    operators = (op for chain in translate([physical]).chains for op in chain.operators)
    return next(op for op in operators if isinstance(op, CalcSpec)).projection


def test_it_compiles_to_the_clock(catalog) -> None:
    _, processing = plan("SELECT k, MAX(pt) FROM visits GROUP BY k", catalog)
    _, clock = plan(
        "SELECT k, MAX(pt) FROM (SELECT k, CURRENT_ROW_TIMESTAMP() AS pt FROM o) GROUP BY k", catalog
    )
    assert _projection(processing) == _projection(clock)
