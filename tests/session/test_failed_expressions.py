"""The error of an expression that fails on a row: the row, the expression underlined, what to do."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from firesteel import TableEnvironment
from firesteel.errors import JobError
from tests.connectors.jdbc.databases import SqliteDatabase

if TYPE_CHECKING:
    from firesteel.spark.launch.launch import Spark

pytestmark = pytest.mark.spark
TABLE = """CREATE TABLE t (a STRING, b INT, r ROW<x STRING>{columns})
WITH ('connector' = 'filesystem', 'path' = '{path}', 'format' = 'json')"""
TIME = "2026-01-01 00:00:01"
ROWS = [{"a": "1", "b": n % 7 + 1, "r": {"x": "2"}, "ts": TIME} for n in range(500)]
BAD = {"a": "x", "b": 0, "r": {"x": "y"}, "ts": TIME}


def environment(spark: Spark, folder: Path, columns: str = "") -> TableEnvironment:
    """Return a session with a table whose row 300 is bad."""
    path = folder / "in.json"
    path.write_text("".join(json.dumps(each) + "\n" for each in [*ROWS[:300], BAD, *ROWS[300:]]))
    made = TableEnvironment.create(spark)
    made.execute_sql(TABLE.format(columns=columns, path=path))
    return made


def failure(made: TableEnvironment, query: str) -> JobError:
    with pytest.raises(JobError) as failed:
        list(made.execute_sql(query).collect())
    return failed.value


CASES = [
    ("SELECT 5 / b FROM t", "5 / b"),
    ("SELECT MOD(5, b) FROM t", "MOD(5, b)"),
    ("SELECT b, CAST(a AS INT) FROM t", "CAST(a AS INT)"),
    ("SELECT CAST(UPPER(a) AS INT) + 1 FROM t", "CAST(UPPER(a) AS INT)"),
    ("SELECT CAST(r.x AS INT) FROM t", "CAST(r.x AS INT)"),
    ("SELECT CASE WHEN b > 0 THEN 5 / b ELSE CAST(a AS INT) END FROM t", "CAST(a AS INT)"),
    ("SELECT CASE WHEN b > 0 THEN 5 / b WHEN 6 / b > 1 THEN 2 END FROM t", "6 / b"),
    ("SELECT a FROM t WHERE b > 0 OR CAST(a AS INT) = 1", "CAST(a AS INT)"),
    ("SELECT a, COUNT(*) FROM t WHERE CAST(a AS INT) > 0 GROUP BY a", "CAST(a AS INT)"),
    ("WITH v AS (SELECT CAST(a AS INT) AS n FROM t) SELECT SUM(n) FROM v", "CAST(a AS INT)"),
]


@pytest.mark.parametrize(("query", "underlined"), CASES)
def test_the_expression_is_underlined(query: str, underlined: str, spark: Spark, tmp_path: Path) -> None:
    text = f"-- a comment\n{query}"
    error = failure(environment(spark, tmp_path), text)
    assert error.row is not None
    assert {*error.row[3:-1].split(", ")} <= {"x", "0", "{'x': 'y'}"}
    assert error.range is not None
    assert error.sql is not None
    assert error.sql[error.range.start : error.range.end] == underlined
    assert "(line 2, column " in str(error)


JOINS = [
    ("SELECT t.b FROM t JOIN s ON t.a <> s.a AND 5 / t.b > s.b", "5 / t.b", "x, 0, y, 8"),
    ("SELECT t.b FROM t LEFT JOIN s ON CAST(t.a AS INT) > s.b", "CAST(t.a AS INT)", "x, 0, 8"),
    ("SELECT b FROM t WHERE EXISTS (SELECT 1 FROM s WHERE 6 / (t.b * s.b) > 1)", "6 / (t.b * s.b)", "0, 8"),
]


@pytest.mark.parametrize(("query", "underlined", "row"), JOINS)
def test_a_term_of_a_joins_condition_is_underlined(
    query: str, underlined: str, row: str, spark: Spark, tmp_path: Path
) -> None:
    error = failure(with_a_database(environment(spark, tmp_path), tmp_path), query)
    assert error.row == f"+I[{row}]"
    assert error.range is not None
    assert query[error.range.start : error.range.end] == underlined


WITH_TIME = ", ts TIMESTAMP(3), WATERMARK FOR ts AS ts"
OTHER_TABLE = """CREATE TABLE s (a STRING, b INT{columns}, PRIMARY KEY (a) NOT ENFORCED)
WITH ('connector' = 'filesystem', 'path' = '{path}', 'format' = '{format}')"""
WINDOWS = "(SELECT * FROM TABLE(TUMBLE(TABLE {0}, DESCRIPTOR(ts), INTERVAL '1' HOUR))) {0}"
JOINS_IN_TIME = {
    "interval": "t JOIN s ON t.r.x = s.a AND t.ts BETWEEN s.ts AND s.ts + INTERVAL '1' HOUR",
    "temporal": "t LEFT JOIN s FOR SYSTEM_TIME AS OF t.ts ON t.r.x = s.a",
    "window": f"{WINDOWS.format('t')} JOIN {WINDOWS.format('s')} ON t.r.x = s.a"
    " AND t.window_start = s.window_start AND t.window_end = s.window_end",
}


@pytest.mark.parametrize("kind", JOINS_IN_TIME)
def test_a_term_of_a_join_in_time_is_underlined(kind: str, spark: Spark, tmp_path: Path) -> None:
    made, path = environment(spark, tmp_path, WITH_TIME), tmp_path / "other.json"
    row, is_temporal = {"a": "y", "b": 8, "ts": "2026-01-01 00:00:00"}, kind == "temporal"
    path.write_text(json.dumps({"type": "INSERT", "data": [row]} if is_temporal else row))
    form = "canal-json" if is_temporal else "json"
    made.execute_sql(OTHER_TABLE.format(columns=WITH_TIME, path=path, format=form))
    query = f"SELECT t.b FROM {JOINS_IN_TIME[kind]} AND CAST(t.a AS INT) > s.b"
    error = failure(made, query)
    assert error.row is not None
    assert {"x", "y", "8"} <= {*error.row[3:-1].split(", ")}
    assert error.range is not None
    assert query[error.range.start : error.range.end] == "CAST(t.a AS INT)"


@pytest.mark.parametrize("condition", ["5 / t.b > s.b", "s.b > 100 + t.b AND 5 / t.b > 0"])
def test_a_term_of_a_lookup_joins_condition_is_quoted(condition: str, spark: Spark, tmp_path: Path) -> None:
    made = with_a_database(environment(spark, tmp_path, ", p AS PROCTIME()"), tmp_path)
    join = "LEFT JOIN s FOR SYSTEM_TIME AS OF t.p ON t.r.x = s.a"
    error = failure(made, f"SELECT t.b, s.b FROM t {join} AND {condition}")
    assert error.message.endswith("in (5 / b)")


def with_a_database(made: TableEnvironment, folder: Path) -> TableEnvironment:
    """Return the session with a table `s` of one row in a database."""
    database = SqliteDatabase(folder / "db")
    database.run("CREATE TABLE s (a VARCHAR(9), b INTEGER)")
    database.run("INSERT INTO s VALUES ('y', 8)")
    url = database.options["url"]
    made.execute_sql(
        f"CREATE TABLE s (a STRING, b INT) WITH ('connector' = 'jdbc', 'table-name' = 's', 'url' = '{url}')"
    )
    return made


@pytest.mark.parametrize("host", ["batch", "stream"])
def test_on_each_host(host: str, spark: Spark, tmp_path: Path) -> None:
    made = environment(spark, tmp_path)
    made.execute_sql(f"SET 'firesteel.host' = '{host}'")
    assert str(failure(made, "SELECT a,\n 5 / b FROM t")) == (
        "/ by zero; row +I[x, 0] (line 2, column 2)\n"
        "    2 |  5 / b FROM t\n"
        "         ^^^^^\n"
        "hint: NULLIF(divisor, 0) gives NULL in place of an error"
    )


def test_an_expression_of_another_text_is_quoted(spark: Spark, tmp_path: Path) -> None:
    made = environment(spark, tmp_path)
    made.execute_sql("CREATE TEMPORARY VIEW v AS SELECT CAST(a AS INT) AS n FROM t")
    error = failure(made, "SELECT n FROM v")
    assert error.range is None
    assert error.message.endswith("Row +I[x], in CAST(a AS INTEGER)")
    assert error.hint == "TRY_CAST gives NULL in place of an error"


def test_a_computed_column_is_quoted(spark: Spark, tmp_path: Path) -> None:
    error = failure(environment(spark, tmp_path, ", c AS 5 / b"), "SELECT c FROM t")
    assert error.range is None
    assert error.message == "/ by zero; row +I[0], in (5 / b)"
