"""`firesteel state --diff` and `--against`: the entries by which two states differ."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from firesteel.cli.terminal import escaped
from firesteel.errors import UsageError
from firesteel.session.tableau import print_tableau, widths_by_content

if TYPE_CHECKING:
    from firesteel.session.inspection.state_difference import StateDifference

COLUMNS = ("operator", "state", "entries before", "entries after", "gone", "new")
"""Columns of the summary of all operators. All but the first two are numbers of entries.

"gone" counts entries that only the earlier state has, "new" those that only the later state has. An entry
whose value has changed counts in both.
"""


@dataclass(frozen=True)
class Sides:
    """The two states that are compared.

    Attributes:
        checkpoint: The checkpoint.
        batches: Micro-batches of the checkpoint after which the states are compared; None with `against`.
        against: Another checkpoint, whose state counts as the later one; None with `batches`.
        batch: With `against`: number of the micro-batch in both checkpoints; None for the last of each.
    """

    checkpoint: str
    batches: tuple[int, int] | None = None
    against: str | None = None
    batch: int | None = None

    def check(self) -> None:
        """Raise UsageError for options that exclude each other."""
        if self.batches is not None and self.against is not None:
            raise UsageError("give --diff or --against, not both")
        if self.batches is not None and self.batch is not None:
            raise UsageError("--diff names both micro-batches: --batch has no effect")


def show_difference(
    sides: Sides, operator: str | None, key: Sequence[str], limit: int, options: dict[str, str]
) -> int:
    """Print the entries by which two states differ, or how many entries differ for each operator.

    Args:
        sides: The states.
        operator: Name of the operator, or the beginning of it. None to print the table of COLUMNS for all
            operators instead of entries.
        key: Values of the operator's key as text; empty for all keys.
        limit: Largest number of entries to print of each state.
        options: Configuration options by key.

    Returns:
        0 if the states are equal, 1 if not.
    """
    sides.check()
    if key and operator is None:
        raise UsageError(
            "--key has no effect without an operator", hint="firesteel state DIR shows their names"
        )
    from firesteel.cli.progress import ProgressLine
    from firesteel.session.environment import TableEnvironment
    from firesteel.session.inspection.state_difference import state_differences
    from firesteel.session.inspection.state_report import open_reports
    from firesteel.spark.checkpoint.folder import check_is_there

    for folder in filter(None, (sides.checkpoint, sides.against)):
        check_is_there(folder)
    environment = TableEnvironment.create(configuration=options)
    environment.own_process = True
    differs = False
    try:
        first, second = sides.batches or (sides.batch, sides.batch)
        other = sides.against or sides.checkpoint
        with ProgressLine():
            session = environment.spark.session.newSession()
            before = {each.name: each for each in open_reports(session, sides.checkpoint, first)}
            after = {each.name: each for each in open_reports(session, other, second)}
        if before.keys() != after.keys():
            one_sided = ", ".join(sorted(before.keys() ^ after.keys()))
            raise UsageError(f"only one of the checkpoints has {one_sided}")
        for name, report in before.items():
            found = state_differences(report, after[name], operator, list(key))
            differs = differs or any(any(each.counts) for each in found)
            _write(f"{name}: micro-batch {report.state.batch}, then {after[name].state.batch}\n")
            if operator is None:
                _write_table(COLUMNS, [_summary(each) for each in found], None)
            else:
                _write_entries(found, limit)
    finally:
        environment.close()
    return int(differs)


def _summary(found: StateDifference) -> list[str]:
    numbers = (found.before, found.after, *found.counts)
    return [found.operator, found.state, *map(str, numbers)]


def _write_entries(found: Sequence[StateDifference], limit: int) -> None:
    for each in found:
        gone, new = each.counts
        _write(f"{each.operator}, {each.state}: {gone} gone, {new} new\n")
        if gone or new:
            _write_table(["", *each.entries.column_names[1:]], each.rows(), limit)


def _write_table(columns: Sequence[str], rows: Sequence[Sequence[str]], limit: int | None) -> None:
    shown = [[escaped(cell) for cell in row] for row in rows[:limit]]
    print_tableau(columns, shown, widths_by_content(columns, shown), _write)
    if len(shown) < len(rows):
        _write(f"There are {len(rows) - len(shown):,} more. --limit {limit} stops here.\n")


def _write(text: str) -> None:
    sys.stdout.write(text)
