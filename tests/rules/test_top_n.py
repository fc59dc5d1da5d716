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
    found.execute_sql(
        "CREATE TABLE timed (a INT, b INT, c STRING, ts TIMESTAMP(3), WATERMARK FOR ts AS ts) "
        "WITH ('connector' = 'datagen', 'number-of-rows' = '2')"
    )
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


@pytest.mark.parametrize(
    ("bound", "where"),
    [
        ("rn <= 3 AND rn <= n", "AND(<=(w0$o0, 3), <=(w0$o0, n))"),
        ("n >= rn AND rn < 4", "AND(>=(n, w0$o0), <(w0$o0, 4))"),
        ("rn <= 3 AND MOD(rn, 2) = 0", "AND(<=(w0$o0, 3), =(MOD(w0$o0, 2), 0))"),
        ("rn + 1 <= 3 AND rn <= 10", "AND(<=(+(w0$o0, 1), 3), <=(w0$o0, 10))"),
        ("rn + 1 <= 3", "<=(+(w0$o0, 1), 3)"),
        ("3 >= rn + 1", ">=(3, +(w0$o0, 1))"),
        ("CAST(rn AS DOUBLE) <= 3", "<=(CAST(w0$o0 AS DOUBLE NOT NULL), 3)"),
        ("rn <= CAST(a AS BIGINT)", "<=(w0$o0, CAST(a AS BIGINT))"),
        ("rn <> 2", "<>(w0$o0, 2:BIGINT)"),
    ],
)
def test_other_terms_with_the_number_are_conditions_of_a_window(
    environment: TableEnvironment, bound: str, where: str
) -> None:
    plan = physical(environment, f"SELECT a FROM ({RANKED}) WHERE {bound}")
    assert plan.startswith(f"Calc(select=[a], where=[{where}])\n+- OverAggregate(")


@pytest.mark.parametrize(
    ("query", "select"),
    [
        ("SELECT b, rn AS x FROM ({}) WHERE rn <> 2", "b, w0$o0"),
        ("SELECT b, rn AS x, rn + 1 AS y FROM ({}) WHERE rn <> 2", "b, w0$o0 AS x, +(w0$o0, 1) AS y"),
    ],
)
def test_columns_that_only_pass_a_condition_have_the_names_of_the_window(
    environment: TableEnvironment, query: str, select: str
) -> None:
    inner = "SELECT b, ROW_NUMBER() OVER (PARTITION BY b ORDER BY c) AS rn FROM t"
    assert physical(environment, query.format(inner)).startswith(f"Calc(select=[{select}], where=[")


def test_a_constant_number_has_the_name_of_the_window(environment: TableEnvironment) -> None:
    plan = physical(environment, f"SELECT a, rn FROM ({RANKED}) WHERE rn <= 1")
    assert plan.startswith("Calc(select=[a, 1:BIGINT AS w0$o0])")
    assert "Calc(select=[1:BIGINT AS x, a])" in physical(
        environment, f"SELECT rn AS x, a FROM ({RANKED}) WHERE rn <= 1"
    )


@pytest.mark.parametrize("order", ["ts", "c, ts", "ts DESC, c"])
def test_an_order_with_a_row_time_is_marked(environment: TableEnvironment, order: str) -> None:
    sides = order if "DESC" in order else order.replace(",", " ASC,") + " ASC"
    timed = f"SELECT *, ROW_NUMBER() OVER (PARTITION BY b ORDER BY {order}) AS rn FROM timed"
    plan = physical(environment, f"SELECT a FROM ({timed}) WHERE rn <= 3")
    assert f"orderBy=[ROWTIME {sides.replace('DESC, c', 'DESC, c ASC')}]" in plan


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


@pytest.mark.parametrize(
    ("bound", "message"),
    [
        ("rn <= 0", "Rank end should not less than zero, but now is 0"),
        ("rn >= 3", "Rank end is not specified."),
        ("rn <= 2", "RANK\\(\\) on streaming table is not supported currently"),
    ],
)
def test_a_bound_without_ranks_is_reported_before_the_function(
    environment: TableEnvironment, bound: str, message: str
) -> None:
    with pytest.raises(ValidationError, match=message):
        physical(environment, f"SELECT a FROM ({RANKED.replace('ROW_NUMBER', 'RANK')}) WHERE {bound}")


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
