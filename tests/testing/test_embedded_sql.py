"""Errors of SQL in a file of tests show the line and the column of the file."""

from __future__ import annotations

from pathlib import Path

import pytest

from firesteel.errors import FiresteelError
from firesteel.testing.run import run_case
from firesteel.testing.test_case import read_tests

TABLE = "CREATE TABLE orders (id BIGINT) WITH ('connector' = 'kafka')"

CASES = {
    f"sql: |\n  {TABLE};\n  SELECT nam FROM orders\n": (3, 10, "  SELECT nam FROM orders"),
    f"sql: |-  # two\n\n    {TABLE};\n      SELECT id,\n        nam FROM orders\n": (
        5,
        9,
        "nam FROM orders",
    ),
    f"define: {{T: orders}}\nsql: |\n  {TABLE};\n  SELECT nam FROM ${{T}}\n": (4, 10, "FROM ${T}"),
    f"sql: |\n  {TABLE};\n  SELECT id FROM ${{T}}\n": (3, 18, "FROM ${T}"),
    f"sql: {TABLE}; SELECT nam FROM orders\n": (1, 75, "SELECT nam FROM orders"),
    f"sql: {TABLE}\ntests:\n- query: SELECT nam FROM orders\n": (3, 17, "- query: SELECT nam"),
    f"sql: {TABLE}\ntests:\n- query: |\n    SELECT\n    nam FROM orders\n": (5, 5, "    nam FROM orders"),
}


@pytest.mark.parametrize("text", CASES)
def test_an_error_has_its_place_in_the_file(tmp_path: Path, text: str) -> None:
    line, column, content = CASES[text]
    shown = _error(tmp_path, text)
    assert f"(line {line}, column {column})" in shown.splitlines()[0]
    assert shown.splitlines()[1].startswith(f"{line:>5} | ")
    assert content in shown.splitlines()[1]


@pytest.mark.parametrize(
    "sql", [f'"{TABLE}; SELECT\\n nam FROM orders"', f">\n  {TABLE};\n\n  SELECT nam FROM orders\n"]
)
def test_text_that_differs_from_the_file_keeps_its_own_places(tmp_path: Path, sql: str) -> None:
    shown = _error(tmp_path, f"sql: {sql}\n")
    assert "(line 2, column" in shown.splitlines()[0]
    assert shown.splitlines()[1].startswith("    2 | ")


def _error(folder: Path, text: str) -> str:
    """Return the error of the only test of a file."""
    path = folder / "job.firesteel.yaml"
    tests = "" if "tests:" in text else "tests:\n- "
    path.write_text(f"{text}{tests or '  '}name: wrong\n  input: {{orders: []}}\n  expect: {{rows: []}}\n")
    with pytest.raises(FiresteelError) as caught:
        _run(path)
    return str(caught.value)


def _run(path: Path) -> None:
    file = read_tests(path)
    run_case(file, file.cases[0])
