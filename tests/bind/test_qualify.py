"""QUALIFY: a condition on what windows say of rows."""

from __future__ import annotations

import pytest

from firesteel import TableEnvironment
from firesteel.errors import ValidationError

TABLE = "CREATE TABLE t (a INT, b INT, c STRING) WITH ('connector' = 'datagen', 'number-of-rows' = '2')"


@pytest.fixture(scope="module")
def environment() -> TableEnvironment:
    found = TableEnvironment.create()
    found.execute_sql(TABLE)
    return found


def physical(environment: TableEnvironment, query: str) -> str:
    text = "\n".join(str(row[0]) for row in environment.execute_sql(f"EXPLAIN {query}").collect())
    return text.split("== Optimized Physical Plan ==\n")[1].split("\n\n")[0]


@pytest.mark.parametrize(
    "query",
    [
        "SELECT a, b, c FROM t QUALIFY ROW_NUMBER() OVER (PARTITION BY b ORDER BY c) <= 3",
        "SELECT a, b, c FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY b ORDER BY c) AS rn FROM t) "
        "WHERE rn <= 3",
    ],
)
def test_a_bound_on_the_row_number_is_a_rank(environment: TableEnvironment, query: str) -> None:
    assert physical(environment, query).startswith("Rank(strategy=[AppendFastStrategy]")


def test_the_condition_may_name_a_column_of_the_select_list(environment: TableEnvironment) -> None:
    query = "SELECT a, ROW_NUMBER() OVER (PARTITION BY b ORDER BY c) AS rn FROM t QUALIFY rn <= 2"
    assert "rankEnd=2" in physical(environment, query)


def test_a_view_keeps_it(environment: TableEnvironment) -> None:
    query = "SELECT a FROM t WINDOW w AS (PARTITION BY b ORDER BY c) QUALIFY ROW_NUMBER() OVER w = 1"
    environment.execute_sql(f"CREATE TEMPORARY VIEW v AS {query}")
    assert "rankEnd=1" in physical(environment, "SELECT a FROM v")


def test_what_is_no_condition_is_refused(environment: TableEnvironment) -> None:
    with pytest.raises(ValidationError, match="QUALIFY clause must be a condition"):
        environment.execute_sql("EXPLAIN SELECT a FROM t QUALIFY ROW_NUMBER() OVER (ORDER BY b)")
