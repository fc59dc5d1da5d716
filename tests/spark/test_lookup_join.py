"""Lookup joins in databases and files, on both hosts."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterable
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from firesteel import TableEnvironment

if TYPE_CHECKING:
    from firesteel.spark.launch.launch import Spark

pytest.importorskip("sqlalchemy")
Ask = Callable[[str], str]

ORDERS = [(1, 1, 1.0), (2, 2, 2.0), (3, 9, 3.0), (4, None, 4.0), (5, 1, 35.0)]
PEOPLE = [(1, "Ann", 30, "Rome"), (2, "Bob", 40, "Oslo"), (2, "Bo", 41, "Rome"), (3, None, 50, None)]
DDL = """
CREATE TABLE o (id BIGINT, k INT, v DOUBLE, pt AS PROCTIME())
WITH ('connector' = 'filesystem', 'path' = '{0}/o.json', 'format' = 'json');
CREATE TABLE c (id BIGINT, k INT, pt AS PROCTIME(), PRIMARY KEY (id) NOT ENFORCED)
WITH ('connector' = 'filesystem', 'path' = '{0}/c.json', 'format' = 'canal-json');
CREATE TABLE d (id INT, name STRING, age INT, city STRING)
WITH ('connector' = 'jdbc', 'url' = 'jdbc:sqlite:{0}/db', 'table-name' = 'd');
CREATE TABLE f (id INT, name STRING) WITH ('connector' = 'filesystem', 'path' = '{0}/f', 'format' = 'csv');
CREATE TABLE kept (id INT, name STRING) WITH ('connector' = 'filesystem', 'path' = '{0}/f', 'format' = 'csv',
  'lookup.cache' = 'FULL', 'lookup.full-cache.periodic-reload.interval' = '1 h')
"""
CHANGES = [
    {"data": [{"id": 1, "k": 1}, {"id": 2, "k": 9}], "type": "INSERT"},
    {"data": [{"id": 1, "k": 2}], "old": [{"k": 1}], "type": "UPDATE"},
    {"data": [{"id": 2, "k": 9}], "type": "DELETE"},
]


def lines(rows: Iterable[Any]) -> str:
    return "\n".join(map(json.dumps, rows)) + "\n"


@pytest.fixture(params=["batch", pytest.param("stream", marks=pytest.mark.slow)])
def ask(request: pytest.FixtureRequest, spark: Spark, tmp_path: Path) -> Ask:
    (tmp_path / "o.json").write_text(lines({"id": i, "k": k, "v": v} for i, k, v in ORDERS))
    (tmp_path / "c.json").write_text(lines(CHANGES))
    (tmp_path / "f").mkdir()
    (tmp_path / "f" / "a.csv").write_text("1,eins\n2,zwei\n2,two\n")
    with closing(sqlite3.connect(tmp_path / "db")) as connection:
        connection.execute("CREATE TABLE d (id INT, name TEXT, age INT, city TEXT)")
        connection.execute("CREATE INDEX by_id ON d (id)")  # rows of a key have an order then
        connection.executemany("INSERT INTO d VALUES (?, ?, ?, ?)", PEOPLE)
        connection.commit()
    environment = TableEnvironment.create(spark, configuration={"firesteel.host": request.param})
    for statement in DDL.format(tmp_path).split(";"):
        environment.execute_sql(statement)

    def rows(query: str) -> str:
        query = query.replace("AS OF", "FOR SYSTEM_TIME AS OF")
        return " ".join(str(row).replace(", ", ",") for row in environment.execute_sql(query).collect())

    return rows


@pytest.mark.spark
def test_tables_of_databases_and_files_are_looked_up(ask: Ask) -> None:
    inner = "SELECT o.id, d.name FROM o JOIN d AS OF o.pt AS d ON o.k = d.id"
    assert ask(inner) == "+I[1,Ann] +I[2,Bob] +I[2,Bo] +I[5,Ann]"
    left = "SELECT o.id, f.name FROM o LEFT JOIN f AS OF o.pt AS f ON o.k = f.id"
    assert ask(left) == "+I[1,eins] +I[2,zwei] +I[2,two] +I[3,None] +I[4,None] +I[5,eins]"
    assert ask(left.replace("JOIN f", "JOIN kept")) == ask(left)
    several = """SELECT o.id, f.name, d.age, o.pt IS NULL FROM o JOIN f AS OF o.pt AS f ON o.k = f.id
      LEFT JOIN d AS OF o.pt AS d ON f.id = d.id AND d.age > 30 AND o.v < d.age"""
    assert ask(several) == (
        "+I[1,eins,None,False] +I[2,zwei,40,False] +I[2,zwei,41,False] +I[2,two,40,False] +I[2,two,41,False] "
        "+I[5,eins,None,False]"
    )


@pytest.mark.spark
def test_conditions_and_computed_columns(ask: Ask) -> None:
    conditions = """SELECT o.id, UPPER(d.name) FROM o LEFT JOIN d AS OF o.pt AS d
      ON o.k = d.id AND d.city = 'Rome' AND o.v < d.age AND o.v > 1"""
    assert ask(conditions) == "+I[1,None] +I[2,BO] +I[3,None] +I[4,None] +I[5,None]"
    computed = (
        "SELECT o.id, d.name FROM o JOIN d AS OF o.pt AS d ON o.k + 1 = d.id AND LOWER(d.city) = 'rome'"
    )
    assert ask(computed) == "+I[1,Bo] +I[5,Bo]"
    where = "SELECT o.id, d.name FROM o JOIN d AS OF o.pt AS d ON o.k = d.id WHERE d.age > 30 AND o.v < 5"
    assert ask(where) == "+I[2,Bob] +I[2,Bo]"
    within = "SELECT id FROM o WHERE k IN (SELECT d.id FROM o JOIN d AS OF o.pt AS d ON o.k = d.id)"
    assert sorted(ask(within).split()) == ["+I[1]", "+I[2]", "+I[5]"]


@pytest.mark.spark
def test_changes_are_forwarded(ask: Ask) -> None:
    changes = "SELECT c.id, d.name FROM c LEFT JOIN d AS OF c.pt AS d ON c.k = d.id"
    assert ask(changes) == "+I[1,Ann] +I[2,None] -U[1,Ann] +U[1,Bob] +U[1,Bo] -D[2,None]"
    counted = "SELECT d.city, COUNT(*) FROM c JOIN d AS OF c.pt AS d ON c.k = d.id GROUP BY d.city"
    assert ask(counted) == "+I[Rome,1] -D[Rome,1] +I[Oslo,1] +I[Rome,1]"
    ask("SET 'table.optimizer.non-deterministic-update.strategy' = 'TRY_RESOLVE'")
    assert "upsertMaterialize=[true]" in ask(f"EXPLAIN {counted}")
    assert ask(counted) == "+I[Rome,1] -D[Rome,1] +I[Oslo,1] +I[Rome,1]"
