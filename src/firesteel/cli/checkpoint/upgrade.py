"""The command `firesteel upgrade`: a checkpoint for a changed script."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from firesteel.cli.terminal import escaped, lines_escaped
from firesteel.errors import UsageError

if TYPE_CHECKING:
    from firesteel.session.upgrade.operator_plan import OperatorPlan
    from firesteel.session.upgrade.upgrade import CheckpointUpgrade, StatementChange
    from firesteel.spark.upgrade.upgrade import SinkDifference

_SHOWN = 20
"""Largest number of changes to show for each sink, and of ranges for each source that is read again."""


@dataclass(frozen=True)
class Wanted:
    """How far an upgrade goes. By default, the user is asked.

    Attributes:
        plan: Whether only the plan is shown; nothing is computed.
        dry_run: Whether the differences are computed and shown, and nothing changes.
        yes: Whether to upgrade without asking.
        any_order: Whether to upgrade even if results depend on the order in which rows of several inputs
            came.
    """

    plan: bool = False
    dry_run: bool = False
    yes: bool = False
    any_order: bool = False

    def check(self) -> None:
        """Raise UsageError if more than one of `plan`, `dry_run` and `yes` is True.

        Raise it also if none is True and stdin is no terminal, because the user cannot be asked then.
        """
        if self.plan + self.dry_run + self.yes > 1:
            raise UsageError("give one of --plan, --dry-run and --yes")
        if not (self.plan or self.dry_run or self.yes or sys.stdin.isatty()):
            raise UsageError("nobody can be asked whether to upgrade", hint="give --plan, --dry-run or --yes")


def upgrade_checkpoint(text: str, options: dict[str, str], *, folder: str, wanted: Wanted) -> int:
    """Upgrade a checkpoint to a script, print what changes, and return the exit status.

    Args:
        text: The new script.
        options: Configuration options by key.
        folder: Folder of the modules of user-defined functions.
        wanted: How far the upgrade goes.
    """
    wanted.check()
    from firesteel.session.environment import TableEnvironment
    from firesteel.session.upgrade.upgrade import opened_upgrade

    environment = TableEnvironment.create(configuration=options)
    environment.own_process = True
    try:
        with opened_upgrade(
            text, options, folder, environment, any_order=wanted.any_order, plan_only=wanted.plan
        ) as upgrade:
            _write(_plan_lines(upgrade))
            for refused in (change.refused for change in upgrade.changes if change.refused is not None):
                raise refused
            if wanted.plan or not upgrade.upgrades:
                return 0
            with upgrade.computed() as (staged, differences):
                _write(_difference_lines(differences))
                if wanted.dry_run:
                    return 0
                if not (wanted.yes or _agrees()):
                    _write(["Nothing has changed."])
                    return 0
                staged.commit()
            _write(["The checkpoint is upgraded. Run the new script to go on."])
    finally:
        environment.close()
    return 0


def _agrees() -> bool:
    sys.stderr.write("Upgrade? [y/N] ")
    sys.stderr.flush()
    return sys.stdin.readline().strip().lower() in ("y", "yes")


def _write(lines: Sequence[str] | Iterator[str]) -> None:
    is_terminal = sys.stdout.isatty()
    for line in lines:
        sys.stdout.write(f"{lines_escaped(line) if is_terminal else line}\n")
    sys.stdout.flush()


def _plan_lines(upgrade: CheckpointUpgrade) -> Iterator[str]:
    for change in upgrade.changes:
        yield from _statement_lines(change)
    for name in upgrade.left:
        yield f"{name}: not in the script; its state stays in the checkpoint"
    if not upgrade.upgrades and all(change.refused is None for change in upgrade.changes):
        yield "There is nothing to upgrade."


def _statement_lines(change: StatementChange) -> Iterator[str]:
    if change.upgrade is None and change.refused is None:
        yield f"{change.name}: {'new, begins at the start' if change.is_new else 'unchanged'}"
        return
    yield f"{change.name}: {'changed' if change.refused is None else 'cannot be upgraded'}"
    for each in change.operators:
        yield from _operator_lines(each)
    if change.refused is not None:
        yield f"  impossible: {change.refused.message}"
    elif not change.sources:
        yield "  keeps its state: no source is read again"
    for table, history in change.sources:
        yield f"  reads again: {_short(table)}, {history.size}"
        yield from (f"    {each}" for each in history.ranges[:_SHOWN])
        if len(history.ranges) > _SHOWN:
            yield f"    ... {len(history.ranges) - _SHOWN:,} more"


def _operator_lines(each: OperatorPlan) -> Iterator[str]:
    yield f"  {each.change}: {each.operator}"
    if each.added:
        yield f"    adds: {', '.join(each.added)}"
    elif each.before:
        yield f"    before: {each.before}"
    words = {
        "kept": "kept",
        "rebuilt": f"rebuilt from {', '.join(map(_short, each.tables)) or 'literal rows'}",
        "impossible": "cannot be rebuilt",
        "dropped": "dropped",
    }
    if each.state.value in words:
        yield f"    state: {words[each.state.value]}"


def _short(table: str) -> str:
    return table.removeprefix("default_catalog.default_database.")


def _rows(count: int) -> str:
    return f"{count:,} {'row' if count == 1 else 'rows'}"


def _difference_lines(differences: Mapping[str, Sequence[SinkDifference]]) -> Iterator[str]:
    from firesteel.changelog import SHORT

    for name, sinks in differences.items():
        for each in sinks:
            counts = ", ".join(f"{count:,} {SHORT[kind]}" for kind, count in sorted(each.counts().items()))
            stay = f"{_rows(each.difference.unchanged)} unchanged"
            yield f"{name}: {_short(each.sink.table)} gets {counts or 'no change'}; {stay}"
            yield from (f"  {escaped(line)}" for line in each.lines(_SHOWN))
            if each.difference.changes.num_rows > _SHOWN:
                yield f"  ... {each.difference.changes.num_rows - _SHOWN:,} more"
