"""Firesteel's side: the answers to each kind of statement, and what Flink is asked."""

from __future__ import annotations

from pathlib import Path

import pytest

from firesteel.testing.flink.own_answers import OwnAnswers, passes_on
from firesteel.testing.flink.requests import Asked
from tests.testing.verify.planted import TOTALS, write_job


def answers(folder: Path, statements: str, **options: str) -> list[Asked]:
    """The answers to statements after the definitions of the job."""
    text = write_job(folder, statements).read_text(encoding="utf-8").replace("${DATA}", str(folder))
    tables = folder / "tables"
    tables.mkdir()
    found = OwnAnswers("job.sql", text, str(folder), options, tables, has_jars=False).all()
    assert all(each.is_definition for each in found[:3])
    return found[3:]


def kinds(asked: Asked) -> list[str]:
    return [request["do"] for request in asked.requests]


def test_a_query_has_a_plan_and_changes(tmp_path: Path) -> None:
    (asked,) = answers(tmp_path, "SELECT name, SUM(cnt) AS total FROM orders GROUP BY name;\n")
    assert (asked.line, asked.names, asked.key, asked.compares_changes) == (7, ("name", "total"), (0,), True)
    assert asked.own.error is None
    assert asked.own.rows is not None
    assert asked.own.rows[:3] == [["+I", "Tom", "12"], ["-U", "Tom", "12"], ["+U", "Tom", "21"]]
    assert "GroupAggregate(groupBy=[name]" in (asked.own.plan or "")
    assert kinds(asked) == ["plan", "rows"]
    assert asked.requests[1]["sql"].startswith("SELECT name")


def test_of_an_insert_the_query_runs_and_the_whole_is_planned(tmp_path: Path) -> None:
    (asked,) = answers(tmp_path, TOTALS)
    assert asked.requests[0]["sql"].startswith("EXPLAIN CHANGELOG_MODE INSERT INTO totals SELECT name")
    assert asked.requests[1]["sql"].startswith("SELECT name, COUNT(*)")
    assert asked.approximate == (3,)
    assert [request["sql"].split("(")[0].strip() for request in asked.setup] == [
        "DROP TABLE `default_catalog`.`default_database`.`totals`",
        "CREATE TABLE `default_catalog`.`default_database`.`totals`",
    ]
    assert not (tmp_path / "sink.db").exists()


def test_joins_and_mini_batches_compare_rows_only(tmp_path: Path) -> None:
    (joined,) = answers(tmp_path, "SELECT a.id FROM orders a JOIN orders b ON a.id = b.id;\n")
    assert not joined.compares_changes


def test_mini_batches_compare_rows_only(tmp_path: Path) -> None:
    options = {
        "table.exec.mini-batch.enabled": "true",
        "table.exec.mini-batch.allow-latency": "1 s",
        "table.exec.mini-batch.size": "10",
    }
    (asked,) = answers(tmp_path, "SELECT name, SUM(cnt) FROM orders GROUP BY name;\n", **options)
    assert not asked.compares_changes
    assert asked.own.rows is not None


def test_a_value_of_each_run_is_not_compared(tmp_path: Path) -> None:
    (asked,) = answers(tmp_path, "SELECT id, RAND() FROM orders;\n")
    assert kinds(asked) == ["plan"]
    assert asked.notes == ["the rows are not compared: each run gives RAND another value"]
    assert asked.own.plan is not None


def test_a_computed_column_that_is_not_read_does_not_vary(tmp_path: Path) -> None:
    table = (
        "CREATE TABLE t (id BIGINT, p AS PROCTIME()) WITH ('connector' = 'filesystem', 'format' = 'json', "
    )
    data = tmp_path / "t.json"
    data.write_text('{"id": 1}\n', encoding="utf-8")
    (_, asked) = answers(tmp_path, f"{table}'path' = '{data}');\nSELECT id FROM t;\n")
    assert asked.own.rows == [["+I", "1"]]


def test_an_error_is_an_answer_and_the_next_statement_runs(tmp_path: Path) -> None:
    found = answers(tmp_path, "SELECT * FROM nope;\nSELECT FROM;\nSELECT id / 0 FROM orders;\nSELECT 1;\n")
    assert [each.line for each in found] == [7, 8, 9, 10]
    assert found[0].own.error == "Object 'nope' not found"
    assert kinds(found[0]) == ["plan"]
    assert found[1].own.error is not None
    assert found[1].requests == [{"do": "plan", "sql": "EXPLAIN CHANGELOG_MODE SELECT FROM"}]
    assert found[2].own.error == "/ by zero; row +I[1]"
    assert kinds(found[2]) == ["plan", "rows"]
    assert found[3].own.rows == [["+I", "1"]]


def test_a_statement_set_has_a_plan_and_each_of_its_inserts_rows(tmp_path: Path) -> None:
    both = f"{TOTALS}INSERT INTO big SELECT id, name, cnt FROM orders;\n"
    found = answers(tmp_path, f"EXECUTE STATEMENT SET BEGIN\n{both}END;\n")
    assert [kinds(each) for each in found] == [["plan"], ["plan", "rows"], ["plan", "rows"]]
    assert found[0].requests[0]["sql"].startswith("EXPLAIN CHANGELOG_MODE STATEMENT SET BEGIN")
    assert all(each.own.error is None for each in found)


def test_create_table_as_is_a_table_for_flink_and_a_query(tmp_path: Path) -> None:
    made = "CREATE TABLE made WITH ('connector' = 'blackhole') AS SELECT id FROM orders;\n"
    found = answers(tmp_path, f"{made}INSERT INTO made SELECT id FROM orders;\n")
    assert found[0].setup[-1]["sql"].startswith("CREATE TABLE `default_catalog`.`default_database`.`made`")
    assert [kinds(each) for each in found] == [["plan", "rows"], ["plan", "rows"]]


def test_options_of_the_planner_are_set_on_flink_too(tmp_path: Path) -> None:
    found = answers(
        tmp_path,
        "SET 'table.local-time-zone' = 'UTC';\n"
        "SET 'parallelism.default' = '8';\n"
        "RESET 'table.local-time-zone';\n",
    )
    assert [each.requests for each in found] == [
        [{"do": "set", "key": "table.local-time-zone", "value": "UTC"}],
        [],
        [{"do": "reset", "key": "table.local-time-zone"}],
    ]


@pytest.mark.parametrize(
    ("key", "passed"),
    [
        ("table.exec.state.ttl", True),
        ("table.exec.resource.default-parallelism", False),
        ("execution.checkpointing.dir", False),
        ("spark.master", False),
    ],
)
def test_options_of_the_run_are_not_flinks(key: str, passed: bool) -> None:
    assert passes_on(key) is passed


def test_statements_that_only_look_are_left_out(tmp_path: Path) -> None:
    assert answers(tmp_path, "SHOW TABLES;\nDESCRIBE orders;\n") == []


def test_explain_compares_plans_only(tmp_path: Path) -> None:
    (asked,) = answers(tmp_path, "EXPLAIN PLAN FOR SELECT id FROM orders;\n")
    assert asked.requests == [{"do": "plan", "sql": "EXPLAIN CHANGELOG_MODE SELECT id FROM orders"}]
