"""Completion: what can stand at the cursor, `|` in these texts."""

from __future__ import annotations

import pytest

from firesteel import TableEnvironment
from firesteel.cli.shell.completion import Candidate, complete
from firesteel.jobs.job import Source
from firesteel.jobs.registry import Registry

DEFINITIONS = (
    "CREATE TABLE orders (id BIGINT, name STRING, `order` INT) WITH ('connector' = 'blackhole')",
    "CREATE TABLE people (person STRING, age INT) WITH ('connector' = 'blackhole')",
    "CREATE VIEW adults AS SELECT 1 AS a",
)


@pytest.fixture(scope="module")
def environment() -> TableEnvironment:
    made = TableEnvironment.create()
    for each in DEFINITIONS:
        made.execute_sql(each)
    return made


def found(environment: TableEnvironment, text: str) -> list[Candidate]:
    cursor = text.index("|")
    return complete(text.replace("|", "", 1), cursor, environment)


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("|", "SELECT"),
        ("SEL|", "SELECT"),
        ("sel|", "select"),
        ("SELECT 1; INS|", "INSERT INTO"),
        ("SELECT * FROM or|", "orders"),
        ("SELECT * FROM |", "adults"),
        ("SELECT * FROM orders, pe|", "people"),
        ("SELECT * FROM orders JOIN pe|", "people"),
        ("INSERT INTO pe|", "people"),
        ("DESCRIBE or|", "orders"),
        ("DROP TABLE or|", "orders"),
        ("SELECT na| FROM orders", "name"),
        ("SELECT id FROM orders WHERE na|", "name"),
        ("SELECT o.| FROM orders AS o", "id"),
        ("SELECT o.na| FROM people, orders o", "name"),
        ("SELECT person, a| FROM people", "age"),
        ("SELECT ord| FROM orders", "`order`"),
        ("SELECT `ord| FROM orders", "order`"),
        ("SELECT * FROM default_catalog.default_database.or|", "orders"),
        ("SELECT SUBSTR| FROM orders", "SUBSTR"),
        ("SELECT substri| FROM orders", "substring"),
        ("SELECT * FROM orders WHE|", "WHERE"),
        ("SELECT * FROM orders GROUP BY na|", "name"),
        ("SELECT (SELECT MAX(age) FROM people) + COALESCE(1, na|) FROM orders", "name"),
        ("SELECT (SELECT MAX(age) FROM people), na| FROM orders", "name"),
        ("SELECT o.na| FROM (SELECT MAX(age) FROM people) AS t, orders AS o", "name"),
        ("SELECT * FROM orders WHERE id IN (1, na|)", "name"),
        ("SELECT * FROM (SELECT id FROM orders), pe|", "people"),
        ("SELECT * FROM TABLE(TUMBLE(TABLE or|", "orders"),
        ("SELECT * FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(na|", "name"),
        ("SELECT EXTRACT(YEAR FROM na|) FROM orders", "name"),
        ("SELECT id IS DISTINCT FROM na| FROM orders", "name"),
        ("SELECT id, ',', na| FROM orders WHERE name = ')('", "name"),
        ("SELECT * FROM TUMBLE(TABLE orders, DESCRIPTOR(|", "id"),
        ("SELECT win| FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '1' DAY))", "window_start"),
        ("SELECT * FROM default_catalog.|", "default_database"),
        ("SELECT * FROM default_catalog.def|", "default_database"),
        ("EXPLAIN |", "SELECT"),
        ("EXPLAIN SELECT SUBSTR| FROM orders", "SUBSTR"),
        ("EXPLAIN SELECT na| FROM orders", "name"),
        ("EXPLAIN CHANGELOG_MODE |", "SELECT"),
        ("EXPLAIN CHANGELOG_MODE SELECT na| FROM orders", "name"),
        ("EXPLAIN INSERT INTO pe|", "people"),
        ("SHOW TAB|", "TABLES"),
        ("SHOW CREATE T|", "TABLE"),
        ("CREATE TEMPORARY V|", "VIEW"),
        ("SET 'table.exec.state.t|", "table.exec.state.ttl'"),
        ("SET 'mini-batch.si|", "table.exec.mini-batch.size'"),
        ("SET 'sql-client.execution.result-mode' = 'CH|", "CHANGELOG'"),
        ("SET 'table.exec.mini-batch.enabled' = '|", "true'"),
        ("RESET 'table.exec.state.t|'", "table.exec.state.ttl"),
        ("CREATE TABLE t (a INT) WITH ('conn|", "connector'"),
        ("CREATE TABLE t (a INT) WITH ('connector' = 'fi|", "filesystem'"),
        ("CREATE TABLE t (a INT) WITH ('connector' = 'filesystem', '|", "path'"),
        ("CREATE TABLE t (a INT) WITH ('connector' = 'filesystem', 'format' = 'canal|", "canal-json'"),
        ("CREATE TABLE t (a INT) WITH ('connector' = 'filesystem', 'format' = 'json', 'json.ig|",
         "json.ignore-parse-errors'"),
        ("CREATE TABLE t (a INT) WITH ('|', 'connector' = 'datagen')", "number-of-rows"),
        ("HELP metr|", "metrics"),
        ("WH|", "WHY"),
        ("WHY |", "SELECT * FROM"),
        ("WHY CH|", "CHECKPOINT"),
        ("WHY JOB '3' WH|", "WHERE"),
        ("WHY SELECT * FROM or|", "orders"),
        ("WHY SELECT * FROM orders WH|", "WHERE"),
        ("WHY SELECT * FROM orders WHERE na|", "name"),
        ("CREATE TABLE t (a BIG|", "BIGINT"),
    ],
)  # fmt: skip
def test_what_comes_first(environment: TableEnvironment, text: str, first: str) -> None:
    texts = [each.text for each in found(environment, text)]
    assert texts[:1] == [first], texts[:10]


