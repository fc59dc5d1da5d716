"""Ctrl-C while the shell answers without a job."""

from __future__ import annotations

import io
import signal
from pathlib import Path

import pytest

from firesteel.cli.app import run_app
from firesteel.cli.shell.runner import ShellRunner
from firesteel.cli.shell.shell import Shell
from firesteel.errors import UsageError

TYPED = """\
HELP metrics
SHOW RESULT 3;
WHY JOB '3' WHERE a = 1;
SHOW CATALOGS;
"""


def pressed(*_: object) -> None:
    signal.raise_signal(signal.SIGINT)
    raise AssertionError("the answer goes on")


def test_typed_statements_and_files_take_values(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("firesteel.cli.shell.shell.prepare", lambda *_, **__: None)
    monkeypatch.setenv("ZONE_OF_A_TEST", "Asia/Kathmandu")
    (tmp_path / "first.sql").write_text("SET 'table.local-time-zone' = '${ZONE_OF_A_TEST}';")
    typed = "SET 'pipeline.name' = '${NAME}';\nSET;\nSHOW ${NO_VALUE_OF_A_TEST};\n"
    monkeypatch.setattr("sys.stdin", io.StringIO(typed))
    assert Shell({}, folder="", init=str(tmp_path / "first.sql"), variables={"NAME": "orders"}).loop() == 0
    out, err = capsys.readouterr()
    assert "Asia/Kathmandu" in out
    assert "orders" in out
    assert "variable NO_VALUE_OF_A_TEST is not defined" in err


def test_a_missing_first_script_ends_the_command(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"cannot read .*none\.sql: No such file or directory"):
        run_app(["shell", "--init", str(tmp_path / "none.sql")])


def test_an_error_of_the_first_script_ends_the_shell_as_in_flink(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("firesteel.cli.shell.shell.prepare", lambda *_, **__: None)
    monkeypatch.setattr("sys.stdin", io.StringIO("SET 'pipeline.name' = 'typed';\nSET;\n"))
    (tmp_path / "first.sql").write_text("SHOW TABLES IN nowhere;")
    assert Shell({}, folder="", init=str(tmp_path / "first.sql")).loop() == 1
    out, err = capsys.readouterr()
    assert "nowhere" in err
    assert "typed" not in out


def test_ctrl_c_ends_an_answer_and_not_the_shell(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("firesteel.cli.shell.shell.prepare", lambda *_, **__: None)
    monkeypatch.setattr("firesteel.cli.shell.shell.print_help", pressed)
    monkeypatch.setattr("firesteel.cli.shell.shell.print_why", pressed)
    monkeypatch.setattr(ShellRunner, "show_kept", pressed)
    monkeypatch.setattr("sys.stdin", io.StringIO(TYPED))
    assert Shell({}, folder="").loop() == 0
    out, err = capsys.readouterr()
    assert err == "\nquery cancelled\n" * 3
    assert "default_catalog" in out
