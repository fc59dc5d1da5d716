"""FOR SYSTEM_TIME AS OF: the tree that Flink shows, and what it refuses with its place."""

from __future__ import annotations

# ruff: noqa: E501 - the messages are data
import pytest

from firesteel.bind.names import BindContext
from firesteel.bind.query import bind_query
from firesteel.catalog.catalog import Catalog
from firesteel.errors import NotSupportedError, ParseError, ValidationError
from firesteel.explain.ast import ast_line
from firesteel.explain.tree_text import whole_tree
from firesteel.plan.rel_builder import as_built
from firesteel.rules import optimize
from firesteel.sql.parser import parse_query
from tests.rules.planning import tables

_FILE = "'connector' = 'filesystem', 'path' = '/x', 'format'"
_DDL = f"""
CREATE TABLE l (id BIGINT, k STRING, v BIGINT, ts TIMESTAMP(3), plain TIMESTAMP(3), pt AS PROCTIME(),
  WATERMARK FOR ts AS ts) WITH ({_FILE} = 'json');
CREATE TABLE z (id BIGINT, k STRING, ts TIMESTAMP_LTZ(3), WATERMARK FOR ts AS ts) WITH ({_FILE} = 'json');
CREATE TABLE r (k STRING, w BIGINT, rt TIMESTAMP(3), WATERMARK FOR rt AS rt, PRIMARY KEY (k) NOT ENFORCED)
  WITH ({_FILE} = 'canal-json');
CREATE TABLE untimed (k STRING, w BIGINT, PRIMARY KEY (k) NOT ENFORCED) WITH ({_FILE} = 'canal-json');
"""
_ONLY = (
    "Temporal table join currently only supports 'FOR SYSTEM_TIME AS OF' left table's time attribute field"
)
_NO_KEYS = "Currently the join key in Temporal Table Join can not be empty."

REFUSED = [
    ("SELECT 1 FROM l JOIN r FOR SYSTEM_TIME AS OF l.plain ON l.k = r.k", "l.plain", _ONLY),
    ("SELECT 1 FROM l JOIN r FOR SYSTEM_TIME AS OF l.ts - INTERVAL '1' SECOND ON l.k = r.k", "l.ts - INTERVAL '1' SECOND", f"{_ONLY}'"),
    ("SELECT 1 FROM l JOIN r FOR SYSTEM_TIME AS OF l.v ON l.k = r.k", "l.v", "The system time period specification expects Timestamp type but is 'BIGINT'"),
    ("SELECT 1 FROM l JOIN r FOR SYSTEM_TIME AS OF l.nope ON l.k = r.k", "l.nope", "Column 'nope' not found in table 'l'"),
    ("SELECT 1 FROM l JOIN r FOR SYSTEM_TIME AS OF r.rt ON l.k = r.k", "r.rt", "Temporal Table Join requires time attribute in the left table, but no time attribute found."),
    ("SELECT 1 FROM l JOIN r FOR SYSTEM_TIME AS OF PROCTIME() ON l.k = r.k", "PROCTIME()", "Unsupported time travel expression: PROCTIME() for the expression can not be reduced to a constant by Flink."),
    ("SELECT 1 FROM l JOIN r FOR SYSTEM_TIME AS OF TIMESTAMP '2026-01-01 00:00:00' ON l.k = r.k", "TIMESTAMP '2026-01-01 00:00:00'", "no catalog keeps that"),
    ("SELECT 1 FROM r FOR SYSTEM_TIME AS OF rt", "r FOR SYSTEM_TIME AS OF rt", "takes a column of a table to its left"),
    ("SELECT 1 FROM r FOR SYSTEM_TIME AS OF 5", "5", "The system time period specification expects Timestamp type but is 'INTEGER'"),
    ("SELECT 1 FROM l RIGHT JOIN r FOR SYSTEM_TIME AS OF l.ts ON l.k = r.k", "r FOR SYSTEM_TIME AS OF l.ts", "Unknown join type RIGHT"),
    ("SELECT 1 FROM l FULL JOIN r FOR SYSTEM_TIME AS OF l.ts ON l.k = r.k", "r FOR SYSTEM_TIME AS OF l.ts", "Unknown join type FULL"),
    ("SELECT 1 FROM l, r FOR SYSTEM_TIME AS OF l.ts WHERE l.k = r.k", "r FOR SYSTEM_TIME AS OF l.ts", _NO_KEYS),
    ("SELECT 1 FROM l JOIN r FOR SYSTEM_TIME AS OF l.ts AS x ON l.v > x.w", "r FOR SYSTEM_TIME AS OF l.ts AS x", _NO_KEYS),
    ("SELECT 1 FROM l JOIN untimed FOR SYSTEM_TIME AS OF l.ts AS x ON l.k = x.k", "untimed FOR SYSTEM_TIME AS OF l.ts AS x", "Event-Time Temporal Table Join requires both primary key and row time attribute in versioned table, but no row time attribute can be found."),
    ("SELECT 1 FROM z JOIN r FOR SYSTEM_TIME AS OF z.ts ON z.k = r.k", "r FOR SYSTEM_TIME AS OF z.ts", "requires same rowtime type in left table and versioned table, but the rowtime types are TIMESTAMP_LTZ(3) *ROWTIME* and TIMESTAMP(3) *ROWTIME*."),
]  # fmt: skip


