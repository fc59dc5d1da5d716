"""The loop of the shell: it reads statements and commands and runs them one after another.

Statements end with a semicolon. Ctrl-C stops the query and not the shell. Answers to statements without a
result are those of Flink's SQL client (CliStrings).
"""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from types import FrameType
from typing import Any, Protocol

from firesteel import __version__
from firesteel.background import in_thread
from firesteel.cli.interrupts import forget, raise_dropped, remember, signal_of
from firesteel.cli.report import as_firesteel_error, report
from firesteel.cli.script import with_values
from firesteel.cli.shell.commands import Command, asks_for_background, command_of, without_ampersand
from firesteel.cli.shell.help_text import print_help
from firesteel.cli.shell.plain_reader import PlainReader
from firesteel.cli.shell.runner import ShellRunner
from firesteel.cli.shell.why import print_why
from firesteel.cli.shell.why_statement import is_why, parse_why
from firesteel.errors import UsageError
from firesteel.session.environment import TableEnvironment
from firesteel.session.launch import prepare

BANNER = f"""\
Firesteel {__version__}: Flink SQL's continuous queries on Apache Spark.
Statements end with ';'. 'help' shows what there is, 'quit' or Ctrl-D leaves.
"""
_LOADED_FIRST = ("duckdb", "firesteel.spark.batch.host", "firesteel.spark.stream.host")
"""Modules that a thread imports before the first statement: Ctrl-C interrupts only the main thread."""
_CLEAR = "\x1b[H\x1b[2J"
_EXAMPLES = {
    "show result": "write SHOW RESULT 3 for the query with the id 3; SHOW JOBS lists the ids",
    "source": "write SOURCE file.sql",
}
"""Hints for commands that were typed without their argument, by command."""
_DEEPEST = 16
"""Largest number of files that run at once, if each of them runs the next one with SOURCE."""
_PATIENCE_SECONDS = 30.0
"""Seconds that each background job has to end when the shell is left."""


class Reader(Protocol):
    """Reader of statements and commands.

    Attributes:
        takes_signals: How Ctrl-C ends `read`. True: the signal handler calls `interrupt`, and must not raise
            an exception. False: the signal handler raises KeyboardInterrupt.
    """

    takes_signals: bool

    def read(self) -> str:
        """Return statements or a command.

        Raises:
            EOFError: The input has ended, or the user pressed Ctrl-D.
            KeyboardInterrupt: The user pressed Ctrl-C.
        """

    def interrupt(self) -> None:
        """Let `read` end after Ctrl-C. Only called for readers with `takes_signals`."""

    def above(self, write: Callable[[], None]) -> None:
        """Let `write` print lines above the typed text. Only called for readers with `takes_signals`."""

    def close(self) -> None: ...


