"""The shell: fed through a pipe, and typed into at a terminal."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from firesteel.cache_folder import cache_folder
from tests.cli.shell.typed_session import PROGRAM
from tests.cli.terminal import Terminal

SHELL = [sys.executable, "-m", "firesteel.cli.main", "shell"]
PROMPT = "Firesteel SQL> "


@pytest.mark.spark
@pytest.mark.slow
@pytest.mark.full
def test_the_shell_answers_and_goes_on_after_errors() -> None:
    typed = """\
help
CREATE TABLE t (a INT)
  WITH ('connector' = 'blackhole');
SHOW TABLES; SHOW
VIEWS;
SELECT b FROM nowhere;
SELECT a FROM (VALUES (1),
 (2)) AS v(a);
INSERT INTO t VALUES (1);
SET 'sql-client.execution.result-mode' = 'changelog';
SELECT 7;
SET 'sql-client.execution.result-mode' = 'table';
SELECT COUNT(*) AS n FROM (VALUES (1), (2)) AS v(a);
exit
SHOW CATALOGS;
"""
    done = subprocess.run(SHELL, input=typed, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0
    assert "Statements end with a semicolon." in done.stdout
    assert done.stdout.count("[INFO] Execute statement succeeded.\n") == 3
    assert done.stdout.count("[INFO] Complete execution of the SQL update statement.\n") == 1
    assert "|          t |" in done.stdout
    assert "Empty set" in done.stdout
    assert "| +I |           2 |" in done.stdout
    assert "\n+I[7]\n" in done.stdout
    assert "|                    n |\n+----------------------+\n|                    2 |\n" in done.stdout
    assert "catalog name" not in done.stdout
    assert "error: " in done.stderr
    assert "nowhere" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.slow
@pytest.mark.full
def test_ctrl_c_in_a_terminal_that_cannot_move_its_cursor(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    command = [sys.executable, "-c", PROGRAM, "shell"]
    # Spark starts in the background: with a cache of its own it would write a class-data archive.
    cache = {"FIRESTEEL_CACHE_DIR": str(cache_folder())}
    with Terminal(command, {"HOME": str(tmp_path), "TERM": "dumb", **cache}) as terminal:
        assert "Firesteel " in terminal.wait_for(PROMPT)
        terminal.type("CREATE TABLE g (a INT)\nWITH ('connector' = 'datagen', 'rows-per-second' = '5');\n")
        terminal.wait_for("succeeded.\r\n" + PROMPT)
        os.mkfifo("held")
        terminal.type("SELECT * FROM g;\n")
        terminal.wait_for("The plan is held.")
        terminal.type("\x03")
        seen = terminal.wait_for(PROMPT)
        assert "query cancelled" in seen
        assert "Traceback" not in seen
        terminal.type("SELECT")
        terminal.wait_for("SELECT")
        terminal.press_until("\x03", PROMPT)
        terminal.type("SHOW TABLES;\n")
        terminal.wait_for("1 row in set")
        terminal.wait_for(PROMPT)
        terminal.type("quit\n")
        assert terminal.end() == 0
    kept = (tmp_path / ".firesteel_history").read_text().splitlines()
    assert (
        kept[0] == r'''"CREATE TABLE g (a INT)\nWITH ('connector' = 'datagen', 'rows-per-second' = '5');"'''
    )
    assert kept[1:] == ['"SELECT * FROM g;"', '"SHOW TABLES;"']
