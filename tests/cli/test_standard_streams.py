"""A command whose stdin, stdout or stderr is closed, full or without a reader does what it is asked to."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from firesteel.cli import main
from firesteel.cli.standard_streams import has_reader

FIRESTEEL = f"exec {sys.executable} -m firesteel.cli.main"
WRONG = "run missing.sql"


def shell(command: str, folder: Path) -> subprocess.CompletedProcess[str]:
    (folder / "job.sql").write_text("SHOW CATALOGS;")
    return subprocess.run(
        ["sh", "-c", f"{FIRESTEEL} {command}"], capture_output=True, text=True, cwd=folder, timeout=100
    )


EACH_STREAM = [
    ("run job.sql 2>&-", 0, "default_catalog", ""),
    (f"{WRONG} --log-format json 2>&-", 2, "", ""),
    ("explain job.sql <&- >&-", 0, "", ""),
    ("help glossary >&-", 0, "", ""),
    ("run - <&-", 2, "", "error: - holds no statement"),
    ("shell <job.sql 2>&-", 0, "default_catalog", ""),
    ("frobnicate 2>/dev/full", 2, "", ""),
]
MORE = [
    ("run job.sql --log-format json 2>&-", 0, "default_catalog", ""),
    (f"{WRONG} 2>&-", 2, "", ""),
    (f"{WRONG} --log-format json 2>/dev/full", 2, "", ""),
    ("run job.sql >&- 2>&-", 0, "", ""),
    ("--version >&-", 0, "", ""),
    ("shell <&-", 0, "", ""),
]


@pytest.mark.parametrize(
    ("command", "status", "out", "err"),
    [*EACH_STREAM, *(pytest.param(*each, marks=pytest.mark.full) for each in MORE)],
)
def test_a_stream_that_is_closed_or_full(
    command: str, status: int, out: str, err: str, tmp_path: Path
) -> None:
    done = shell(command, tmp_path)
    assert (done.returncode, done.stderr.strip()) == (status, err)
    assert out in done.stdout


NUMBERS = """
import os, subprocess, sys
from firesteel.cli.standard_streams import prepare_streams
prepare_streams()
with open("log", "w") as file:
    assert file.fileno() > 2
    print("lost", file=sys.stderr)
    os.write(2, b"lost")
    subprocess.run(["sh", "-c", "echo lost >&2"], check=True)
print("left")
"""


@pytest.mark.parametrize("closed", ["2>&-", "<&- 2>&-"])
def test_no_file_gets_the_number_of_a_closed_stream(closed: str, tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(NUMBERS)
    done = subprocess.run(
        ["sh", "-c", f"exec {sys.executable} program.py {closed}"],
        capture_output=True,
        text=True,
        cwd=tmp_path,
    )
    assert (done.returncode, done.stdout) == (0, "left\n")
    assert (tmp_path / "log").read_text() == ""


def test_stderr_without_a_reader_leaves_status_and_output(tmp_path: Path) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    (tmp_path / "job.sql").write_text("SHOW CATALOGS; SELECT FROM;")
    command = [sys.executable, "-m", "firesteel.cli.main", "run", "--keep-going", "job.sql", "--verbose"]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=writer, text=True, cwd=tmp_path)
    os.close(writer)
    assert done.returncode == 2
    assert "default_catalog" in done.stdout
    assert "error: unexpected 'FROM'" in done.stdout


def test_whether_a_pipe_has_a_reader(tmp_path: Path) -> None:
    reader, writer = os.pipe()
    assert has_reader(writer)
    os.close(reader)
    assert not has_reader(writer)
    os.close(writer)
    with (tmp_path / "file").open("w") as file:
        assert has_reader(file.fileno())


def test_a_broken_pipe_that_is_not_stdout_is_reported(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def broken(_: list[str]) -> None:
        raise BrokenPipeError("to a server")

    monkeypatch.setattr("firesteel.cli.early.prepare_early", broken)
    monkeypatch.setattr("sys.argv", ["firesteel", "run", "job.sql"])
    with Path(os.devnull).open("w") as out:
        monkeypatch.setattr("sys.stdout", out)
        assert main.main() == 1
    assert "BrokenPipeError: to a server" in capsys.readouterr().err
