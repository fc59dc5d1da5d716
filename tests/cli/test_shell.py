"""The shell, fed through a pipe: complete statements run, errors do not end it."""

from __future__ import annotations

import subprocess
import sys

import pytest


@pytest.mark.spark
@pytest.mark.slow
def test_the_shell_answers_and_goes_on_after_errors() -> None:
    typed = """\
help;
CREATE TABLE t (a INT)
  WITH ('connector' = 'blackhole');
SHOW TABLES; SHOW
VIEWS;
SELECT b FROM nowhere;
SELECT a FROM (VALUES (1),
 (2)) AS v(a);
quit;
SHOW CATALOGS;
"""
    command = [sys.executable, "-m", "firesteel.cli.main", "shell"]
    done = subprocess.run(command, input=typed, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0
    assert "Statements end with a semicolon." in done.stdout
    assert "|          t |" in done.stdout
    assert "Empty set" in done.stdout
    assert "| +I |           2 |" in done.stdout
    assert "catalog name" not in done.stdout
    assert "error: " in done.stderr
    assert "nowhere" in done.stderr
    assert "Traceback" not in done.stderr
