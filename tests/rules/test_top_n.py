"""Bounds of ROW_NUMBER as ranges of ranks."""

from __future__ import annotations

import pytest

from firesteel import TableEnvironment
from firesteel.errors import NotSupportedError, ValidationError

TABLE = (
    "CREATE TABLE t (a INT, b INT, c STRING, n BIGINT, r ROW<x INT>) "
    "WITH ('connector' = 'datagen', 'number-of-rows' = '2')"
)
RANKED = "SELECT *, ROW_NUMBER() OVER (PARTITION BY b ORDER BY c) AS rn FROM t"


@pytest.fixture(scope="module")
def environment() -> TableEnvironment:
    found = TableEnvironment.create()
    found.execute_sql(TABLE)
    return found


def physical(environment: TableEnvironment, query: str) -> str:
    text = "\n".join(str(row[0]) for row in environment.execute_sql(f"EXPLAIN {query}").collect())
    return text.split("== Optimized Physical Plan ==\n")[1].split("\n\n")[0]


@pytest.mark.parametrize(
    ("bound", "expected"),
    [
        ("rn <= 3", "rankStart=1, rankEnd=3"),
        ("rn < 3", "rankStart=1, rankEnd=2"),
        ("3 >= rn", "rankStart=1, rankEnd=3"),
        ("rn = 2", "rankStart=2, rankEnd=2"),
        ("rn > 1 AND rn <= 4", "rankStart=2, rankEnd=4"),
        ("rn BETWEEN 2 AND 3", "rankStart=2, rankEnd=3"),
        ("rn <= 3 AND rn <= 5", "rankStart=1, rankEnd=3"),
        ("rn < 2.5", "rankStart=1, rankEnd=2"),
        ("rn <= 2.5", "rankStart=1, rankEnd=2"),
        ("rn > 1.5 AND rn < 4", "rankStart=2, rankEnd=3"),
        ("rn <= n", "rankEnd=n"),
    ],
)
def test_bounds(environment: TableEnvironment, bound: str, expected: str) -> None:
    plan = physical(environment, f"SELECT a, n FROM ({RANKED}) WHERE {bound}")
    assert f"rankRange=[{expected}]" in plan
    assert "where=" not in plan


@pytest.mark.parametrize("bound", ["rn <= 3 AND rn <= n", "rn <= n AND rn <= 3", "n >= rn AND rn < 4"])
def test_a_column_beside_a_constant_stays_a_condition(environment: TableEnvironment, bound: str) -> None:
    plan = physical(environment, f"SELECT a FROM ({RANKED}) WHERE {bound}")
    assert "rankRange=[rankStart=1, rankEnd=3]" in plan
    assert "where=[" in plan


def test_what_else_is_asked_stays_above(environment: TableEnvironment) -> None:
    plan = physical(environment, f"SELECT a FROM ({RANKED}) WHERE rn <= 2 AND a > 5")
    assert plan.startswith("Calc(select=[a], where=[>(a, 5)])")


@pytest.mark.parametrize(
    ("bound", "message"),
    [
        ("rn > 1", "Rank end is not specified"),
        ("rn <= 0", "Rank end should not less than zero, but now is 0"),
    ],
)
def test_what_flink_refuses(environment: TableEnvironment, bound: str, message: str) -> None:
    with pytest.raises(ValidationError, match=message) as found:
        physical(environment, f"SELECT a FROM ({RANKED}) WHERE {bound}")
    assert found.value.range is not None


def test_rows_have_no_order_here(environment: TableEnvironment) -> None:
    with pytest.raises(NotSupportedError, match="ORDER BY a column of type ROW"):
        physical(environment, "SELECT a FROM t ORDER BY r LIMIT 2")


def test_ranks_of_ranks_are_planned_in_a_time_that_grows_with_their_number(
    environment: TableEnvironment,
) -> None:
    """Twice the time for each rank would not end."""
    table, depth = "t", 25
    for end in range(depth, 0, -1):
        numbered = f"SELECT *, ROW_NUMBER() OVER (PARTITION BY b ORDER BY c) AS rn FROM {table}"
        table = f"(SELECT a, b, c FROM ({numbered}) WHERE rn <= {end + 1})"
    plan = physical(environment, f"SELECT a, c FROM {table}")
    assert plan.count("Rank(") == depth
