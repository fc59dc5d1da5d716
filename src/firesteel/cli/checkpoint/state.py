"""The command `firesteel state`: the state of the operators in a checkpoint."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING

from firesteel.cli.terminal import escaped
from firesteel.errors import UsageError
from firesteel.session.tableau import print_tableau, widths_by_content

if TYPE_CHECKING:
    from firesteel.session.inspection.state_report import StateReport

_SHOWN = 120
"""Number of characters after which the text of a statement is cut off."""


def show_state(
    checkpoint: str,
    operator: str | None,
    key: Sequence[str],
    batch: int | None,
    limit: int,
    options: dict[str, str],
) -> int:
    """Print the sizes of all states, or the entries of one operator's states. Return the exit status.

    Args:
        checkpoint: The folder.
        operator: Name of the operator, or the beginning of it; None for sizes.
        key: Values of the operator's key as text; empty for all keys.
        batch: Number of the micro-batch after which the state is read; None for the last one.
        limit: Largest number of entries to print of each state.
        options: Configuration options by key.
    """
    if key and operator is None:
        raise UsageError(
            "--key has no effect without an operator", hint="firesteel state DIR shows their names"
        )
    from firesteel.cli.progress import ProgressLine
    from firesteel.session.environment import TableEnvironment
    from firesteel.session.inspection.state_report import OVERVIEW, open_reports
    from firesteel.spark.checkpoint.folder import check_is_there

    check_is_there(checkpoint)
    environment = TableEnvironment.create(configuration=options)
    environment.own_process = True
    try:
        with ProgressLine() as line:  # Spark may take long to start
            for report in open_reports(environment.spark.session.newSession(), checkpoint, batch):
                if operator is None:
                    rows = report.overview()
                    line.hide()
                    _write(f"{_heading(report)}\n")
                    _write_table(OVERVIEW, iter(rows), limit=None)
                    continue
                full = report.operator(operator)
                for state, columns, entries in report.entries(full, key):
                    line.hide()
                    _write(f"{full}, {state}:\n")
                    _write_table(columns, entries, limit)
    finally:
        environment.close()
    return 0


def _heading(report: StateReport) -> str:
    text = report.state.statement
    shown = text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."
    return escaped(f"{report.name}, after micro-batch {report.state.batch}: {shown}".rstrip(": "))


def _write_table(columns: Sequence[str], rows: Iterator[Sequence[str]], limit: int | None) -> None:
    shown = [[escaped(cell) for cell in row] for row in islice(rows, limit)]
    print_tableau(columns, shown, widths_by_content(columns, shown), _write)
    if next(rows, None) is not None:
        _write(f"There are more. --limit {limit} stops here.\n")


def _write(text: str) -> None:
    sys.stdout.write(text)