@pytest.fixture(scope="module")
def catalog() -> Catalog:
    return tables(_DDL)


def tree(sql: str, catalog: Catalog) -> str:
    return whole_tree(as_built(bind_query(parse_query(sql).query, BindContext(catalog, sql=sql))), ast_line)


@pytest.mark.parametrize(("sql", "place", "message"), REFUSED)
def test_what_flink_refuses_is_refused(sql: str, place: str, message: str, catalog: Catalog) -> None:
    with pytest.raises(ValidationError) as raised:
        optimize(bind_query(parse_query(sql).query, BindContext(catalog, sql=sql)), {})
    assert message in str(raised.value)
    assert raised.value.range is not None
    assert sql[raised.value.range.start : raised.value.range.end] == place


def test_a_query_in_from_is_no_versioned_table(catalog: Catalog) -> None:
    with pytest.raises(ParseError, match="unexpected 'FOR'"):
        parse_query("SELECT 1 FROM l JOIN (SELECT * FROM r) FOR SYSTEM_TIME AS OF l.ts ON TRUE")


def test_the_tree_is_flinks(catalog: Catalog) -> None:
    sql = (
        "SELECT l.id, x.w FROM l LEFT JOIN r FOR SYSTEM_TIME AS OF l.ts AS x ON l.k = x.k AND l.v > x.w "
        "WHERE l.v > 3"
    )
    assert tree(sql, catalog).strip() == (
        """
LogicalProject(id=[$0], w=[$7])
+- LogicalFilter(condition=[>($2, 3)])
   +- LogicalCorrelate(correlation=[$cor0], joinType=[left], requiredColumns=[{1, 2, 3}])
      :- LogicalWatermarkAssigner(rowtime=[ts], watermark=[$3])
      :  +- LogicalProject(id=[$0], k=[$1], v=[$2], ts=[$3], plain=[$4], pt=[PROCTIME()])
      :     +- LogicalTableScan(table=[[default_catalog, default_database, l]])
      +- LogicalFilter(condition=[AND(=($cor0.k, $0), >($cor0.v, $1))])
         +- LogicalSnapshot(period=[$cor0.ts])
            +- LogicalWatermarkAssigner(rowtime=[rt], watermark=[$2])
               +- LogicalTableScan(table=[[default_catalog, default_database, r]])
""".strip()
    )


def test_column_names_of_an_alias_and_a_name_without_its_table(catalog: Catalog) -> None:
    sql = "SELECT id, b FROM l JOIN r FOR SYSTEM_TIME AS OF ts AS x (a, b, c) ON k = a"
    found = tree(sql, catalog)
    assert "LogicalFilter(condition=[=($cor0.k, $0)])" in found
    assert "LogicalSnapshot(period=[$cor0.ts])" in found


@pytest.mark.parametrize(
    "term", ["l.v IN (SELECT w FROM r)", "EXISTS (SELECT 1 FROM r AS q WHERE q.w = l.v)"]
)
@pytest.mark.parametrize("kind", ["JOIN", "LEFT JOIN"])
def test_a_sub_query_in_its_condition_is_not_supported(kind: str, term: str, catalog: Catalog) -> None:
    sql = f"SELECT 1 FROM l {kind} r FOR SYSTEM_TIME AS OF l.ts ON l.k = r.k AND {term}"
    with pytest.raises(NotSupportedError, match="a sub-query in ON of a join FOR SYSTEM_TIME") as raised:
        optimize(bind_query(parse_query(sql).query, BindContext(catalog, sql=sql)), {})
    assert raised.value.range is not None
    assert sql[raised.value.range.start : raised.value.range.end] == term
