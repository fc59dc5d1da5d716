"""`firesteel diff-flink`: exit statuses, output, bad input, with a Flink whose answers are written here."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from firesteel.cli.main import main
from tests.testing.flink.fake_flink import asked, fake_python
from tests.testing.verify.planted import write_job

QUERY = "SELECT name, SUM(cnt) AS total FROM orders WHERE cnt > 10 GROUP BY name;\n"
VERSION = {"version": "2.3.0"}
DEFINED: list[dict[str, Any]] = [{}, {}, {}]
"""Answers to the three tables of the script."""
RIGHT = [["+I", "Tom", "12"], ["-U", "Tom", "12"], ["+U", "Tom", "32"]]


def run(monkeypatch: pytest.MonkeyPatch, folder: Path, python: str, *options: str) -> int:
    monkeypatch.setenv("FIRESTEEL_FLINK_PYTHON", python)
    script = str(folder / "job.sql")
    monkeypatch.setattr("sys.argv", ["firesteel", "diff-flink", script, "-D", f"DATA={folder}", *options])
    return main()


def job(folder: Path, rows: Sequence[Sequence[str]], query: str = QUERY) -> str:
    write_job(folder, query)
    return fake_python(folder, [VERSION, *DEFINED, {"plan": "Calc"}, {"rows": rows}])


@pytest.mark.parametrize(
    ("rows", "status", "said"),
    [
        (RIGHT, 0, "FROM orders WHERE cnt > 10 GR... (1 row, 3 changes)\n"),
        ([["+I", "Tom", "32"]], 1, "changes differ: line 7, "),
        ([*RIGHT, ["+I", "Bob", "1"]], 1, "  name = Bob\n    Flink      [Bob, 1]\n    Firesteel  nothing\n"),
    ],
)
def test_the_exit_status_says_if_the_script_agrees(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    rows: list[list[str]],
    status: int,
    said: str,
) -> None:
    assert run(monkeypatch, tmp_path, job(tmp_path, rows), "--no-plans") == status
    out = capsys.readouterr().out
    assert said in out
    assert out.splitlines()[-1].startswith("Flink 2.3.0: 1 ")
    assert [request["do"] for request in asked(tmp_path)] == ["run", "run", "run", "plan", "rows"]


def test_a_plan_that_differs_counts(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    assert run(monkeypatch, tmp_path, job(tmp_path, RIGHT)) == 1
    assert "plan differs: line 7" in capsys.readouterr().out


def test_the_statements_that_only_one_refuses(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    write_job(tmp_path, "SELECT * FROM orders TABLESAMPLE BERNOULLI (10);\n")
    python = fake_python(tmp_path, [VERSION, *DEFINED, {"plan": "Calc"}])
    assert run(monkeypatch, tmp_path, python) == 1
    out = capsys.readouterr().out
    assert out.startswith("only Firesteel refuses: line 7, ")
    assert out.splitlines()[-1] == "Flink 2.3.0: 1 only Firesteel refuses"


def test_a_definition_that_only_flink_refuses_is_shown(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    write_job(tmp_path, QUERY)
    answers = [VERSION, {"error": "no such type"}, {}, {}, {"plan": ""}, {"rows": RIGHT}]
    assert run(monkeypatch, tmp_path, fake_python(tmp_path, answers), "--no-plans") == 1
    assert capsys.readouterr().out.splitlines()[:2] == [
        "only Flink refuses: line 1, CREATE TABLE orders (id BIGINT, name STRING, cnt INT, price...",
        "  Flink      no such type",
    ]


def test_another_minor_version_is_noted(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    write_job(tmp_path, QUERY)
    answers = [{"version": "1.20.1"}, *DEFINED, {"plan": ""}, {"rows": RIGHT}]
    assert run(monkeypatch, tmp_path, fake_python(tmp_path, answers), "--no-plans") == 0
    assert capsys.readouterr().err == "This is Flink 1.20.1. Firesteel follows Flink 2.3.\n"


def test_a_line_of_progress_tells_how_far_flink_is(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    python = job(tmp_path, RIGHT)
    assert run(monkeypatch, tmp_path, python, "--no-plans") == 0
    assert capsys.readouterr().err == ""
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    assert run(monkeypatch, tmp_path, python, "--no-plans") == 0
    steps = capsys.readouterr().err.split("\r\x1b[K")
    assert steps[1] == "Flink: starts"
    assert steps[-2:] == ["Flink: 5 of 5 requests", ""]


def test_secrets_of_the_script_are_not_shown(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    table = "CREATE TABLE s (id INT) WITH ('password' = 'hunter2', 'connector' = 'jdbc');\n"
    write_job(tmp_path, table + QUERY)
    refused = {"error": "option 'password' = 'hunter2' is wrong"}
    python = fake_python(tmp_path, [VERSION, *DEFINED, refused, {"plan": ""}, {"rows": RIGHT}])
    assert run(monkeypatch, tmp_path, python, "--no-plans") == 1
    out = capsys.readouterr().out
    assert "only Flink refuses: line 7" in out
    assert "hunter2" not in out


def test_flinks_process_fails(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    write_job(tmp_path, QUERY)
    assert run(monkeypatch, tmp_path, fake_python(tmp_path, [VERSION], status=3)) == 1
    assert "Flink's process ended with status 3:\nthe end of Flink's log" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("statements", "options", "message"),
    [
        ("", (), "job.sql has no query and no INSERT"),
        (QUERY, ("--jar", "/no/such.jar"), "--jar: there is no file /no/such.jar"),
        (QUERY, ("--flink-version", "2.3.0"), "give --flink-version or --flink-python, not both"),
        ("SELECT ${X};\n", (), "X"),
    ],
)
def test_wrong_use_ends_with_status_2(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    statements: str,
    options: tuple[str, ...],
    message: str,
) -> None:
    write_job(tmp_path, statements)
    assert run(monkeypatch, tmp_path, fake_python(tmp_path, [VERSION]), *options) == 2
    assert message in capsys.readouterr().err


def test_a_script_that_is_not_there_ends_with_status_2(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    assert run(monkeypatch, tmp_path, fake_python(tmp_path, [])) == 2
    assert "job.sql: No such file or directory" in capsys.readouterr().err
