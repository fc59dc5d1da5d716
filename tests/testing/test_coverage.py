"""Coverage names the branches that no test takes, and no others."""

from __future__ import annotations

from pathlib import Path

import pytest

from firesteel.testing.coverage.points import Coverage
from firesteel.testing.run import run_case
from tests.testing.files import SCRIPT, read


def never_taken(folder: Path, tests: str, script: str = SCRIPT) -> list[str]:
    file = read(folder, tests, script)
    coverage = Coverage()
    for case in file.cases:
        found = run_case(file, case)
        assert found.error is None, found.text()
        coverage.merge(found.coverage)
    return [line.strip() for line in coverage.lines()[2:]]


def sizes(rows: str) -> str:
    return f"- name: t\n  of: sizes\n  input: {{orders: [{rows}]}}\n  expect: {{rows: []}}\n"


def test_arms_of_a_case_filters_and_kinds_of_changes(tmp_path: Path) -> None:
    # A view's text is not the script's, so its expressions show as in plans.
    case = "CASE((cnt > 100), 'large', (cnt > 10), 'middle', 'small')"
    assert never_taken(tmp_path, sizes("[1, Tom, 11]")) == [
        "table orders: updates a row",
        "table orders: deletes a row",
        "WHERE (name <> ''): does not pass",
        f"{case}: WHEN (cnt > 100)",
        f"{case}: ELSE",
    ]
    every = "[1, Tom, 11], [2, Tom, 101], [3, '', 300], [-U, 1, Tom, 11], [+U, 1, Tom, 2], [-D, 2, Tom, 101]"
    assert never_taken(tmp_path, sizes(every)) == []


def test_a_row_that_the_filter_drops_takes_no_arm(tmp_path: Path) -> None:
    found = never_taken(tmp_path, sizes("[1, '', 300]"))
    assert len([line for line in found if line.startswith("CASE")]) == 3


def test_tests_of_one_script_add_up(tmp_path: Path) -> None:
    found = never_taken(
        tmp_path, sizes("[1, Tom, 11]") + sizes("[1, Tom, 200]").replace("name: t", "name: u")
    )
    assert [line for line in found if "CASE" in line] == [
        "CASE((cnt > 100), 'large', (cnt > 10), 'middle', 'small'): ELSE"
    ]


NESTED = SCRIPT.partition("INSERT")[0] + (
    "SELECT CASE WHEN cnt > 10 THEN CASE WHEN name = 'Tom' THEN 1 ELSE 2 END ELSE 3 END FROM orders;\n"
)


def test_a_nested_case_counts_where_it_is_reached(tmp_path: Path) -> None:
    tests = "- name: t\n  input: {orders: [[1, Tom, 5], [2, Ann, 20]]}\n  expect: {rows: []}\n"
    found = never_taken(tmp_path, tests, NESTED)
    assert [line for line in found if "CASE" in line] == [
        "CASE WHEN name = 'Tom' THEN 1 ELSE 2 END: WHEN name = 'Tom'"
    ]


def joined(orders: str, names: str) -> str:
    given = f"{{orders: [{orders}], names: [{names}]}}"
    return f"- name: t\n  of: cities\n  input: {given}\n  expect: {{rows: []}}\n"


def test_sides_of_a_join(tmp_path: Path) -> None:
    matched = "LEFT JOIN ON name = name0: sends a matched pair"
    alone = "LEFT JOIN ON name = name0: sends a left row without a match"
    assert [line for line in never_taken(tmp_path, joined("[1, Tom, 1]", "")) if "JOIN" in line] == [matched]
    both = never_taken(tmp_path, joined("[1, Tom, 1]", "[Tom, Rome]"))
    assert [line for line in both if "JOIN" in line] == [alone]  # the right rows come first
    assert [
        line
        for line in never_taken(tmp_path, joined("[1, Tom, 1], [2, Ann, 2]", "[Tom, Rome]"))
        if "JOIN" in line
    ] == []


def test_retractions_of_an_aggregate(tmp_path: Path) -> None:
    insert = "- name: t\n  input: {orders: [[1, Tom, 1], [2, Tom, 2]]}\n  expect: {rows: []}\n"
    lost = ["GROUP BY name: gets a retraction", "GROUP BY name: loses a group"]
    assert [line for line in never_taken(tmp_path, insert) if "GROUP" in line] == lost
    one = insert.replace("[2, Tom, 2]", "[2, Tom, 2], [-D, 2, Tom, 2]")
    assert [line for line in never_taken(tmp_path, one) if "GROUP" in line] == lost[1:]
    all_rows = insert.replace("[2, Tom, 2]", "[-D, 1, Tom, 1]")
    assert [line for line in never_taken(tmp_path, all_rows) if "GROUP" in line] == []


def queried(query: str, *, mini_batch: bool = False) -> tuple[str, str]:
    """Return a script whose only statement is a query, and a test of it without rows."""
    options = (
        "SET 'table.exec.mini-batch.enabled' = 'true'; SET 'table.exec.mini-batch.size' = '10';\n"
        "SET 'table.exec.mini-batch.allow-latency' = '1 s';\n"
    )
    text = SCRIPT.partition("INSERT")[0] + (options if mini_batch else "") + query + ";\n"
    return "- name: t\n  input: {orders: []}\n  expect: {rows: []}\n", text


@pytest.mark.parametrize("mini_batch", [False, True])
def test_columns_without_a_name_show_as_their_expressions(tmp_path: Path, mini_batch: bool) -> None:
    query = "SELECT UPPER(name), SUM(cnt + 1) FROM orders GROUP BY UPPER(name) HAVING SUM(cnt + 1) > 2"
    found = never_taken(tmp_path, *queried(query, mini_batch=mini_batch))
    retraction = [] if mini_batch else ["GROUP BY UPPER(name): gets a retraction"]
    assert [line for line in found if "table" not in line] == [
        *retraction,
        "GROUP BY UPPER(name): loses a group",
        "WHERE SUM(cnt + 1) > 2: passes",
        "WHERE SUM(cnt + 1) > 2: does not pass",
    ]


def test_keys_of_a_join_show_as_their_expressions(tmp_path: Path) -> None:
    sums = "(SELECT name AS n, SUM(cnt) FROM orders GROUP BY name)"
    query = f"SELECT a.name FROM orders AS a JOIN {sums} AS b(n, total) ON a.cnt + 1 = b.total"
    found = never_taken(tmp_path, *queried(query))
    assert "INNER JOIN ON (cnt + 1) = SUM(cnt): sends a matched pair" in found


def test_a_condition_of_a_view_names_no_column_of_the_planner(tmp_path: Path) -> None:
    view = "CREATE VIEW bigger AS SELECT name FROM orders GROUP BY name HAVING SUM(cnt) > 2"
    found = never_taken(tmp_path, *queried(f"{view};\nSELECT * FROM bigger"))
    assert "WHERE (SUM(cnt) > 2): passes" in found
