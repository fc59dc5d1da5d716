"""Run of files of tests, with a line for each test."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from firesteel.cli.terminal import lines_escaped
from firesteel.errors import UsageError
from firesteel.testing.coverage.points import Coverage
from firesteel.testing.rewrite import rewrite_file
from firesteel.testing.run import Outcome, run_case
from firesteel.testing.test_case import read_tests

PATTERN = "*.firesteel.yaml"


def run_files(paths: Sequence[str], *, name: str, rewrite: bool, covers: bool, on_spark: bool) -> int:
    """Run the tests of files and write their outcomes to stdout.

    Args:
        paths: Files, and folders that are searched.
        name: Text in the names of the tests to run; "" for all.
        rewrite: Whether to replace expected rows in the files by the actual rows, where they differ.
        on_spark: Whether Spark's batch host runs the tests; otherwise this process does.
        covers: Whether to report the branches that no test takes.

    Returns:
        0 if all tests passed, 1 if one failed.

    Raises:
        UsageError: A file cannot be read, is wrong, or no test has the name.
        SqlError: A script is wrong.
    """
    files = [read_tests(path) for path in _files(paths)]
    passed = failed = 0
    coverage = Coverage()
    for file in files:
        cases = [case for case in file.cases if name in case.name]
        if not cases:
            continue
        _write(f"{file.path}\n")
        outcomes = []
        for case in cases:
            outcomes.append(run_case(file, case, on_spark=on_spark))
            _tell(outcomes[-1])
            coverage.merge(outcomes[-1].coverage)
        if rewrite and rewrite_file(file.path, file.document.text, outcomes):
            _write("  rewritten\n")
        passed += sum(outcome.passed for outcome in outcomes)
        failed += sum(not outcome.passed for outcome in outcomes)
    if not passed + failed:
        raise UsageError(f"no test has '{name}' in its name")
    if covers and not on_spark:
        _write("".join(f"{line}\n" for line in coverage.lines()))
    _write(f"{passed} passed, {failed} failed\n")
    return int(failed > 0)


def _files(paths: Sequence[str]) -> Iterator[Path]:
    for path in map(Path, paths):
        if not path.is_dir():
            yield path
            continue
        found = sorted(path.rglob(PATTERN))
        if not found:
            raise UsageError(f"no file below {path} is named {PATTERN}")
        yield from found


def _tell(outcome: Outcome) -> None:
    case = outcome.case
    if outcome.passed:
        _write(f"  passed  {case.name}\n")
        return
    _write(f"  FAILED  {case.name} (line {case.node.line})\n")
    for line in outcome.text().splitlines():
        _write(f"          {line}\n")


def _write(text: str) -> None:
    sys.stdout.write(lines_escaped(text) if sys.stdout.isatty() else text)
    sys.stdout.flush()
