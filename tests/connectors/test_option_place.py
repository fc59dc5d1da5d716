"""An error about a table's option points at the option where it was set, not at the query that uses it."""

from __future__ import annotations

from pathlib import Path

import pytest

from firesteel import TableEnvironment
from firesteel.background import in_thread
from firesteel.catalog.schema import Table
from firesteel.cli.run import Runner
from firesteel.connectors.registry import connector
from firesteel.errors import DataError, FiresteelError, ValidationError
from firesteel.session.jobs import job_of
from firesteel.session.planning import plan
from firesteel.session.running.preflight import checks_of
from firesteel.sql.statements import Query

KAFKA = "'connector' = 'kafka', 'topic' = 'a', 'properties.bootstrap.servers' = 'localhost:1'"
FILES = "'connector' = 'filesystem', 'path' = '/tmp'"
GENERATED = "'connector' = 'datagen'"
DATABASE = "'connector' = 'jdbc', 'table-name' = 't'"


def underlined(error: FiresteelError) -> str:
    """The text below which the carets stand."""
    assert error.range is not None
    assert error.sql is not None
    return error.sql[error.range.start : error.range.end]


@pytest.mark.parametrize(
    ("options", "wrong"),
    [
        ("'connector' = 'kafkaa'", "'connector' = 'kafkaa'"),
        (f"{FILES}, 'format' = 'jsn'", "'format' = 'jsn'"),
        (f"{FILES}, 'format' = 'json', 'pth' = '/tmp'", "'pth' = '/tmp'"),
        (
            f"{FILES}, 'format' = 'json', 'json.ignore-parse-errors' = 'x'",
            "'json.ignore-parse-errors' = 'x'",
        ),
        (
            f"{FILES}, 'format' = 'json', 'json.timestamp-format.standard' = 'ISO'",
            "'json.timestamp-format.standard' = 'ISO'",
        ),
        (f"{FILES}, 'format' = 'csv', 'csv.field-delimiter' = 'ab'", "'csv.field-delimiter' = 'ab'"),
        (f"{FILES}, 'format' = 'avro', 'avro.encoding' = 'x'", "'avro.encoding' = 'x'"),
        (f"{FILES}, 'format' = 'parquet', 'parquet.compression' = 'x'", "'parquet.compression' = 'x'"),
        (
            f"{FILES}, 'format' = 'json',\n 'source.monitor-interval'\n = 'x'",
            "'source.monitor-interval'\n = 'x'",
        ),
        (f"{GENERATED}, 'fields.a.kind' = 'x'", "'fields.a.kind' = 'x'"),
        (f"{GENERATED}, 'fields.a.max' = '-9999999999'", "'fields.a.max' = '-9999999999'"),
        (f"{GENERATED}, 'rows-per-second' = 'many'", "'rows-per-second' = 'many'"),
        (f"{DATABASE}, 'url' = 'jdbc:oracle:x'", "'url' = 'jdbc:oracle:x'"),
        (f"{DATABASE}, 'url' = 'jdbc:sqlite:'", "'url' = 'jdbc:sqlite:'"),
        (f"{KAFKA}, 'value.format' = 'xml'", "'value.format' = 'xml'"),
        (f"{KAFKA}, 'value.format' = 'raw', 'value.raw.charset' = 'x'", "'value.raw.charset' = 'x'"),
        (f"{KAFKA}, 'format' = 'json', 'scan.startup.mode' = 'x'", "'scan.startup.mode' = 'x'"),
        (f"{KAFKA}, 'format' = 'json', 'key.format' = 'jsn'", "'key.format' = 'jsn'"),
        (f"{KAFKA}, 'format' = 'json', 'topic-pattern' = 'x'", "'topic-pattern' = 'x'"),
        (
            f"{KAFKA}, 'format' = 'json', 'properties.security.providers' = 'x'",
            "'properties.security.providers' = 'x'",
        ),
        (
            f"{KAFKA}, 'format' = 'json', 'scan.watermark.idle-timeout' = 'x'",
            "'scan.watermark.idle-timeout' = 'x'",
        ),
        ("'connector' = 'filesystem', 'paht' = '/tmp', 'format' = 'json'", "'paht' = '/tmp'"),
        ("'connector' = 'filesystem', 'format' = 'json'", "t"),  # it has no place: the table's name
    ],
)  # fmt: skip
def test_the_option_is_underlined_in_create_table(options: str, wrong: str) -> None:
    environment = TableEnvironment.create()
    environment.execute_sql(f"CREATE TABLE t (a INT) WITH ({options})")
    with pytest.raises(FiresteelError) as raised:
        environment.execute_sql("EXPLAIN SELECT a FROM t")
    assert underlined(raised.value) == wrong
    assert "CREATE TABLE t (a INT) WITH (" in raised.value.sql or ""


