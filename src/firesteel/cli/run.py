"""Execution of the statements of a script, one after another, and display of their results."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from typing import TYPE_CHECKING

from firesteel.cli.interrupts import Interrupts, Stopped, raise_dropped, second_interrupt_leaves, signal_of
from firesteel.cli.json_logs import tell, tell_error
from firesteel.cli.report import as_firesteel_error
from firesteel.cli.restarts import tell_restart
from firesteel.cli.script import SPARKS_LOGS, needs_spark
from firesteel.cli.terminal import escaped, lines_escaped
from firesteel.errors import UsageError

if TYPE_CHECKING:
    import pyarrow as pa

    from firesteel.cli.progress import ProgressLine
    from firesteel.session.environment import TableEnvironment
    from firesteel.session.result import ChangesResult, TableResult, Write
    from firesteel.sql.statements import Statement

SHOWS = {"tableau": "TABLEAU", "changes": "CHANGELOG", "table": "TABLE"}
"""The ways to show changes, each with its name in `sql-client.execution.result-mode`."""

RESULT_MODE = "sql-client.execution.result-mode"


def configuration(
    settings: dict[str, str], checkpoint: str | None, master: str | None, *, verbose: bool = False
) -> dict[str, str]:
    """Return the options of the command line as configuration options by key.

    Args:
        settings: Options given with --set. They override the options that `verbose` adds.
        checkpoint: Folder of the checkpoint, None if not given.
        master: Spark's master, None if not given.
        verbose: Whether to add the options that make Spark log more (SPARKS_LOGS).
    """
    found = {**(SPARKS_LOGS if verbose else {}), **settings}
    if checkpoint is not None:
        found["execution.checkpointing.dir"] = checkpoint
    if master is not None:
        found["spark.master"] = master
    return found


def run_script(
    text: str,
    options: dict[str, str],
    *,
    folder: str,
    show: str | None,
    keep_going: bool,
    verbose: bool,
    as_json: bool = False,
    name: str = "",
) -> int:
    """Run all statements of a script and return the exit status.

    Args:
        text: The script.
        options: Configuration options by key.
        folder: Folder of the modules of user-defined functions.
        show: How changes are shown, a key of SHOWS; None for the option of Flink's client.
        keep_going: Whether to continue after a statement that fails, instead of raising its error.
        verbose: Whether to print stack traces.
        as_json: Whether progress is written as JSON.
        name: File name of the script.
    """
    check_show(show)
    from firesteel.session.launch import CHECKPOINT

    with opened(text, options, folder=folder, as_json=as_json, name=name) as environment:
        runner = Runner(environment, show=show, verbose=verbose, as_json=as_json)
        if CHECKPOINT in options:
            environment.expect(text)
        return runner.run_all(text) if keep_going else runner.run(text)


def check_show(show: str | None) -> None:
    """Raise UsageError if there is no such way to show changes."""
    if show is not None and show not in SHOWS:
        raise UsageError(f"--show takes {', '.join(SHOWS)}, got {show!r}")


@contextmanager
def opened(
    text: str, options: dict[str, str], *, folder: str, as_json: bool = False, name: str = ""
) -> Iterator[TableEnvironment]:
    """Lock a command's checkpoint and yield the session for its script. Arguments: see `run_script`.

    Raises:
        UsageError: The checkpoint cannot be used, or another command holds it.
    """
    from firesteel.session.launch import open_checkpoint, prepare

    with ExitStack() as ends:
        if (held := open_checkpoint(options)) is not None:
            ends.callback(held.release)
        if needs_spark(text):
            prepare(options, own_process=True, script=name)  # the JVM starts while the script is parsed
        from firesteel.session.environment import TableEnvironment

        environment = TableEnvironment.create(configuration=options)
        ends.callback(environment.close)
        environment.functions_folder = folder
        environment.own_process, environment.script = True, name
        environment.tell_restart = partial(tell_restart, as_json=as_json)
        yield environment


def explain_script(text: str, options: dict[str, str], *, folder: str, code: bool, trace_rules: bool) -> int:
    """Run the definitions of a script, print the plans of its queries and INSERTs, and return 0.

    Args:
        text: The script.
        options: Configuration options by key.
        folder: Folder of the modules of user-defined functions.
        code: Whether to print the code that the workers run, too.
        trace_rules: Whether to print the plans after each program of the optimizer, too.
    """
    from firesteel.session.environment import TableEnvironment

    environment = TableEnvironment.create(configuration=options)
    environment.functions_folder = folder
    for statement in environment.parse(text):
        plans = environment.explain_statement(statement, text, code=code, trace_rules=trace_rules)
        if plans is not None:
            query = " ".join(text[statement.range.start : statement.range.end].split())
            sys.stdout.write(f"> {query}\n{plans}\n")
    return 0


class Runner:
    """Runner of statements that writes their results to stdout.

    Args:
        environment: The session.
        show: How changes are shown, a key of SHOWS; None for the option of Flink's client.
        verbose: Whether to print stack traces.
        confirms: Whether a statement without a result prints a line, as in Flink's client.
        as_json: Whether progress is written as JSON.
    """

    def __init__(
        self,
        environment: TableEnvironment,
        *,
        show: str | None = None,
        verbose: bool = False,
        confirms: bool = False,
        as_json: bool = False,
    ) -> None:
        self._environment = environment
        self._show = show
        self._verbose = verbose
        self._confirms = confirms
        self._json = as_json

    def run(self, text: str) -> int:
        """Parse the whole script, and run it. Return the exit status 0, or raise the first error."""
        statements = self._environment.parse(text)
        self._environment.keep_script(text)
        for statement in statements:
            self.execute(statement, text)
        return 0

    def run_all(self, text: str) -> int:
        """Run every statement. If one fails, its error is printed in place of its result.

        Returns:
            The exit status of the last failure, 0 if there was none.
        """
        status = 0
        pieces = self._environment.split_in_place(text)
        self._environment.keep_script(text)
        for piece in pieces:
            try:
                for statement in self._environment.parse(piece):
                    self.execute(statement, text)
            except BrokenPipeError:
                raise  # The reader of the output is gone, so later statements do not run.
            except Exception as problem:
                error = as_firesteel_error(problem)
                if self._verbose:
                    import traceback

                    traceback.print_exception(problem, file=sys.stderr)
                if error.sql in pieces:
                    error.sql = text  # so that the message quotes the script's whole line
                said = f"error: {error}"
                print(lines_escaped(said) if sys.stdout.isatty() else said, flush=True)
                if self._json:
                    tell_error(error)
                status = error.exit_status
        return status

    def execute(self, statement: Statement, text: str) -> None:
        """Run one statement to its end and show its result."""
        raise_dropped()
        from firesteel.cli.progress import ProgressLine, causes_text

        with ProgressLine(as_json=self._json) as line:
            result: TableResult | None = None
            try:
                with Interrupts() as interrupts:
                    result = self._environment.execute(statement, text, watch=line.watch)
                    interrupts.check()
                    self._show_result(result, line, interrupts)
            except KeyboardInterrupt as stop:
                self._stop(result)
                raise Stopped(signal_of(stop), line.latest) from None
        sys.stdout.flush()
        if line.skipped:
            count = line.skipped.total()
            many = "messages" if count > 1 else "message"
            said = f"{count:,} {many} skipped: they could not be read ({causes_text(line.skipped)})"
            if self._json:
                tell("notice", "WARN", message=said)
            else:
                print(said, file=sys.stderr)

    def _stop(self, result: TableResult | None) -> None:
        """Stop the job of a statement. If a second signal comes meanwhile, end the process.

        Args:
            result: Result of the statement; None if its job had not started.
        """
        with second_interrupt_leaves(), suppress(Exception):  # the signal may have ended Spark, too
            if result is not None:
                result.cancel()

    def _show_result(self, result: TableResult, line: ProgressLine, interrupts: Interrupts) -> None:
        from firesteel.session.result import OK, ChangesResult

        is_terminal = sys.stdout.isatty()

        def write(text: str) -> None:
            line.hide()
            sys.stdout.write(lines_escaped(text) if is_terminal else text)

        result.wait()
        if isinstance(result, ChangesResult):
            result.escape = escaped if is_terminal else None
            result.changes = _flushed(interrupts.checked(result.changes))
            self._show_changes(result, write)
        elif result is not OK and not result.is_insert:
            result.print(write)
        elif self._confirms:
            write("[INFO] Execute statement succeeded.\n" if result is OK else _WRITTEN)

    def _show_changes(self, result: ChangesResult, write: Write) -> None:
        mode = self._environment.configuration.get(RESULT_MODE) if self._show is None else SHOWS[self._show]
        if mode == "TABLEAU":
            result.print(write)
        elif mode == "CHANGELOG":
            for kind, *cells in result.texts():
                write(f"{kind}[{', '.join(cells)}]\n")
        else:
            result.print_left(write)


_WRITTEN = "[INFO] Complete execution of the SQL update statement.\n"


def _flushed(tables: Iterator[pa.Table]) -> Iterator[pa.Table]:
    """Yield the tables, and flush stdout after each, before waiting for the next one."""
    for table in tables:
        yield table
        sys.stdout.flush()
