"""A shell: statements end with a semicolon, Ctrl-C stops a query, `quit` or Ctrl-D leaves.

Answers to statements without a result are those of Flink's SQL client (CliStrings).
"""

from __future__ import annotations

import signal
import sys
from collections.abc import Iterator
from importlib import import_module

from firesteel import __version__
from firesteel.cli.history import History, home_file
from firesteel.cli.interrupts import forget, signal_of
from firesteel.cli.report import as_firesteel_error, report
from firesteel.cli.run import Runner
from firesteel.sensitive import redacted
from firesteel.session.environment import TableEnvironment
from firesteel.session.launch import prepare

PROMPT = "Firesteel SQL> "
MORE = "             > "
COMMANDS = ("help", "quit", "exit", "clear")
"""These need no semicolon."""

BANNER = f"""\
Firesteel {__version__}: Flink SQL's continuous queries on Apache Spark.
Statements end with ';'. 'help' shows what there is, 'quit' or Ctrl-D leaves.
"""

HELP = """\
Statements end with a semicolon.
  CREATE TABLE, CREATE VIEW, DROP       define what queries read and write
  SELECT, INSERT INTO, STATEMENT SET    run a query; Ctrl-C stops it
  EXPLAIN [CHANGELOG_MODE] query        show its plan
  SHOW TABLES, DESCRIBE name            see what is there
  SET, SET 'key' = 'value', RESET       options of this shell
  SET 'sql-client.execution.result-mode' = 'TABLEAU', 'CHANGELOG' or 'TABLE'
                                        how results are shown: Flink's tableau, a line a change, the rows left
  CLEAR, HELP, QUIT or EXIT             of the shell itself, with or without a semicolon
"""
_LOADED_FIRST = ("duckdb", "firesteel.spark.batch.host", "firesteel.spark.stream.host")
"""Ctrl-C while the first query loads these would leave them half loaded; now the JVM is starting anyway."""

_CLEAR = "\x1b[H\x1b[2J"


class Shell:
    """Reads statements from the terminal, or from a pipe, and shows their results."""

    def __init__(self, options: dict[str, str], *, folder: str, verbose: bool = False) -> None:
        self._interactive = sys.stdin.isatty()
        if self._interactive:
            print(BANNER)
        prepare(options, own_process=True)
        for module in _LOADED_FIRST:
            import_module(module)
        self._environment = TableEnvironment.create(configuration=options)
        self._environment.functions_folder = folder
        self._environment.own_process = True
        self._runner = Runner(self._environment, show=None, verbose=verbose, confirms=True)
        self._verbose = verbose
        self._history = History(home_file()) if self._interactive else None

    def loop(self) -> int:
        """Run statements until `quit` or the end of input, and return the exit status 0.

        Errors of statements do not end the shell.
        """
        try:
            for text in self._statements():
                if not self._answer(text):
                    break
        finally:
            if self._history is not None:
                self._history.save()
            self._environment.close()
        return 0

    def _statements(self) -> Iterator[str]:
        """Yield the typed texts: one or more complete statements, or a command of the shell."""
        while True:
            try:
                text = self._read()
            except EOFError:
                if self._interactive:
                    print()
                return
            except KeyboardInterrupt as stop:  # forget what was typed
                _leave_if_asked(stop)
                print()
                continue
            if self._history is not None and not _command(text):
                self._history.add(redacted(text.strip()))
            yield text

    def _read(self) -> str:
        """Read lines until a statement is complete or the input ends. Raises EOFError, KeyboardInterrupt."""
        typed = ""
        while not (_command(typed) or (typed.strip() and self._environment.is_complete(typed))):
            try:
                line = input((MORE if typed else PROMPT) if self._interactive else "")
            except EOFError:
                if not typed:
                    raise
                break
            typed = f"{typed}{line}\n" if typed or line.strip() else ""
        return typed

    def _answer(self, text: str) -> bool:
        """Run a typed text. Return False if it is `quit` or `exit`."""
        command = _command(text)
        if command in ("quit", "exit"):
            return False
        try:
            if command == "help":
                print(HELP, end="")
            elif command == "clear":
                print(_CLEAR if sys.stdout.isatty() else "", end="")
            else:
                self._runner.run(text)
        except KeyboardInterrupt as stop:
            _leave_if_asked(stop)
            print("\nquery cancelled", file=sys.stderr)
        except Exception as problem:
            report(as_firesteel_error(problem), verbose=self._verbose)
        return True


def _leave_if_asked(stop: KeyboardInterrupt) -> None:
    """Raise `stop` again unless it is Ctrl-C, which does not end the shell."""
    if signal_of(stop) != signal.SIGINT:
        raise stop
    forget()


def _command(text: str) -> str | None:
    """Return the shell's own command in a text, or None if the text is something else."""
    word = text.strip().rstrip(";").strip().lower()
    return word if word in COMMANDS else None
