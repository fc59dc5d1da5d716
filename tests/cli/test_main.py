"""The command line: its answers to wrong use, its exit statuses, what goes to which stream."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from firesteel import __version__
from firesteel.cli.main import main


def firesteel(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> int:
    """Run the command in this process; its exit status."""
    monkeypatch.setattr("sys.argv", ["firesteel", *arguments])
    return main()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["run", "/no/such/job.sql"], "error: cannot read /no/such/job.sql: No such file or directory\n"),
        (["run"], "error: Missing argument 'SCRIPT'\nhint: firesteel run --help\n"),
        (["run", "--frob", "x.sql"], "error: No such option: --frob\nhint: firesteel run --help\n"),
        (["frobnicate"], "error: No such command 'frobnicate'\nhint: firesteel --help\n"),
        (["explain", "/no/such/job.sql"], "error: cannot read /no/such/job.sql: No such file or directory\n"),
    ],
)
def test_wrong_use_is_one_clear_message(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], arguments: list[str], message: str
) -> None:
    assert firesteel(monkeypatch, *arguments) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err == message


@pytest.mark.parametrize(
    ("arguments", "option"),
    [
        (["run", "x.sql", "--checkpoint", "a", "--checkpoint", "b"], "--checkpoint"),
        (["run", "x.sql", "--ui", "--keep-going", "--ui", "0"], "--ui"),
        (["ui", "there", "--port=1", "--port=2"], "--port"),
        (["state", "there", "--diff", "1", "2", "--diff", "3", "4"], "--diff"),
        (["why", "x.sql", "--at", "1", "--at", "1"], "--at"),
    ],
)
def test_an_option_that_is_given_twice(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], arguments: list[str], option: str
) -> None:
    assert firesteel(monkeypatch, *arguments) == 2
    assert capsys.readouterr().err == f"error: {option} is given 2 times\nhint: give it once\n"


def test_a_flag_may_be_repeated(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    assert _run(monkeypatch, tmp_path, "SHOW VIEWS;", "--keep-going", "--keep-going") == 0
    assert capsys.readouterr().out == "Empty set\n"


def test_ways_to_recover_that_exclude_each_other(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    ways = ("--recover", "deliver-again", "--recover", "skip-changed-files", "--recover", "accept-loss")
    assert _run(monkeypatch, tmp_path, "SHOW VIEWS;", *ways) == 2
    assert capsys.readouterr().err == "error: --recover takes deliver-again or accept-loss, not both\n"


def test_a_way_to_recover_that_does_not_exist(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    assert _run(monkeypatch, tmp_path, "SHOW VIEWS;", "--recover", "restart") == 2
    assert capsys.readouterr().err == (
        "error: --recover has no way 'restart'\n"
        "hint: the ways are deliver-again, resume-from-sink, accept-loss, read-changed-files, "
        "skip-changed-files\n"
    )


def _run(monkeypatch: pytest.MonkeyPatch, folder: Path, script: str, *arguments: str) -> int:
    job = folder / "job.sql"
    job.write_text(script, encoding="utf-8")
    return firesteel(monkeypatch, "run", str(job), *arguments)


def test_a_wrong_define_names_the_option(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    assert _run(monkeypatch, tmp_path, "SHOW TABLES;", "-D", "DATA") == 2
    assert capsys.readouterr().err == "error: -D takes NAME=VALUE, got 'DATA'\n"


def test_a_wrong_show_names_what_it_takes(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    assert _run(monkeypatch, tmp_path, "SHOW TABLES;", "--show", "all") == 2
    assert capsys.readouterr().err == "error: --show takes tableau, changes, table, got 'all'\n"


def test_an_error_in_the_script_shows_the_place_and_runs_nothing(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    assert _run(monkeypatch, tmp_path, "SHOW TABLES;\nSELEC 1;\n") == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert "(line 2, column 1)" in err
    assert "    2 | SELEC 1;\n        ^^^^^" in err
    assert "Traceback" not in err


def test_definitions_say_nothing_and_show_answers(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    script = "CREATE TABLE t (a INT) WITH ('connector' = 'print');\nSHOW TABLES;\n"
    assert _run(monkeypatch, tmp_path, script) == 0
    out, err = capsys.readouterr()
    assert out == (
        "+------------+\n| table name |\n+------------+\n|          t |\n+------------+\n1 row in set\n"
    )
    assert err == ""


def test_keep_going_prints_an_error_in_place_of_the_result(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    script = "SHOW TABLES;\nEXPLAIN SELECT a FROM none;\nSELEC;\nSHOW VIEWS;\n"
    assert _run(monkeypatch, tmp_path, script, "--keep-going") == 2
    out = capsys.readouterr().out
    lines = [line.split(":")[0] for line in out.splitlines()]
    assert [line for line in lines if line in ("Empty set", "error")] == [
        *("Empty set", "error", "error", "Empty set")
    ]
    assert "none" in out


@pytest.mark.parametrize(
    "wrong", ["SELEC 1", "EXPLAIN SELECT a,\n  none FROM t", "CREATE TABLE u (a INT, a INT)"]
)
def test_keep_going_tells_an_error_as_without_it(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path, wrong: str
) -> None:
    script = f"CREATE TABLE t (a INT) WITH (\n'connector' = 'datagen'); {wrong};\nEXPLAIN SELECT * FROM u;\n"
    only = script.rpartition("EXPLAIN SELECT *")[0]
    assert _run(monkeypatch, tmp_path, only) == 2
    told = capsys.readouterr().err
    assert told.startswith("error: ")
    assert _run(monkeypatch, tmp_path, script, "--keep-going") == 2
    assert capsys.readouterr().out.startswith(told)


def test_verbose_shows_the_trace(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    assert _run(monkeypatch, tmp_path, "SELEC 1;", "--verbose") == 2
    assert "Traceback" in capsys.readouterr().err


def test_the_version(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    assert firesteel(monkeypatch, "--version") == 0
    assert capsys.readouterr().out == f"firesteel {__version__}\n"


def test_help_names_the_commands(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    assert firesteel(monkeypatch, "--help") == 0
    out = capsys.readouterr().out
    for command in ("run", "explain", "demo", "shell"):
        assert command in out


def test_a_bug_says_that_it_is_one(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise ZeroDivisionError("division by zero")

    monkeypatch.setattr("firesteel.session.statements.execute", broken)
    assert _run(monkeypatch, tmp_path, "SHOW TABLES;") == 1
    err = capsys.readouterr().err
    assert err.startswith("error: ZeroDivisionError: division by zero\nhint: this is a bug in Firesteel")
    assert "Traceback" not in err


def test_a_spark_that_does_not_start_ends_an_insert_with_its_error(tmp_path: Path) -> None:
    job = tmp_path / "job.sql"
    job.write_text(
        "CREATE TABLE s (a INT) WITH ('connector' = 'datagen', 'number-of-rows' = '1');\n"
        "CREATE TABLE h (a INT) WITH ('connector' = 'blackhole');\n"
        "INSERT INTO h SELECT a FROM s;\n",
        encoding="utf-8",
    )
    command = [sys.executable, "-m", "firesteel.cli.main", "run", str(job)]
    java = tmp_path / "jdk" / "bin" / "java"
    java.parent.mkdir(parents=True)
    java.write_text("#!/bin/sh\necho no memory\nexit 1\n")
    java.chmod(0o755)
    (tmp_path / "jdk" / "release").write_text('JAVA_VERSION="17"\n')
    environment = {**os.environ, "JAVA_HOME": str(tmp_path / "jdk")}
    done = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=60)
    assert done.returncode == 1
    assert "error: Spark's JVM ended with status 1 while it started: no memory" in done.stderr
