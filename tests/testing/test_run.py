"""Test cases: what passes, what fails and how it shows, and what is wrong in a file."""

from __future__ import annotations

from pathlib import Path

import pytest

from firesteel.errors import FiresteelError
from firesteel.testing.run import run_case
from tests.testing.files import SCRIPT, outcome, read

UPDATE = """
- name: an update moves the total
  input:
    orders:
    - [+I, 1, Tom, 12]
    - [2, Tom, 9]
    - {op: -U, id: 2, name: Tom, cnt: 9}
    - {op: +U, id: 2, name: Tom, cnt: 20}
  expect:
    changes:
    - [+I, Tom, 12]
    - [+U, Tom, 21]
    - [+U, Tom, 12]
    - [+U, Tom, 32]
    rows:
    - [Tom, 32]
"""


def test_a_test_that_is_right_passes(tmp_path: Path) -> None:
    found = outcome(tmp_path, UPDATE)
    assert found.passed, found.text()


def test_a_difference_shows_kinds_lines_and_equal_neighbours(tmp_path: Path) -> None:
    found = outcome(
        tmp_path, UPDATE.replace("[+U, Tom, 32]", "[-D, Tom, 32]").replace("[Tom, 32]", "[Tom, 31]")
    )
    assert not found.passed
    assert found.text() == (
        "line 12: changes differ\n"
        "         ... 1 equal row\n"
        "         +U[Tom, 21]\n"
        "         +U[Tom, 12]\n"
        "missing  -D[Tom, 32]\n"
        "  extra  +U[Tom, 32]\n"
        "line 17: rows differ\n"
        "missing  [Tom, 31]\n"
        "  extra  [Tom, 32]"
    )


def test_steps_keep_the_state(tmp_path: Path) -> None:
    found = outcome(
        tmp_path,
        """
- name: a group goes
  steps:
  - input: {orders: [[1, Tom, 2], [2, Ann, 5]]}
    expect: {changes: [[+I, Tom, 2], [+I, Ann, 5]]}
  - input: {orders: [[-D, 1, Tom, 2]]}
    expect: {changes: [[-D, Tom, 2]], rows: [[Ann, 5]]}
  - expect: {changes: [], rows: [[Ann, 5]]}
""",
    )
    assert found.passed, found.text()


WINDOWS = """\
CREATE TABLE clicks (ts TIMESTAMP(3), n INT, WATERMARK FOR ts AS ts - INTERVAL '1' SECOND)
WITH ('connector' = 'filesystem', 'path' = '/nowhere', 'format' = 'json');
SELECT window_start, SUM(n) FROM TABLE(TUMBLE(TABLE clicks, DESCRIPTOR(ts), INTERVAL '10' SECOND))
GROUP BY window_start, window_end;
"""


@pytest.mark.parametrize(("ends", "last"), [("true", "[[+I, 2026-01-01 00:00:10.000, 2]]"), ("false", "[]")])
def test_windows_close_by_watermark_and_at_the_end(tmp_path: Path, ends: str, last: str) -> None:
    found = outcome(
        tmp_path,
        f"""
- name: windows
  ends: {ends}
  steps:
  - input: {{clicks: [[2026-01-01 00:00:01, 1]]}}
    expect: {{changes: []}}
  - input: {{clicks: [[2026-01-01T00:00:12, 2]]}}
    expect: {{changes: [[+I, 2026-01-01 00:00:00.000, 1]]}}
  - expect: {{changes: {last}}}
""",
        WINDOWS,
    )
    assert found.passed, found.text()


CLOCK = """\
CREATE TABLE clicks (n INT, now AS PROCTIME())
WITH ('connector' = 'filesystem', 'path' = '/nowhere', 'format' = 'json');
SELECT window_end, SUM(n) FROM TABLE(TUMBLE(TABLE clicks, DESCRIPTOR(now), INTERVAL '1' MINUTE))
GROUP BY window_start, window_end;
"""


