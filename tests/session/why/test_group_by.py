"""Why a row of a GROUP BY over files is as it is. No Spark runs."""

from __future__ import annotations

from pathlib import Path

import pytest

from firesteel.session.why.explanation import Explanation
from tests.why.past_job import PastJob, write_lines

TABLES = """\
CREATE TABLE sales (name STRING, cnt INT, city STRING)
  WITH ('connector' = 'filesystem', 'path' = '{base}/in', 'format' = 'json');
CREATE TABLE totals (name STRING, total INT)
  WITH ('connector' = 'filesystem', 'path' = '{base}/totals', 'format' = 'debezium-json');
"""
SUMS = (
    "INSERT INTO totals SELECT name, SUM(cnt) FROM sales WHERE city <> 'Oslo' GROUP BY name "
    "HAVING SUM(cnt) > 5;"
)


def make(base: Path, statement: str = SUMS, rows: int = 2, tables: str = TABLES, **options: str) -> PastJob:
    write_lines(
        base / "in" / "1.json",
        {"name": "Tom", "cnt": 3, "city": "Bern"},
        {"name": "Ann", "cnt": 9, "city": "Rome"},
        {"name": "Tom", "cnt": 7, "city": "Oslo"},
        {"name": "Tom", "cnt": 4, "city": "Rome"},
    )
    write_lines(
        base / "in" / "2.json",
        {"name": "Tom", "cnt": 0, "city": "Bern"},
        {"name": "Bob", "cnt": 1, "city": "Rome"},
        {"name": "Tom", "cnt": 1, "city": "Bern"},
    )
    return PastJob(base, tables + statement, rows, {key.replace("_", "."): v for key, v in options.items()})


def places(found: Explanation) -> list[tuple[str, object]]:
    """Return file and line of each source row."""
    return [(Path(str(each.place["file"])).name, each.place["line"]) for each in found.sources]


def test_the_source_rows(tmp_path: Path) -> None:
    found = make(tmp_path).why("name = 'Tom'")
    assert places(found) == [("1.json", 1), ("1.json", 3), ("1.json", 4), ("2.json", 1), ("2.json", 3)]
    assert [(each.batch, each.table, each.row) for each in found.sources] == [
        ("0", "sales", "+I[Tom, 3, Bern]"),
        ("1", "sales", "+I[Tom, 7, Oslo]"),
        ("1", "sales", "+I[Tom, 4, Rome]"),
        ("2", "sales", "+I[Tom, 0, Bern]"),
        ("3", "sales", "+I[Tom, 1, Bern]"),
    ]
    assert (found.table, found.key, found.batch, found.rows) == ("totals", {"name": "Tom"}, 3, ["[Tom, 8]"])


def test_what_each_operator_did(tmp_path: Path) -> None:
    where, group, having = make(tmp_path).why("name = 'Tom'").operators
    assert where.operator.startswith("Calc(")
    assert (where.key, group.key) == (None, ("Tom",))
    dropped = "not sent: the condition is not true"
    assert [step.note for step in where.steps] == ["", dropped, "", "", ""]
    assert group.operator.startswith("GroupAggregate(groupBy=[name]")
    assert [(s.received, s.before, s.after, s.sent, s.note) for s in group.steps] == [
        (["+I[Tom, 3]"], [], ["v0=3"], ["+I[Tom, 3]"], ""),
        (["+I[Tom, 4]"], ["v0=3"], ["v0=7"], ["-U[Tom, 3]", "+U[Tom, 7]"], ""),
        (["+I[Tom, 0]"], ["v0=7"], ["v0=7"], [], "not sent: the result is unchanged"),
        (["+I[Tom, 1]"], ["v0=7"], ["v0=8"], ["-U[Tom, 7]", "+U[Tom, 8]"], ""),
    ]
    assert [step.causes[0]["line"] for step in group.steps] == [1, 4, 1, 3]
    assert [(step.received, step.note) for step in having.steps[:3]] == [
        (["+I[Tom, 3]"], dropped),
        (["-U[Tom, 3]"], dropped),
        (["+U[Tom, 7]"], ""),
    ]


def test_the_changes_of_the_sink(tmp_path: Path) -> None:
    found = make(tmp_path).why("name = 'Tom'")
    assert [(each.batch, each.cause["line"], each.row) for each in found.changes] == [
        ("1", 4, "+U[Tom, 7]"),
        ("3", 3, "-U[Tom, 7]"),
        ("3", 3, "+U[Tom, 8]"),
    ]