class Shell:
    """Interactive shell that runs statements from a terminal or a pipe and shows their results.

    Args:
        options: Configuration options of the session by key.
        folder: Folder of the modules of user-defined functions.
        verbose: Whether to print stack traces.
        init: Script to run first, None for none.
        variables: Values of `${NAME}` in statements. A name that is not here is an environment variable.
        commands: Typer's commands of `firesteel` by name, for HELP.

    Raises:
        UsageError: The script to run first cannot be read.
    """

    def __init__(
        self,
        options: dict[str, str],
        *,
        folder: str,
        verbose: bool = False,
        init: str | None = None,
        variables: Mapping[str, str] | None = None,
        commands: Mapping[str, Any] | None = None,
    ) -> None:
        if init is not None:
            _text_of(init)
        self._interactive = sys.stdin.isatty()
        if self._interactive:
            print(BANNER)
        prepare(options, own_process=True)
        self._loaded = in_thread(lambda: [import_module(module) for module in _LOADED_FIRST])
        self._environment = TableEnvironment.create(configuration=options)
        self._environment.functions_folder = folder
        self._environment.own_process = self._environment.tells_resumed = True
        self._runner = ShellRunner(self._environment, verbose=verbose, was_pressed=self._take_press)
        self._verbose = verbose
        self._init = init
        self._variables = variables or {}
        self._commands = commands or {}
        self._times = False
        self._failed = False
        self._is_interruptible = False
        self._is_reading = False
        self._pressed = False
        self._depth = 0
        self._reader = self._make_reader()
        self._runner.background.on_end = self._tell_while_reading

    def loop(self) -> int:
        """Run statements until `quit` or the end of input, and return the exit status.

        An error in the script that runs first ends the shell with status 1, as in Flink's SQL client. Later
        errors are printed and do not end the shell: its status is 0.
        """
        before = signal.signal(signal.SIGINT, self._press)
        try:
            goes_on = self._init is None or self._answer(f"SOURCE {self._init}")
            if self._init is not None and self._failed:
                return 1
            if goes_on:
                self._read_and_answer()
            if not self._interactive:
                self._await_background()
        finally:
            self._reader.close()
            self._runner.background.stop(_PATIENCE_SECONDS)
            self._environment.close()
            signal.signal(signal.SIGINT, before)
        return 0

    # --- Ctrl-C ----------------------------------------------------------------------------------
    def _press(self, number: int, frame: FrameType | None) -> None:
        """Handle Ctrl-C while no statement runs (signal handler).

        - While the user types: clear the typed text.
        - During an answer that needs no job, such as HELP: end the answer.
        - At any other moment, such as right after Enter: stop the next statement before it runs.
        """
        self._pressed = True
        if self._is_interruptible:
            self._is_interruptible = False  # A second Ctrl-C must not interrupt what the first one begins.
            raise KeyboardInterrupt
        if self._is_reading:
            self._reader.interrupt()
        else:
            remember(number)

    @contextmanager
    def _interruptible(self) -> Iterator[None]:
        """Context of an answer that no job computes: Ctrl-C ends the answer with KeyboardInterrupt."""
        self._is_interruptible = True
        try:
            yield
        finally:
            self._is_interruptible = False

    def _take_press(self) -> bool:
        pressed, self._pressed = self._pressed, False
        return pressed

    # --- reading ---------------------------------------------------------------------------------
    def _make_reader(self) -> Reader:
        if self._interactive and sys.stdout.isatty() and os.environ.get("TERM", "dumb") != "dumb":
            try:
                from firesteel.cli.shell.line_editor import LineEditor
            except ModuleNotFoundError as missing:
                if not (missing.name or "").startswith("prompt_toolkit"):
                    raise
                print("Without completion and highlighting: pip install 'firesteel[shell]' adds them.\n")
            else:
                self._runner.draws = True
                return LineEditor.of_terminal(self._environment, self._is_ready)
        return PlainReader(self._is_ready, interactive=self._interactive)

    def _is_ready(self, text: str) -> bool:
        """Return whether a text is a command, or ends with a complete statement."""
        return (
            command_of(text) is not None or asks_for_background(text) or self._environment.is_complete(text)
        )

    def _read_and_answer(self) -> None:
        while True:
            self._tell_ended()
            try:
                forget()
                text = self._read()
            except EOFError:
                if self._interactive:
                    print()
                if self._may_leave():
                    return
                continue
            except KeyboardInterrupt as stop:  # clear the typed text
                _leave_if_asked(stop)
                print()
                continue
            if not self._answer(text):
                return

    def _read(self) -> str:
        """Return the statements or the command that the user types.

        Raises:
            EOFError: The input has ended, or the user pressed Ctrl-D.
            KeyboardInterrupt: The user pressed Ctrl-C.
        """
        try:
            self._is_reading = self._reader.takes_signals
            self._is_interruptible = not self._is_reading
            return self._reader.read()
        finally:
            self._is_reading = self._is_interruptible = False

    def _may_leave(self) -> bool:
        """Return whether the shell may end. Ask the user if background jobs run, as they end with it."""
        running = len(self._runner.background.running()) if self._interactive else 0
        if not running:
            return True
        what = "1 job runs" if running == 1 else f"{running} jobs run"
        self._is_interruptible = True
        try:
            return input(f"{what} in the background and will be stopped. Leave? [y/N] ").lower() in (
                "y",
                "yes",
            )
        except EOFError:
            return True
        except KeyboardInterrupt:
            print()
            return False
        finally:
            self._is_interruptible = False

    # --- answers ---------------------------------------------------------------------------------
    def _answer(self, text: str) -> bool:
        """Run a typed text, and report its error. Return False if the shell ends."""
        started = time.monotonic()
        self._failed = False
        try:
            goes_on = self._run_text(text)
        except KeyboardInterrupt as stop:
            _leave_if_asked(stop)
            print("\nquery cancelled", file=sys.stderr)
            goes_on = True
        except Exception as problem:
            report(as_firesteel_error(problem), verbose=self._verbose)
            goes_on = self._failed = True
        if self._times and command_of(text) is None:
            print(f"Time: {time.monotonic() - started:.3f} s", flush=True)
        return goes_on

    def _run_text(self, text: str) -> bool:
        """Run the commands and statements of a text up to its end or the first error.

        Return False if the shell ends.
        """
        command = command_of(text)
        if command is not None:
            return self._run_command(command)
        self._loaded.result()
        text = with_values(text, self._variables)
        pieces = self._environment.split_in_place(text)
        for number, piece in enumerate(pieces):
            if piece.strip() == "&":
                continue
            command = command_of(piece)
            if command is not None:
                if not self._run_command(command):
                    return False
                continue
            behind = asks_for_background(piece) or [p.strip() for p in pieces[number + 1 : number + 2]] == [
                "&"
            ]
            raise_dropped()
            if is_why(piece):
                self._explain_row(piece, behind=behind)
                continue
            run = self._runner.execute_behind if behind else self._runner.execute
            for statement in self._environment.parse(without_ampersand(piece)):
                run(statement, text)
        return True

    def _explain_row(self, text: str, *, behind: bool) -> None:
        """Print how a row came to be, for a statement WHY. Ctrl-C stops the answer.

        `behind` is True if the statement is to run in the background, which raises UsageError.
        """
        if behind:
            raise UsageError("WHY does not run in the background", hint="leave the & out")
        statement = parse_why(text)
        with self._interruptible():
            print_why(self._environment, statement)

    def _run_command(self, command: Command) -> bool:
        """Run a command of the shell. Return False if the shell ends."""
        if command.word == "quit":
            return not self._may_leave()
        if command.word == "help":
            with self._interruptible():
                print_help(command.argument, self._commands)
        elif command.word == "clear":
            print(_CLEAR if sys.stdout.isatty() else "", end="")
        elif command.word == "timing":
            self._times = command.argument.lower() == "on" if command.argument else not self._times
            print(f"Timing is {'on' if self._times else 'off'}.")
        elif not command.argument:
            raise UsageError(f"{command.word.upper()} is incomplete", hint=_EXAMPLES[command.word])
        elif command.word == "show result":
            with self._interruptible():
                self._runner.show_kept(command.argument)
        else:
            return self._source(command.argument)
        return True

    def _source(self, file: str) -> bool:
        """Run a file as if it was typed. Return False if the shell ends."""
        text = _text_of(file)
        if self._depth >= _DEEPEST:
            raise UsageError(
                f"{file} is the {_DEEPEST + 1}th file in a row of SOURCE", hint="does a file call itself?"
            )
        self._depth += 1
        try:
            return self._run_text(text)
        finally:
            self._depth -= 1

    # --- background jobs -------------------------------------------------------------------------
    def _tell_ended(self) -> None:
        """Print which background jobs have ended."""
        for each in self._runner.background.newly_ended():
            print(f"[INFO] Job {each.job.id} ({each.job.name}) has ended: {each.job.state.value}.")
            if each.error is not None:
                report(each.error, verbose=self._verbose)

    def _tell_while_reading(self) -> None:
        """While the user types, print which background jobs have ended. Called by threads of these jobs."""
        if self._is_reading:
            self._reader.above(self._tell_ended)

    def _await_background(self) -> None:
        """Wait until the background jobs of a piped script have ended, or Ctrl-C is pressed."""
        self._pressed = False
        for each in self._runner.background.running():
            while each.runs and not self._pressed:
                each.wait(0.1)
        self._tell_ended()


def _text_of(file: str) -> str:
    """Return the text of a file of statements. Raises UsageError if it cannot be read."""
    try:
        return Path(file).expanduser().read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is not UTF-8 text"
        raise UsageError(f"cannot read {file}: {reason}") from None


def _leave_if_asked(stop: KeyboardInterrupt) -> None:
    """Raise `stop` again if a signal other than Ctrl-C caused it, such as SIGTERM, which ends the shell."""
    if signal_of(stop) != signal.SIGINT:
        raise stop
    forget()