def test_the_test_sets_the_clock_and_timers_fire_by_it(tmp_path: Path) -> None:
    found = outcome(
        tmp_path,
        """
- name: a minute
  ends: false
  steps:
  - at: 2026-05-01 10:00:30
    input: {clicks: [[1], [2]]}
    expect: {changes: []}
  - at: 2026-05-01 10:00:59.500
    input: {clicks: [[4]]}
    expect: {changes: []}
  - at: 2026-05-01 10:01:00
    expect: {changes: [[+I, 2026-05-01 10:01:00.000, 7]]}
""",
        CLOCK,
    )
    assert found.passed, found.text()


TYPES = """\
CREATE TABLE t (i TINYINT, d DECIMAL(6, 2), f DOUBLE, b BOOLEAN, s STRING, x BYTES, d8 DATE, clock TIME(3),
  ts TIMESTAMP(3), l TIMESTAMP_LTZ(3), a ARRAY<INT>, m MAP<STRING, INT>, r ROW<p INT, q STRING>)
WITH ('connector' = 'filesystem', 'path' = '/nowhere', 'format' = 'json');
SELECT * FROM t;
"""


def test_values_of_all_types_pass_unchanged(tmp_path: Path) -> None:
    row = (
        "-5, 1.5, 2.5, true, 'null', \"x'00ff'\", 2026-02-28, 10:11:12.5, 2026-02-28 10:11:12.5, "
        "2026-02-28T10:11:12Z, [1, null], {k: 1}, {p: 3, q: 'a, b'}"
    )
    nulls = ", ".join(["null"] * 13)
    found = outcome(
        tmp_path,
        f"""
- name: types
  input: {{t: [[{row}], [{nulls}]]}}
  expect: {{changes: [[+I, {row}], [+I, {nulls}]], rows: [[{row}], [{nulls}]]}}
""",
        TYPES,
    )
    assert found.passed, found.text()


def test_missing_fields_of_a_row_are_null(tmp_path: Path) -> None:
    table = """\
CREATE TABLE t (r ROW<p INT, q STRING>, n ROW<p INT NOT NULL>)
WITH ('connector' = 'filesystem', 'path' = '/nowhere', 'format' = 'json');
SELECT r, n FROM t;
"""
    tests = "- name: row\n  input: {t: [[{q: b}, {p: 1}]]}\n  expect: {rows: [[[null, b], [1]]]}\n"
    found = outcome(tmp_path, tests, table)
    assert found.passed, found.text()
    with pytest.raises(FiresteelError, match="the value has no field 'p', which is INT NOT NULL"):
        outcome(tmp_path, tests.replace("{p: 1}", "{}"), table)


def test_a_view_and_a_query_of_the_tests_own_are_tested(tmp_path: Path) -> None:
    tests = """
- name: view
  of: sizes
  input: {orders: [[1, Tom, 200], [2, '', 5], [3, Ann, 11], [4, Ann, null]]}
  expect: {rows: [[1, large], [3, middle], [4, small]]}
- name: query
  query: SELECT COUNT(*) FROM sizes WHERE size = 'large'
  input: {orders: [[1, Tom, 200], [-D, 1, Tom, 200]]}
  expect: {changes: [[+I, 1], [-D, 1]]}
"""
    file = read(tmp_path, tests)
    outcomes = [run_case(file, case) for case in file.cases]
    assert [each.text() for each in outcomes] == ["", ""]


def test_a_view_may_have_a_reserved_name(tmp_path: Path) -> None:
    found = outcome(
        tmp_path,
        "- name: view\n  of: large\n  input: {orders: [[1, Tom, 200]]}\n  expect: {rows: [[1]]}\n",
        SCRIPT + "CREATE VIEW `large` AS SELECT id FROM orders WHERE cnt > 100;\n",
    )
    assert found.passed, found.text()


def test_a_row_that_fails_fails_the_test(tmp_path: Path) -> None:
    found = outcome(
        tmp_path,
        """
- name: division
  query: SELECT 1 / cnt FROM orders
  input: {orders: [[1, Tom, 0]]}
  expect: {rows: []}
""",
    )
    assert not found.passed
    assert found.error is not None
    assert "by zero" in found.text()