def test_an_option_of_another_statement_is_shown_there() -> None:
    environment = TableEnvironment.create()
    environment.execute_sql(f"CREATE TABLE t (a INT) WITH ({FILES}, 'format' = 'json')")
    environment.execute_sql("ALTER TABLE t SET ('json.ignore-parse-errors' = 'maybe')")
    environment.execute_sql("ALTER TABLE t ADD (b INT)")
    environment.execute_sql("CREATE TABLE s WITH ('path' = '/') LIKE t")
    for name in ("t", "s"):
        with pytest.raises(ValidationError) as raised:
            environment.execute_sql(f"EXPLAIN SELECT a FROM {name}")
        assert underlined(raised.value) == "'json.ignore-parse-errors' = 'maybe'"
        assert raised.value.sql == "ALTER TABLE t SET ('json.ignore-parse-errors' = 'maybe')"


def test_a_hint_is_not_looked_for_in_create_table() -> None:
    environment = TableEnvironment.create()
    environment.execute_sql(f"CREATE TABLE t (a INT) WITH ({FILES}, 'format' = 'json')")
    query = "EXPLAIN SELECT a FROM t /*+ OPTIONS('format' = 'jsn') */"
    with pytest.raises(ValidationError) as raised:
        environment.execute_sql(query)
    assert raised.value.sql == query


def check(environment: TableEnvironment, query: str) -> None:
    """Run the checks of a query's job that are made while Spark starts."""
    (statement,) = environment.parse(query)
    assert isinstance(statement, Query)
    job = job_of(environment, [plan(environment, statement, query, collect=True).physical])
    for each in checks_of(environment, job, query, is_local=True):
        in_thread(each).result()


@pytest.mark.parametrize(
    ("options", "wrong"),
    [
        (f"{KAFKA}, 'format' = 'json'", "t"),
        (
            f"{KAFKA}, 'format' = 'json', 'scan.startup.mode' = 'group-offsets'",
            "'scan.startup.mode' = 'group-offsets'",
        ),
        (
            "'connector' = 'kafka', 'topic' = 'a', 'properties.bootstrap.servers' = '127.0.0.1:1', "
            "'format' = 'json', 'scan.startup.mode' = 'earliest-offset'",
            "'properties.bootstrap.servers' = '127.0.0.1:1'",
        ),
        (
            "'connector' = 'filesystem', 'path' = '/nowhere/at/all', 'format' = 'json'",
            "'path' = '/nowhere/at/all'",
        ),
        (
            "'connector' = 'jdbc', 'table-name' = 'nowhere', 'url' = 'jdbc:sqlite:/nowhere/at/all.db'",
            "'url' = 'jdbc:sqlite:/nowhere/at/all.db'",
        ),
        (
            "'connector' = 'jdbc', 'table-name' = 'b', 'url' = 'jdbc:sqlite:{folder}/x.db'",
            "'table-name' = 'b'",
        ),
    ],
)
def test_what_is_found_while_spark_starts_points_at_the_option(
    options: str, wrong: str, tmp_path: Path
) -> None:
    environment = TableEnvironment.create()
    environment.execute_sql(f"CREATE TABLE t (a INT) WITH ({options.replace('{folder}', str(tmp_path))})")
    with pytest.raises(FiresteelError) as raised:
        check(environment, "SELECT a FROM t")
    assert underlined(raised.value) == wrong


def test_a_hints_value_is_not_taken_for_the_tables(tmp_path: Path) -> None:
    environment = TableEnvironment.create()
    environment.execute_sql(
        f"CREATE TABLE t (a INT) WITH ('connector' = 'filesystem', 'path' = '{tmp_path}', 'format' = 'json')"
    )
    with pytest.raises(DataError) as raised:
        check(environment, "SELECT a FROM t /*+ OPTIONS('path' = '/nowhere/at/all') */")
    assert raised.value.range is None


def test_keep_going_shows_the_line_of_the_script(capsys: pytest.CaptureFixture[str]) -> None:
    environment = TableEnvironment.create()
    script = "SHOW TABLES; CREATE TABLE t (a INT) WITH ('connector' = 'x');\nEXPLAIN SELECT a FROM t;"
    assert Runner(environment).run_all(script) == 2
    lines = capsys.readouterr().out.splitlines()
    (at,) = (i for i, line in enumerate(lines) if "^" in line)
    line = "    1 | SHOW TABLES; CREATE TABLE t (a INT) WITH ('connector' = 'x');"
    assert lines[at - 1] == line
    assert lines[at] == " " * line.index("'connector'") + "^" * len("'connector' = 'x'")


def test_places_are_no_part_of_a_tables_identity() -> None:
    tables = []
    for blanks in ("", "   "):
        environment = TableEnvironment.create()
        environment.execute_sql(f"CREATE TABLE t (a INT) WITH ({blanks}'connector' = 'datagen')")
        tables.append(environment.catalog.get(("t",)))
    first, second = tables
    assert isinstance(first, Table)
    assert first == second
    assert first.option_places != second.option_places
    assert connector("datagen").traits(first) == first.traits
