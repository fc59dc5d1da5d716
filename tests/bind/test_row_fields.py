"""Fields of ROW columns that a query names without their column, as Flink 2.3 reads them."""

from __future__ import annotations

import pytest

from firesteel.errors import ValidationError
from tests.bind.session import Session

SESSION = Session(
    "CREATE TABLE e (id INT, k INT, rw ROW<a INT, b STRING, id INT>, rs ARRAY<ROW<z INT>>);"
    "CREATE TABLE l (id INT, k INT, two ROW<c INT>, three ROW<c INT>);"
)
SCAN = "LogicalTableScan(table=[[default_catalog, default_database, e]])"


@pytest.mark.parametrize(
    ("query", "tree"),
    [
        ("SELECT a FROM e", f"LogicalProject(a=[$2.a])\n+- {SCAN}"),
        ("SELECT e.a FROM e", f"LogicalProject(a=[$2.a])\n+- {SCAN}"),
        ("SELECT id FROM e", f"LogicalProject(id=[$0])\n+- {SCAN}"),
        (
            "SELECT id FROM e WHERE a = 1",
            f"LogicalProject(id=[$0])\n+- LogicalFilter(condition=[=($2.a, 1)])\n   +- {SCAN}",
        ),
        (
            "SELECT id, a, b FROM e ORDER BY b, id LIMIT 2",
            "LogicalSort(sort0=[$2], sort1=[$0], dir0=[ASC-nulls-first], dir1=[ASC-nulls-first], fetch=[2])\n"
            f"+- LogicalProject(id=[$0], a=[$2.a], b=[$2.b])\n   +- {SCAN}",
        ),
    ],
)
def test_a_field_is_found_by_its_bare_name(query: str, tree: str) -> None:
    assert SESSION.tree(query) == tree


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ("SELECT c FROM l", "Column 'c' is ambiguous"),
        ("SELECT z FROM e", "Column 'z' not found in any table"),
        ("SELECT l.id FROM l JOIN e USING (a)", "Column 'a' not found in any table"),
        (
            "SELECT e.id FROM e JOIN (SELECT k AS a FROM l) AS q USING (a)",
            "Column 'a' not found in any table",
        ),
    ],
)
def test_another_name_is_refused_with_its_place(query: str, message: str) -> None:
    with pytest.raises(ValidationError) as raised:
        SESSION.bind(query)
    assert raised.value.message == message
    assert raised.value.range is not None
