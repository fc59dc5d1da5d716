"""`firesteel test`: exit statuses, choice of tests, rewriting, and what a file in a folder does."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from firesteel.cli.main import main
from tests.testing.files import read

PASSES = """\
- name: passes
  input: {orders: [[1, Tom, 2]]}
  expect: {rows: [[Tom, 2]]}
"""
FAILS = PASSES.replace("passes", "fails").replace("[Tom, 2]]", "[Tom, 3]]")


def firesteel(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> int:
    monkeypatch.setattr("sys.argv", ["firesteel", "test", *arguments])
    return main()


@pytest.mark.parametrize(
    ("tests", "arguments", "status", "last"),
    [
        (PASSES, [], 0, "1 passed, 0 failed"),
        (PASSES + FAILS, [], 1, "1 passed, 1 failed"),
        (PASSES + FAILS, ["-k", "passes"], 0, "1 passed, 0 failed"),
    ],
)
def test_the_exit_status_says_if_all_passed(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    tests: str,
    arguments: list[str],
    status: int,
    last: str,
) -> None:
    read(tmp_path, tests)
    assert firesteel(monkeypatch, str(tmp_path), *arguments) == status
    assert capsys.readouterr().out.splitlines()[-1] == last


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["{}/no.yaml"], "error: cannot read {}/no.yaml: No such file or directory\n"),
        (["{}/empty"], "error: no file below {}/empty is named *.firesteel.yaml\n"),
        (["{}", "-k", "nothing"], "error: no test has 'nothing' in its name\n"),
    ],
)
def test_a_wrong_use_ends_with_status_2(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    arguments: list[str],
    message: str,
) -> None:
    read(tmp_path, PASSES)
    (tmp_path / "empty").mkdir()
    assert firesteel(monkeypatch, *(each.format(tmp_path) for each in arguments)) == 2
    assert capsys.readouterr().err == message.format(tmp_path)


def test_a_wrong_file_runs_no_test(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    read(tmp_path, PASSES)
    (tmp_path / "wrong.firesteel.yaml").write_text("sql: SELECT 1\ntests: 5\n", encoding="utf-8")
    assert firesteel(monkeypatch, str(tmp_path)) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert "wrong.firesteel.yaml: tests must be a list (line 2, column 8)\n    2 | tests: 5\n" in err


def test_rewriting_makes_the_next_run_pass(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    file = read(tmp_path, PASSES + FAILS)
    assert firesteel(monkeypatch, str(file.path), "--rewrite") == 1
    assert "  rewritten\n" in capsys.readouterr().out
    assert file.path.read_text(encoding="utf-8") == file.document.text.replace("[Tom, 3]]", "[Tom, 2]]")
    assert firesteel(monkeypatch, str(file.path)) == 0


def _processor_seconds(folder: Path, tests: int) -> float:
    """Run so many tests in a process of their own, which loads no Spark, and return its processor time."""
    folder.mkdir()
    read(folder, "".join(PASSES.replace("passes", f"test {number}") for number in range(tests)))
    program = (
        "import os, sys\n"
        "from firesteel.cli.app import run_app\n"
        f"assert run_app(['test', {str(folder)!r}]) == 0\n"
        "assert not any(name.split('.')[0] in ('pyspark', 'py4j', 'numba') for name in sys.modules)\n"
        "times = os.times()\n"
        "print(times.user + times.system + times.children_user + times.children_system)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-2] == f"{tests} passed, 0 failed"
    return float(done.stdout.split()[-1])


@pytest.mark.full
def test_tests_share_one_process_without_spark(tmp_path: Path) -> None:
    """Ten take less than twice the time of one, as most of it is the start: seconds depend on the machine."""
    one = min(_processor_seconds(tmp_path / f"one {again}", 1) for again in range(2))
    ten = min(_processor_seconds(tmp_path / f"ten {again}", 10) for again in range(2))
    assert ten < 2 * one


@pytest.mark.spark
@pytest.mark.slow
@pytest.mark.full
def test_spark_runs_the_tests(tmp_path: Path) -> None:
    steps = PASSES.replace("passes", "steps").replace(
        "  input: {orders: [[1, Tom, 2]]}\n  expect: {rows: [[Tom, 2]]}\n",
        "  steps:\n  - input: {orders: [[1, Tom, 2]]}\n    expect: {changes: [[+I, Tom, 2]]}\n"
        "  - input: {orders: [[2, Tom, 5], [-D, 1, Tom, 2]]}\n    expect: {changes: [], rows: [[Tom, 5]]}\n",
    )
    read(tmp_path, PASSES + FAILS + steps)
    command = [sys.executable, "-m", "firesteel.cli.main", "test", "--spark", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 1, done.stderr
    lines = [line.strip() for line in done.stdout.splitlines()[1:]]
    assert lines == [
        "passed  passes",
        "FAILED  fails (line 6)",
        "line 8: rows differ",
        "extra  [Tom, 2]",
        "missing  [Tom, 3]",
        "passed  steps",
        "2 passed, 1 failed",
    ]
