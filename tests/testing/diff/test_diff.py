"""The difference of two scripts: plans, rows by key, columns, statements of one side, the shared input."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from firesteel.errors import FiresteelError, UsageError
from firesteel.session.upgrade.comparison import Change
from firesteel.testing.diff.diff import Diff, diff
from firesteel.testing.verify import inputs
from tests.session.upgrade.stopped_job import SUMS, StoppedJob
from tests.testing.verify.planted import SCRIPT, TOTALS, write_job

MORE = TOTALS.replace("GROUP BY", "WHERE cnt > 5 GROUP BY")


def compared(folder: Path, old: str, new: str) -> Diff:
    write_job(folder, old)
    (folder / "new.sql").write_text(SCRIPT + new, encoding="utf-8")
    paths = [str(folder / "job.sql"), str(folder / "new.sql")]
    return diff(paths, [], define={"DATA": str(folder)})


def test_equal_scripts(tmp_path: Path) -> None:
    found = compared(tmp_path, TOTALS, f"-- another comment\n{TOTALS}")
    assert found.is_same
    assert list(found.lines()) == ["totals: the same plan, the same rows (4)"]
    assert not (tmp_path / "sink.db").exists()


def test_plans_are_compared_by_operator_and_rows_by_key(tmp_path: Path) -> None:
    found = compared(tmp_path, TOTALS, MORE)
    (totals,) = found.statements
    assert not found.is_same
    assert {each.change for each in totals.operators} == {Change.CHANGED, Change.NEW, Change.INPUT}
    assert (totals.count, totals.rows, totals.names) == (3, (4, 1), ("name",))
    assert [(each.key, each.expected, each.found) for each in totals.first] == [
        (("Ann",), ["[Ann, 1, 0, 1.5]"], []),
        (("Bob",), ["[Bob, 1, 5, <NULL>]"], []),
        (("Joe",), ["[Joe, 1, <NULL>, 3.0]"], []),
    ]
    assert next(iter(found.lines())) == "totals: the plan changes, 3 keys differ (rows: old 4, new 1)"


def test_another_plan_with_the_same_rows_is_a_difference(tmp_path: Path) -> None:
    found = compared(tmp_path, "SELECT id FROM orders;\n", "SELECT id FROM orders WHERE id > 0;\n")
    (query,) = found.statements
    assert (query.count, query.is_different, found.is_same) == (0, True, False)


def test_joins_of_mini_batches(tmp_path: Path) -> None:
    query = (
        "SELECT a.name, n, b.id FROM (SELECT name, COUNT(*) AS n FROM orders GROUP BY name) AS a "
        "LEFT JOIN orders AS b ON a.name = b.name;\n"
    )
    options = {"enabled": "true", "allow-latency": "5 s", "size": "100"}
    bundled = "".join(f"SET 'table.exec.mini-batch.{name}' = '{value}';\n" for name, value in options.items())
    (found,) = compared(tmp_path, query, bundled + query).statements
    assert (found.count, found.is_different) == (0, True)


def test_rows_are_compared_by_the_columns_that_both_have(tmp_path: Path) -> None:
    old = "SELECT name, SUM(cnt) AS total FROM orders GROUP BY name;\n"
    new = "SELECT name, SUM(cnt) AS total, 'x' AS more FROM orders GROUP BY name;\n"
    (query,) = compared(tmp_path, old, new).statements
    assert (query.count, query.is_different) == (0, True)
    assert query.remarks == [
        "only the new side has more CHAR(1) NOT NULL",
        "the rows are compared by name, total",
    ]


def test_no_column_is_the_same(tmp_path: Path) -> None:
    (query,) = compared(tmp_path, "SELECT id FROM orders;\n", "SELECT name FROM orders;\n").statements
    assert query.remarks[-1] == "no column is the same"
    assert (query.count, query.is_different) == (0, True)


def test_statements_are_paired_by_table_and_queries_by_their_order(tmp_path: Path) -> None:
    big = "INSERT INTO big SELECT id, name, cnt FROM orders;\n"
    found = compared(tmp_path, f"SELECT 1;\n{big}SELECT 2;\n{TOTALS}", f"{TOTALS}SELECT 1;\n")
    assert [each.name for each in found.statements] == ["totals", "query"]
    assert (found.only_old, found.only_new) == (["big", "query (2)"], [])
    assert list(found.lines())[-1] == "query (2): only on the old side"
    assert not found.is_same


def test_rows_whose_values_differ_in_each_run_are_not_compared(tmp_path: Path) -> None:
    found = compared(tmp_path, "SELECT RAND() FROM orders;\n", "SELECT RAND() FROM orders;\n")
    assert found.is_same
    assert list(found.lines()) == [
        "query: the same plan",
        "  the rows are not compared: each run gives RAND another value",
    ]


def test_a_table_of_both_scripts_is_read_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []
    original = inputs._read

    def counting(scan: object, *rest: object, **more: object) -> object:
        read.append(scan.table)  # type: ignore[attr-defined]
        return original(scan, *rest, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(inputs, "_read", counting)
    compared(tmp_path, TOTALS, MORE)
    assert read == ["default_catalog.default_database.orders"]


def test_a_folder_without_end_is_read_up_to_now_and_generated_rows_are_refused(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "1.json").write_text(json.dumps({"id": 1}) + "\n", encoding="utf-8")
    script = tmp_path / "job.sql"
    table = "CREATE TABLE t (id INT) WITH ('connector' = "
    files = f"'filesystem', 'path' = '{tmp_path}/in', 'format' = 'json', 'source.monitor-interval' = '1 s'"
    endless = f"{table}{files});"
    script.write_text(f"{endless}\nSELECT * FROM t;\n", encoding="utf-8")
    (query,) = diff([str(script), str(script)], []).statements
    assert query.rows == (1, 1)
    script.write_text(f"{table}'datagen');\nSELECT * FROM t;\n", encoding="utf-8")
    with pytest.raises(UsageError, match="has no end"):
        diff([str(script), str(script)], [])


def test_a_run_and_a_new_script_over_what_the_run_has_read(tmp_path: Path) -> None:
    job = StoppedJob(tmp_path)
    (tmp_path / "in" / "2.json").write_text('{"id": 2, "name": "Ann", "cnt": 5}\n')
    text = json.loads((job.folder() / "script.json").read_text())["text"]
    new = tmp_path / "new.sql"
    new.write_text(text.replace("SUM(cnt)", "SUM(cnt + 1)"))
    (totals,) = diff([str(new)], [str(job.checkpoint)]).statements
    assert totals.rows == (1, 1)
    assert [(each.expected, each.found) for each in totals.first] == [(["[Tom, 3, 1]"], ["[Tom, 4, 1]"])]


def test_two_runs_each_over_what_it_has_read(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
    one, other = StoppedJob(tmp_path / "a"), StoppedJob(tmp_path / "b", SUMS.replace("SUM", "MAX"))
    found = diff([], [str(one.checkpoint), str(other.checkpoint)])
    assert [each.name for each in found.statements] == ["totals"]
    assert found.statements[0].count == 0
    assert not found.is_same


@pytest.mark.parametrize(
    ("scripts", "checkpoints", "message"),
    [
        ([], [], "two sides are compared, got 0"),
        (["job.sql"], [], "two sides are compared, got 1"),
        (["job.sql", "job.sql"], ["x"], "two sides are compared, got 3"),
        (["none.sql", "job.sql"], [], "none.sql: No such file"),
        (["empty.sql", "job.sql"], [], "empty.sql has no query and no INSERT"),
        (["job.sql"], ["."], "is no checkpoint that keeps its script"),
        (["job.sql"], ["none"], "there is no folder none"),
        (["job.sql"], ["s3a://bucket/x"], "the comparison of a checkpoint on another file system"),
    ],
)
def test_wrong_sides(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    scripts: list[str],
    checkpoints: list[str],
    message: str,
) -> None:
    write_job(tmp_path, TOTALS)
    (tmp_path / "empty.sql").write_text("SET 'table.local-time-zone' = 'UTC';\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(FiresteelError, match=message):
        diff(scripts, checkpoints, define={"DATA": "."})
