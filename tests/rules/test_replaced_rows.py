"""Joins below a sink with a primary key: which of them take updates without the rows before them."""

from __future__ import annotations

import pytest

from firesteel.catalog.catalog import Catalog
from tests.rules.planning import physical_text, tables

_CHANGES = "WITH ('connector' = 'filesystem', 'path' = '/nowhere', 'format' = 'canal-json')"
_DDL = f"""
CREATE TABLE l (k INT, g STRING, v INT) {_CHANGES};
CREATE TABLE r (k INT, g STRING, v INT) {_CHANGES};
CREATE TABLE by_k (k INT, n BIGINT, PRIMARY KEY (k) NOT ENFORCED) WITH ('connector' = 'upsert');
CREATE TABLE by_kg (k INT, g STRING, n BIGINT, PRIMARY KEY (k, g) NOT ENFORCED) WITH ('connector' = 'upsert');
"""
_L = "(SELECT k, COUNT(*) AS n FROM l GROUP BY k) AS a"
_R = "(SELECT k, COUNT(*) AS n FROM r GROUP BY k) AS b"
_RG = "(SELECT k, g, COUNT(*) AS n FROM r GROUP BY k, g) AS b"


@pytest.fixture(scope="module")
def catalog() -> Catalog:
    return tables(_DDL)


@pytest.mark.parametrize(
    ("sql", "mode"),
    [
        (f"INSERT INTO by_k SELECT a.k, b.n FROM {_L} JOIN {_R} ON a.k = b.k", "[I,UA,D]"),
        (f"INSERT INTO by_k SELECT a.k, b.n FROM {_L} LEFT JOIN {_R} ON a.k = b.k", "[I,UA,D]"),
        (f"INSERT INTO by_k SELECT a.k, a.n FROM {_L} WHERE a.k IN (SELECT b.k FROM {_R})", "[I,UA,D]"),
        (f"INSERT INTO by_kg SELECT b.k, b.g, a.n FROM {_L} JOIN {_RG} ON a.k = b.k", "[I,UA,D]"),
        (f"INSERT INTO by_kg SELECT b.k, b.g, a.n FROM {_L} RIGHT JOIN {_RG} ON a.k = b.k", "[I,UA,D]"),
        # a further condition: the new row may not hold it
        (f"INSERT INTO by_k SELECT a.k, b.n FROM {_L} JOIN {_R} ON a.k = b.k AND a.n > b.n", "[I,UB,UA,D]"),
        (
            f"INSERT INTO by_k SELECT a.k, b.n FROM {_L} LEFT JOIN {_R} ON a.k = b.k AND a.n > b.n",
            "[I,UB,UA,D]",
        ),
        # several rows for one join key: the new row would count as one more partner
        (
            f"INSERT INTO by_k SELECT a.k, a.n FROM {_L} WHERE EXISTS (SELECT 1 FROM {_RG} WHERE a.k = b.k)",
            "[I,UB,UA,D]",
        ),
        (
            f"INSERT INTO by_k SELECT a.k, a.n FROM {_L} WHERE NOT EXISTS "
            f"(SELECT 1 FROM {_RG} WHERE a.k = b.k AND b.n > 0)",
            "[I,UB,UA,D]",
        ),
    ],
)
def test_a_join_asks_for_the_rows_before_where_it_needs_them(catalog: Catalog, sql: str, mode: str) -> None:
    text = physical_text(sql, catalog, changelog=True)
    lines = text.splitlines()
    at = next(i for i, line in enumerate(lines) if "Join(joinType" in line)
    assert lines[at + 1].endswith(f"changelogMode={mode})")


def test_explain_of_a_query_without_a_sink_is_flinks(catalog: Catalog) -> None:
    """It is a plan that never runs: to show rows takes the rows before."""
    sql = f"SELECT a.k, b.n FROM {_L} JOIN {_R} ON a.k = b.k AND a.n > b.n"
    assert "changelogMode=[I,UA,D]" in physical_text(sql, catalog, changelog=True).splitlines()[1]
