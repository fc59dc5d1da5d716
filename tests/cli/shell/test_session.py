"""One session at a terminal of 40 columns without colors: editing, completion, Ctrl-C, a pasted script."""

from __future__ import annotations

import fcntl
import re
import struct
import sys
import termios
import time
from pathlib import Path

import pytest

from tests.cli.terminal import Terminal

SHELL = [sys.executable, "-m", "firesteel.cli.main", "shell"]
PROMPT = "Firesteel SQL>"
OK = "[INFO] Execute statement succeeded."
GENERATED = "WITH ('connector' = 'datagen', 'rows-per-second' = '20');"
ENTER, TAB, CTRL_C, CTRL_R = "\r", "\t", "\x03", "\x12"

PASTED = "".join(
    f"CREATE TEMPORARY VIEW v{n} AS\n  SELECT {n} AS a, 'x;y' AS b -- a comment; with a semicolon\n;\n"
    for n in range(100)
)
BEFORE_SPARK = [
    (CTRL_C, PROMPT),  # at an empty line
    (f"SELECT 1{CTRL_C}", PROMPT),  # while something is typed
    (f"SELECT 1,{ENTER}2{CTRL_C}", PROMPT),
    # Ctrl-C leaves the search. If all keys are read at once, nothing is drawn anew before the second one.
    (f"{CTRL_R}abc{CTRL_C}{CTRL_C}help{ENTER}", "Tab completes"),
    (f"help{ENTER}", "Tab completes"),
    (f"help upper{ENTER}", "UPPER(CHARACTER)"),
    (f"help table.exec.state.ttl{ENTER}", "Duration, 0 ms"),
    (f"help nothing{ENTER}", "there is no help about 'nothing'"),
    (f"CREATE TABLE orders (name STRING, amount INT){ENTER}WITH ('connector' = 'blackhole');{ENTER}", OK),
    (f"CREATE TABLE g (a INT) {GENERATED}{ENTER}", OK),
    (f"CREATE TABLE gone (a INT) {GENERATED}{ENTER}", OK),
    (f"DROP TABLE gone;{ENTER}", OK),
    (f"SHOW TABLES;{ENTER}", "|     orders |"),
    (f"DESCRIBE orders;{ENTER}", "amount"),
    (f"SHOW VIEWS;{ENTER}", "Empty set"),
    (f"SELECT nothing FROM orders;{ENTER}", "error: "),
    (f"SELECT * FROM nowhere;{ENTER}", "error: "),
    (f"SELEC 1;{ENTER}", "error: unknown statement"),
    (f"STOP JOB 'x';{ENTER}", "Job x does not exist"),
    (f"SHOW RESULT 9;{ENTER}", "No query with the id 9"),
    (f"SHOW JOBS;{ENTER}", "Empty set"),
    (f"SET;{ENTER}", "Empty set"),
    (f"SET 'table.exec.state.ttl' = '1 h';{ENTER}", OK),
    (f"SET;{ENTER}", "table.exec.state.ttl"),
    (f"SET 'table.exec.state.ttl' = 'soon';{ENTER}", "error: "),
    (f"RESET;{ENTER}", OK),
    (f"EXPLAIN SELECT name FROM orders;{ENTER}", "error: "),
    (f"EXPLAIN SELECT a FROM g;{ENTER}", "Optimized Execution Plan"),
    (f"\x1b[200~{PASTED}\x1b[201~{ENTER}", OK),
    (f"SHOW VIEWS;{ENTER}", "100 rows in set"),
    (f"\\timing{ENTER}", "Timing is on."),
    (f"SHOW CATALOGS;{ENTER}", "Time: "),
    (f"\\timing off{ENTER}", "Timing is off."),
    (f"SOURCE nowhere.sql{ENTER}", "cannot read nowhere.sql"),
    (f"SOURCE own.sql;{ENTER}", "Job y does not exist. (line 3, column 10)"),
    (f"DESCRIBE sourced;{ENTER}", "from_file"),
    (f"INSERT INTO orders SELECT 'a', b FROM sourced;{ENTER}", "error: "),
]


class Session:
    def __init__(self, terminal: Terminal) -> None:
        self._terminal = terminal
        self.inputs = 0

    def type(self, keys: str, shown: str) -> str:
        """Type, wait for an output and then for the prompt; what was seen."""
        self.inputs += 1
        self._terminal.type(keys)
        return self.until(shown)

    def until(self, shown: str, *, prompts: bool = True) -> str:
        seen = self._terminal.wait_for(shown)
        if prompts and PROMPT not in seen[seen.rindex(shown) :]:
            self._terminal.seen = seen[seen.rindex(shown) :]
            seen += self._terminal.wait_for(PROMPT)
        assert "Traceback" not in seen
        return seen


def resize(terminal: Terminal, rows: int, columns: int) -> None:
    fcntl.ioctl(terminal._fd, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))


@pytest.mark.slow
def test_a_session(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "own.sql").write_text(
        "CREATE TABLE sourced (from_file INT) WITH ('connector' = 'blackhole');\n\n"
        "STOP JOB 'y';\nSHOW TABLES;\n"
    )
    environment = {"HOME": str(tmp_path), "TERM": "xterm", "PROMPT_TOOLKIT_NO_CPR": "1", "NO_COLOR": "1"}
    with Terminal(SHELL, environment) as terminal:
        resize(terminal, 24, 40)
        session = Session(terminal)
        session.until(PROMPT)
        for keys, shown in BEFORE_SPARK:
            seen = session.type(keys, shown)
            assert not re.search("\x1b\\[[0-9;]*3[0-7]m", seen)  # no colors
        complete(session, terminal)
        terminal.type(f"quit{ENTER}")
        assert terminal.end() == 0
    kept = (tmp_path / ".firesteel_history").read_text()
    assert "CREATE TEMPORARY VIEW v99" in kept
    assert "SELECT 1," not in kept


def complete(session: Session, terminal: Terminal) -> None:
    """Tab takes the first word of the menu."""
    terminal.type("SHOW CATAL")
    terminal.wait_for("CATALOGS")  # the menu
    session.type(f"{TAB};{ENTER}", "default_catalog")


@pytest.mark.slow
def test_ctrl_c_is_pressed_again_before_the_line_has_ended(tmp_path: Path) -> None:
    """The second one comes as a key, as a signal, or between: each time there is a new line."""
    environment = {"HOME": str(tmp_path), "TERM": "xterm", "PROMPT_TOOLKIT_NO_CPR": "1", "NO_COLOR": "1"}
    with Terminal(SHELL, environment) as terminal:
        session = Session(terminal)
        session.until(PROMPT)
        for number in range(60):
            terminal.type(CTRL_C)
            time.sleep(number % 20 / 1000)  # the moment of the second one
            session.type(f"SELECT {number}{CTRL_C}", PROMPT)
        terminal.type(f"quit{ENTER}")
        assert terminal.end() == 0