def test_a_row_that_is_not_sent(tmp_path: Path) -> None:
    found = make(tmp_path).why("name = 'Bob'")
    assert (found.rows, found.changes) == ([], [])
    assert places(found) == [("2.json", 2)]
    assert [operator.steps[-1].note for operator in found.operators][1:] == [
        "",
        "not sent: the condition is not true",
    ]


def test_an_earlier_micro_batch(tmp_path: Path) -> None:
    found = make(tmp_path).why("name = 'Tom'", at=1)
    assert (found.batch, found.rows) == (1, ["[Tom, 7]"])
    assert places(found) == [("1.json", 1), ("1.json", 3), ("1.json", 4)]


def test_the_last_rows_only(tmp_path: Path) -> None:
    found = make(tmp_path).why("name = 'Tom'", limit=2)
    assert places(found) == [("2.json", 1), ("2.json", 3)]
    assert (found.all_sources, found.all_changes, len(found.changes)) == (5, 3, 2)
    _, group, _ = found.operators
    assert [(step.before, step.after) for step in group.steps] == [(["v0=7"], ["v0=7"]), (["v0=7"], ["v0=8"])]
    assert group.left_out > 0


@pytest.mark.parametrize("rows", [1, 3, 100])
def test_micro_batches_do_not_matter(tmp_path: Path, rows: int) -> None:
    found = make(tmp_path, rows=rows).why("name = 'Tom'")
    assert places(found) == [("1.json", 1), ("1.json", 3), ("1.json", 4), ("2.json", 1), ("2.json", 3)]
    assert found.rows == ["[Tom, 8]"]


def test_a_computed_key(tmp_path: Path) -> None:
    statement = "INSERT INTO totals SELECT UPPER(name), SUM(cnt) FROM sales GROUP BY UPPER(name);"
    found = make(tmp_path, statement).why("name = 'TOM'")
    assert places(found) == [("1.json", 1), ("1.json", 3), ("1.json", 4), ("2.json", 1), ("2.json", 3)]
    assert found.rows == ["[TOM, 15]"]


def test_a_value_that_is_no_key(tmp_path: Path) -> None:
    found = make(tmp_path).why("total = 7")
    assert [each.row for each in found.changes] == ["+U[Tom, 7]", "-U[Tom, 7]"]
    assert {each.row.split(",")[0] for each in found.sources} == {"+I[Tom"}
    assert found.rows == []


def test_mini_batches(tmp_path: Path) -> None:
    options = {
        "table.exec.mini-batch.enabled": "true",
        "table.exec.mini-batch.size": "100",
        "table.exec.mini-batch.allow-latency": "1 s",
    }
    found = make(tmp_path, rows=4, **{key.replace(".", "_"): value for key, value in options.items()}).why(
        "name = 'Tom'"
    )
    assert places(found) == [("1.json", 1), ("1.json", 3), ("1.json", 4), ("2.json", 1), ("2.json", 3)]
    assert found.rows == ["[Tom, 8]"]
    (group,) = (each for each in found.operators if each.operator.startswith("GlobalGroupAggregate"))
    assert [step.sent for step in group.steps] == [["+I[Tom, 7]"], ["-U[Tom, 7]", "+U[Tom, 8]"]]


def test_retractions(tmp_path: Path) -> None:
    tables = TABLES.replace("'format' = 'json'", "'format' = 'debezium-json'")
    (tmp_path / "in").mkdir()
    row = {"name": "Tom", "cnt": 3, "city": "Bern"}
    write_lines(
        tmp_path / "in" / "1.json",
        {"before": {**row, "name": "Eva"}, "after": None, "op": "d"},
        {"before": None, "after": row, "op": "c"},
        {"before": row, "after": {**row, "cnt": 5}, "op": "u"},
    )
    job = PastJob(tmp_path, tables + SUMS.replace("HAVING SUM(cnt) > 5", ""))
    found = job.why("name = 'Tom'")
    assert [(each.place["line"], each.row) for each in found.sources] == [
        (2, "+I[Tom, 3, Bern]"),
        (3, "-U[Tom, 3, Bern]"),
        (3, "+U[Tom, 5, Bern]"),
    ]
    assert found.rows == ["[Tom, 5]"]
    orphan = job.why("name = 'Eva'").operators[-1]
    assert [step.note for step in orphan.steps] == [
        "not sent: no stored row fits, so there is nothing to take back"
    ]
