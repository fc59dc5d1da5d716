"""Execution of statements in the shell: Ctrl-C, background jobs, and the display of results."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from firesteel.background import in_thread
from firesteel.cli.run import RESULT_MODE, Runner
from firesteel.cli.shell.background import BackgroundJob, BackgroundJobs
from firesteel.cli.terminal import escaped
from firesteel.counted import counted

if TYPE_CHECKING:
    from firesteel.cli.interrupts import Interrupts
    from firesteel.cli.progress import ProgressLine
    from firesteel.cli.shell.kept_result import KeptResult
    from firesteel.session.environment import TableEnvironment
    from firesteel.session.result import ChangesResult, TableResult, Write
    from firesteel.sql.statements import Statement

DETACH = "firesteel.shell.detach"
MOST_BEHIND_TABLE = 100
"""Largest number of rows to print when a live table ends. More would scroll earlier output out of sight."""
_LOOK_SECONDS = 0.05


class ShellRunner(Runner):
    """Runner of the shell's statements.

    Args:
        environment: The session.
        verbose: Whether to print stack traces.
        was_pressed: Function that returns whether Ctrl-C was pressed since it was last called.

    Attributes:
        background: The jobs in the background.
        draws: Whether the terminal can show a live table.
    """

    def __init__(
        self, environment: TableEnvironment, *, verbose: bool, was_pressed: Callable[[], bool]
    ) -> None:
        super().__init__(environment, show=None, verbose=verbose, confirms=True)
        self._was_pressed = was_pressed
        self._goes_behind = False
        self.background = BackgroundJobs()
        self.draws = False

    def execute_behind(self, statement: Statement, text: str) -> None:
        """Run a statement whose job continues in the background. Print the job's id, not its rows.

        Args:
            statement: The statement.
            text: The text from which the statement was parsed.

        Raises:
            UsageError: The statement starts no job.
        """
        self._goes_behind = True
        try:
            self.execute(statement, text)
        finally:
            self._goes_behind = False

    def _show_result(self, result: TableResult, line: ProgressLine, interrupts: Interrupts) -> None:
        if self._goes_behind or self._detaches(result):
            line.hide()
            self.background.add(result)
            _tell_behind(result)
            return
        super()._show_result(result, line, interrupts)

    def _detaches(self, result: TableResult) -> bool:
        from firesteel.session.result import ChangesResult

        if result.record is None or not self._environment.configuration.get(DETACH):
            return False
        return not isinstance(result, ChangesResult) or not result.is_bounded

    def _stop(self, result: TableResult | None) -> None:
        """Stop a statement's job, and wait for its end.

        If the user presses Ctrl-C again, stop waiting: the job then ends in the background.

        Args:
            result: Result of the statement; None if its job had not started.
        """
        if result is None:
            return
        self._was_pressed()
        done = in_thread(result.cancel)
        while not done.done():
            time.sleep(_LOOK_SECONDS)
            if self._was_pressed():
                print("\nThe query is stopped in the background.", file=sys.stderr)
                return

    def _show_changes(self, result: ChangesResult, write: Write) -> None:
        if self.draws and not result.is_bounded and self._mode() == "TABLE":
            write("")  # clears the line of progress
            self._show_live(self.background.add(result), result)
        else:
            super()._show_changes(result, write)

    def _mode(self) -> str:
        mode: str = self._environment.configuration.get(RESULT_MODE)
        return mode

    def _show_live(self, job: BackgroundJob, result: ChangesResult) -> None:
        """Show a query as a live table until the user leaves it.

        The key `q` stops the query, and its first rows are printed. With `b`, it continues in the background.

        Args:
            job: Background job of the query, which collects its changes.
            result: Result of the same query.
        """
        from firesteel.cli.shell.live_table import Left, LiveTable
        from firesteel.cli.shell.table_model import TableModel

        assert job.kept is not None
        model = TableModel(result.names, result.widths, lambda rows: list(result.cells(rows)))
        left = LiveTable(job.kept, model, lambda: job.job.phase or job.job.state.value).run()
        if left is Left.STOP:
            self._stop(result)
            self._print_left(job.kept, MOST_BEHIND_TABLE, job.job.id)
        else:
            _tell_behind(result)

    def show_kept(self, id: str) -> None:
        """Show the results of a query in the background, in the session's result mode.

        Raises:
            ValidationError: No such query is in the background.
        """
        kept = self.background.kept(id)
        if self._mode() == "TABLE":
            self._print_left(kept)
            return
        if kept.dropped:
            verb = "is" if kept.dropped == 1 else "are"
            print(f"[INFO] The first {counted(kept.dropped, 'change')} {verb} no longer kept.")
        changes = kept.changes()
        changes.escape = escaped if sys.stdout.isatty() else None
        self._show_changes(changes, sys.stdout.write)

    def _print_left(self, kept: KeptResult, most: int | None = None, id: str = "") -> None:
        """Print the current rows of a query.

        Args:
            kept: Results of the query.
            most: Maximum number of rows to print; None for all. If there are more rows, a hint is printed.
            id: Id of the query's job, which the hint mentions.
        """
        result: ChangesResult = kept.changes()
        result.escape = escaped if sys.stdout.isatty() else None
        rows = kept.rows()
        result.print_rows(rows if most is None else rows.slice(0, most))
        if most is not None and rows.num_rows > most:
            print(f"[INFO] These are the first of {rows.num_rows:,} rows: SHOW RESULT {id} prints all.")


def _tell_behind(result: TableResult) -> None:
    """Print how to follow a job that runs in the background."""
    assert result.record is not None
    id = result.record.id
    reads = "" if result.is_insert else f", SHOW RESULT {id}"
    print(f"[INFO] Job {id} runs in the background: SHOW JOBS, STOP JOB '{id}'{reads}.")
