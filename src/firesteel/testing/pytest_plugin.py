"""Plugin of pytest that collects `*.firesteel.yaml`: each test of such a file is a test of pytest.

pytest imports this module in every run, so it imports little.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from firesteel.testing.coverage.points import Coverage
    from firesteel.testing.run import Outcome
    from firesteel.testing.test_case import Case, TestFile

SUFFIXES = (".firesteel.yaml", ".firesteel.yml")
"""Ends of the names of files of tests."""


_COVERAGE: pytest.StashKey[Coverage] = pytest.StashKey()
"""Key of the Coverage in pytest's stash: the branches that the tests of this process took or did not take."""


class NotMetError(Exception):
    """A test whose expectations are not met."""

    def __init__(self, outcome: Outcome) -> None:
        super().__init__(outcome.text())
        self.outcome = outcome


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """Return the collector of a file of tests; None for any other file."""
    if not file_path.name.endswith(SUFFIXES):
        return None
    return YamlFile.from_parent(parent, path=file_path)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Write the branches that no test took."""
    coverage = config.stash.get(_COVERAGE, None)
    if coverage is not None:
        terminalreporter.section("branches of SQL scripts")
        for line in coverage.lines():
            terminalreporter.write_line(line)


class YamlFile(pytest.File):
    """A file of tests."""

    def collect(self) -> Iterator[pytest.Item]:
        from firesteel.errors import FiresteelError
        from firesteel.testing.test_case import read_tests

        try:
            file = read_tests(self.path)
        except FiresteelError as error:
            raise self.CollectError(str(error)) from None
        for case in file.cases:
            yield YamlItem.from_parent(self, name=case.name, file=file, case=case)


class YamlItem(pytest.Item):
    """One test of a file."""

    def __init__(self, *, file: TestFile, case: Case, **others: Any) -> None:
        super().__init__(**others)
        self._file, self._case = file, case

    def runtest(self) -> None:
        from firesteel.testing.coverage.points import Coverage
        from firesteel.testing.run import run_case

        outcome = run_case(self._file, self._case)
        self.config.stash.setdefault(_COVERAGE, Coverage()).merge(outcome.coverage)
        if not outcome.passed:
            raise NotMetError(outcome)

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """Return the difference of the rows, or the error with its position, without a stack trace."""
        from firesteel.errors import FiresteelError, InternalError

        error = excinfo.value
        if isinstance(error, NotMetError | FiresteelError) and not isinstance(error, InternalError):
            return str(error)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, int, str]:
        return self.path, self._case.node.line - 1, self.name