@pytest.mark.parametrize(
    "text",
    [
        "DROP TABLE LAT|",
        "INSERT INTO UNN|",
        "SELECT 1 -- SEL|",
        "/* SEL|",
        "SELECT 'a|",
        "SELECT * FROM nowhere n WHERE n.|",
        "SELECT 1 AS zzz|",
    ],
)
def test_where_nothing_is_known(environment: TableEnvironment, text: str) -> None:
    assert found(environment, text) == []


def test_words_say_what_they_are(environment: TableEnvironment) -> None:
    by_text = {each.text: each for each in found(environment, "SELECT | FROM orders")}
    assert by_text["name"].meta == "STRING"
    assert by_text["UPPER"].meta == "(CHARACTER)"
    assert by_text["SUM"].meta == "aggregate"
    (ttl,) = found(environment, "SET 'table.exec.state.ttl|")
    assert ttl.meta.startswith("Duration, 0 ms: ")
    assert ttl.start == len("SET '")
    assert {each.meta for each in found(environment, "SELECT * FROM adul|")} == {"view"}


def test_columns_of_other_tables_are_left_out(environment: TableEnvironment) -> None:
    texts = {each.text for each in found(environment, "SELECT * FROM people; SELECT | FROM orders")}
    assert "name" in texts
    assert "person" not in texts


def test_completion_is_quick(environment: TableEnvironment) -> None:
    script = "SELECT id, name FROM orders WHERE id > 5 AND name LIKE 'a%';\n" * 300
    assert found(environment, script + "SELECT na| FROM orders")[0].text == "name"


def test_why_takes_jobs_that_have_ended(
    environment: TableEnvironment, monkeypatch: pytest.MonkeyPatch
) -> None:
    jobs = Registry()
    monkeypatch.setattr("firesteel.session.vocabulary.names.JOBS", jobs)
    jobs.add(Source("SELECT 1")).end()
    jobs.add(Source("SELECT 2"))
    assert [each.text for each in found(environment, "WHY JOB '|'")] == ["1", "2"]
    assert [each.text for each in found(environment, "STOP JOB '|'")] == ["2"]


def test_a_function_that_is_typed_whole_shows_its_signature(environment: TableEnvironment) -> None:
    form = "(CHARACTER, CHARACTER, CHARACTER)"
    assert found(environment, "SELECT replac|") == [Candidate("replace", 7, form)]
    assert found(environment, "SELECT replace|") == [
        Candidate("replace", 7, form),
        Candidate("replace(", 7, form),
    ]
    assert found(environment, "SELECT name| FROM orders") == [Candidate("name", 7, "STRING")]
