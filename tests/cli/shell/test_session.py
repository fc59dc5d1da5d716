"""A session of more than 60 inputs: editing, completion, results, Ctrl-C, jobs in the background."""

from __future__ import annotations

import os
import re
import time
from pathlib import Path

import pytest

from tests.cli.shell.recorded_inputs import (
    COMPLETED,
    CTRL_C,
    CTRL_D,
    ENTER,
    OK,
    ON_40_COLUMNS,
    OWN_FILE,
)
from tests.cli.shell.typed_session import PROMPT, HeldSpark, TypedSession

CANCELLED = "query cancelled"
SALES = '{"name": "Ann", "amount": 1}\n{"name": "Bob", "amount": 5}\n{"name": "Ann", "amount": 2}\n'
ENDLESS = f"SELECT UPPER('seen') AS word FROM g;{ENTER}"
TOTALS = f"SELECT name, SUM(amount) AS total FROM sales GROUP BY name;{ENTER}"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the folder that the shell runs in, with the files that its statements read."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "own.sql").write_text(OWN_FILE)
    (tmp_path / "sales").mkdir()
    (tmp_path / "sales/1.json").write_text(SALES)
    return tmp_path


@pytest.mark.spark
@pytest.mark.slow
@pytest.mark.timeout(600)
def test_a_session(folder: Path) -> None:
    spark = HeldSpark(folder)
    with TypedSession(folder, 100, spark.environment) as session:
        session.type((f"SELECT 1;{ENTER}", "waiting for its JVM"), (CTRL_C, CANCELLED))
        spark.release()
        resize(session, 40)
        for step in ON_40_COLUMNS:
            session.type(step)
        resize(session, 100)
        for steps in COMPLETED:
            session.type(*steps)
        three_result_modes(session)
        an_answer_to_why(session)
        endless_queries(session)
        job = in_the_background(session)
        stopped(session, job)
        assert session.inputs >= 60
        leave(session)
    kept = (folder / ".firesteel_history").read_text()
    assert "CREATE TEMPORARY VIEW v99" in kept
    assert "SELECT 1," not in kept


def resize(session: TypedSession, columns: int) -> None:
    session.resize(columns)
    session.until_prompt()


def three_result_modes(session: TypedSession) -> None:
    """The last mode that was set is CHANGELOG."""
    connected = "WITH ('connector' = 'filesystem', 'path' = 'sales', 'format' = 'json');"
    session.type((f"SET 'parallelism.default' = '1';{ENTER}", OK))
    session.type((f"CREATE TABLE sales (name STRING, amount INT) {connected}{ENTER}", OK))
    seen = session.type((TOTALS, "+U[Ann, 3]"))
    assert "-U[Ann, 1]\r\n" in seen
    session.type((f"SET 'sql-client.execution.result-mode' = 'TABLEAU';{ENTER}", OK))
    seen = session.type((TOTALS, "4 rows in set"))
    assert re.search(r"\| -U \| +Ann \| +1 \|", seen)
    session.type((f"SET 'sql-client.execution.result-mode' = 'TABLE';{ENTER}", OK))
    seen = session.type((TOTALS, "2 rows in set"))
    assert re.search(r"\| +Ann \| +3 \|", seen)


def an_answer_to_why(session: TypedSession) -> None:
    connected = "WITH ('connector' = 'filesystem', 'path' = 'totals', 'format' = 'debezium-json');"
    session.type((f"CREATE TABLE totals (name STRING, total INT) {connected}{ENTER}", OK))
    session.type((f"SET 'execution.checkpointing.dir' = 'checkpoint';{ENTER}", OK))
    written = "[INFO] Complete execution of the SQL update statement."
    session.type((f"INSERT INTO totals SELECT name, SUM(amount) FROM sales GROUP BY name;{ENTER}", written))
    seen = session.type((f"WHY SELECT * FROM totals WHERE name = 'Bob';{ENTER}", "changes of totals: 1"))
    assert "now: [Bob, 5]" in seen
    session.type((f"RESET 'execution.checkpointing.dir';{ENTER}", OK))


def endless_queries(session: TypedSession) -> None:
    """The mode is TABLE."""
    session.type((ENDLESS, "SEEN"), (CTRL_C, "in set"))
    session.type((f"SET 'sql-client.execution.result-mode' = 'CHANGELOG';{ENTER}", OK))
    session.type((ENDLESS, "+I[SEEN]"), (CTRL_C, CANCELLED))
    session.type((f"SET 'sql-client.execution.result-mode' = 'TABLE';{ENTER}", OK))


def in_the_background(session: TypedSession) -> str:
    """Leave the table of a query, which goes on. Return its id."""
    seen = session.type((ENDLESS, "SEEN"), (f"s/seen{ENTER}b", "SHOW RESULT "))
    (job,) = re.findall(r"Job (\w+) runs in the background", seen)
    runs = rf"\| +{job} \| +select \| +RUNNING \|"
    session.type((CTRL_C, PROMPT))
    assert re.search(runs, session.type((f"SHOW JOBS;{ENTER}", "rows in set")))
    assert " SEEN |" in session.type((f"SHOW RESULT {job};{ENTER}", "in set"))
    os.mkfifo("held")
    session.type((f"SELECT a + 1 FROM g;{ENTER}", "The plan is held."), (CTRL_C, CANCELLED))
    Path("held").unlink()
    assert re.search(runs, session.type((f"DESCRIBE JOB '{job}';{ENTER}", "1 row in set")))
    return job


def stopped(session: TypedSession, job: str) -> None:
    session.type((f"STOP JOB '{job}';{ENTER}", OK))
    ended = rf"\| +{job} \| +select \| +CANCELED \|"
    while not re.search(ended, session.type((f"SHOW JOBS;{ENTER}", "rows in set"))):
        pass  # it takes a moment
    seen = session.type((f"INSERT INTO orders SELECT name, a FROM g &{ENTER}", "runs in the background"))
    assert "SHOW RESULT" not in seen


def leave(session: TypedSession) -> None:
    """The shell asks whether the job may end."""
    asked = "Leave? [y/N] "
    session.type((CTRL_D, asked), (f"n{ENTER}", PROMPT))
    assert session.leave((f"quit{ENTER}", asked), (f"y{ENTER}", "")) == 0


@pytest.mark.slow
@pytest.mark.full
def test_ctrl_c_is_pressed_again_before_the_line_has_ended(tmp_path: Path) -> None:
    """The second one comes as a key, as a signal, or between: each time there is a new line."""
    with TypedSession(tmp_path, 40) as session:
        for number in range(60):
            session.press(CTRL_C)
            time.sleep(number % 20 / 1000)  # the moment of the second one
            session.type((f"SELECT {number}{CTRL_C}", PROMPT))
        assert session.leave((f"quit{ENTER}", "")) == 0
