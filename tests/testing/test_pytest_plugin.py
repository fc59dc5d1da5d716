"""The plugin of pytest: it collects files of tests, and failures show their difference."""

from __future__ import annotations

import subprocess
import sys
from importlib.metadata import entry_points
from pathlib import Path

from tests.testing.files import read

TESTS = """\
- name: passes
  input: {orders: [[1, Tom, 2]]}
  expect: {rows: [[Tom, 2]]}
- name: fails
  input: {orders: [[1, Tom, 2]]}
  expect: {changes: [[+I, Tom, 3]]}
"""
PLUGIN = "firesteel.testing.pytest_plugin"


def test_tests_are_collected_and_failures_show_the_difference(tmp_path: Path) -> None:
    read(tmp_path, TESTS)
    (tmp_path / "wrong.firesteel.yaml").write_text("sql: SELECT 1\n", encoding="utf-8")
    (tmp_path / "other.yaml").write_text("a: 1\n", encoding="utf-8")
    (tmp_path / "pytest.ini").write_text("[pytest]\n", encoding="utf-8")
    is_installed = any(point.value == PLUGIN for point in entry_points(group="pytest11"))
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-p",
        "no:cacheprovider",
        "--continue-on-collection-errors",
    ]
    done = subprocess.run(
        [*command, *([] if is_installed else ["-p", PLUGIN])],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert "1 failed, 1 passed, 1 error" in done.stdout.splitlines()[-1], done.stdout
    assert "line 8: changes differ\nmissing  +I[Tom, 3]\n  extra  +I[Tom, 2]\n" in done.stdout
    assert "wrong.firesteel.yaml: a file of tests needs the key 'tests' (line 1, column 1)" in done.stdout
    assert "Traceback" not in done.stdout
    assert "branches taken: 1 of 5\n" in done.stdout
    assert "  table orders: deletes a row\n" in done.stdout