WRONG = {
    "  of: totals\n  input: {orders: [[1, Tom]]}\n  expect: {rows: []}": (
        4, 20, "'orders' has 3 columns, the row has 2 values"
    ),
    "  input: {orders: [[1, Tom, much]]}\n  expect: {rows: []}": (3, 29, "'much' is no value of INT"),
    "  input: {orders: [[1, Tom, 3000000000]]}\n  expect: {rows: []}": (3, 29, "is no value of INT"),
    "  input: {orders: []}\n  expect: {changes: [[Tom, 1]]}": (4, 22, "begins with its row kind"),
    "  input: {orders: []}\n  expect: {rows: [[+I, Tom, 1]]}": (4, 19, "has no row kind"),
    "  input: {orders: [[+X, 1, Tom, 3]]}\n  expect: {rows: []}": (3, 21, "'+X' is no row kind"),
    "  input: {orders: [[1, Tom, 3, 4]]}\n  expect: {rows: []}": (
        3, 21, "without one, a row of 'orders' has 3 values"
    ),
    "  input: {orders: [{op: +I, id: 1, nam: Tom}]}\n  expect: {rows: []}": (3, 36, "has no key 'nam'"),
    "  input: {order: []}\n  expect: {rows: []}": (3, 11, "does not read 'order'"),
    "  expect: {rows: []}": (2, 3, "reads orders, for which the test has no input"),
    "  of: total\n  input: {orders: []}\n  expect: {rows: []}": (3, 7, "neither inserts into 'total'"),
    "  of: cities\n  input: {orders: [], names: [[-D, Tom, Rome]]}\n  expect: {rows: []}": (
        4, 31, "'names' sends no -D"
    ),
    "  input: {orders: []}\n  expect: {rws: []}": (4, 12, "has no key 'rws'"),
    "  input: {orders: [], default_database.orders: []}\n  expect: {rows: []}": (3, 23, "has two inputs"),
    "  input: {orders: []}": (2, 3, "needs 'expect'"),
    "  input: {orders: []}\n  input: {orders: []}\n  expect: {rows: []}": (4, 3, "'input' is there twice"),
    "  input: {orders: [}\n  expect: {rows: []}": (3, 20, "not YAML"),
    "  input: {orders: [[null, Tom, 1]]}\n  expect: {rows: []}": (3, 21, "its value cannot be NULL"),
    "  at: today\n  input: {orders: []}\n  expect: {rows: []}": (3, 7, "'today' is no time"),
    "  steps:\n  - at: 2026-01-02\n    input: {orders: []}\n  - at: 2026-01-01\n    expect: {rows: []}": (
        6, 9, "the clock goes back"
    ),
}  # fmt: skip


@pytest.mark.parametrize("body", WRONG)
def test_what_is_wrong_in_a_file_has_its_place(tmp_path: Path, body: str) -> None:
    line, column, message = WRONG[body]
    with pytest.raises(FiresteelError) as caught:
        outcome(tmp_path, f"- name: wrong\n{body}\n")
    shown = str(caught.value)
    assert message in shown
    assert shown.startswith(f"{tmp_path}/job.firesteel.yaml: ")
    assert f"(line {line + 1}, column {column})" in shown.splitlines()[0]
    assert caught.value.exit_status == 2


def test_an_error_of_the_script_is_underlined_in_the_script(tmp_path: Path) -> None:
    with pytest.raises(FiresteelError) as caught:
        outcome(tmp_path, UPDATE, SCRIPT.replace("SUM(cnt)", "SUM(count_)"))
    shown = str(caught.value)
    assert shown.startswith(f"{tmp_path}/job.sql: ")
    assert "(line 14, column 37)" in shown.splitlines()[0]
    assert "^^^^^^" in shown
    assert caught.value.exit_status == 2


def test_changes_without_the_row_that_they_take_away_are_invalid(tmp_path: Path) -> None:
    found = outcome(
        tmp_path,
        """
- name: invalid
  of: sizes
  input: {orders: [[-D, 1, Tom, 5]]}
  expect: {rows: []}
""",
    )
    assert found.text().splitlines()[1:] == ["invalid  [1, small] was removed and is not there"]
