"""Rewriting keeps the text of a file, and the rewritten tests pass."""

from __future__ import annotations

from pathlib import Path

from firesteel.testing.rewrite import rewritten
from firesteel.testing.run import run_case
from firesteel.testing.test_case import read_tests
from tests.testing.files import read

TESTS = """\
# totals
- name: wrong in lists   # a remark
  input:
    orders:
    - [1, Tom, 2]  # the first
  expect:
    changes:
    - [+I, Tom, 3]  # wrong
    rows:   # what is left
    - [Tom, 2]
- name: wrong in brackets
  query: SELECT name, cnt FROM orders
  input: {orders: [[1, 'a, b', 2], [2, null, 3], [3, 'null', 4], [4, "it's", 5], [5, "\\n", 6]]}
  expect: {changes: [], rows: [[Tom, 1], [Ann, 2]]}
- name: empty and absent
  input: {orders: [[-D, 1, Tom, 2], [2, Ann, 2]]}
  of: sizes
  expect:
    changes:
    rows:
    - [3, small]
# the end
"""
EXPECTED = """\
# totals
- name: wrong in lists   # a remark
  input:
    orders:
    - [1, Tom, 2]  # the first
  expect:
    changes:
    - [+I, Tom, 2]  # wrong
    rows:   # what is left
    - [Tom, 2]
- name: wrong in brackets
  query: SELECT name, cnt FROM orders
  input: {orders: [[1, 'a, b', 2], [2, null, 3], [3, 'null', 4], [4, "it's", 5], [5, "\\n", 6]]}
  expect: {changes: [[+I, 'a, b', 2], [+I, null, 3], [+I, 'null', 4], [+I, 'it''s', 5], [+I, "\\n", 6]], \
rows: [['a, b', 2], [null, 3], ['null', 4], ['it''s', 5], ["\\n", 6]]}
- name: empty and absent
  input: {orders: [[-U, 1, Tom, 2], [+U, 1, Ann, 200]]}
  of: sizes
  expect:
    changes:
      - [-U, 1, small]
      - [+U, 1, large]
    rows:
    - [1, large]
# the end
"""


def test_only_the_rows_that_differ_are_written(tmp_path: Path) -> None:
    tests = TESTS.replace("[[-D, 1, Tom, 2], [2, Ann, 2]]", "[[-U, 1, Tom, 2], [+U, 1, Ann, 200]]")
    file = read(tmp_path, tests)
    found = rewritten(file.document.text, [run_case(file, case) for case in file.cases])
    assert found == f"script: job.sql\ntests:\n{EXPECTED}"


def test_a_rewritten_file_passes(tmp_path: Path) -> None:
    tests = TESTS.replace("[[-D, 1, Tom, 2], [2, Ann, 2]]", "[[1, Tom, 2], [2, Ann, 200]]")
    file = read(tmp_path, tests)
    text = rewritten(file.document.text, [run_case(file, case) for case in file.cases])
    file.path.write_text(text, encoding="utf-8")
    again = read_tests(file.path)
    assert [run_case(again, case).text() for case in again.cases] == ["", "", ""]
