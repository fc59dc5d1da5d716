"""A shell: statements end with a semicolon, Ctrl-C stops a query, `quit;` or Ctrl-D leaves."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator
from pathlib import Path

from firesteel.cli.report import as_firesteel_error, report
from firesteel.cli.run import Runner
from firesteel.session.environment import TableEnvironment
from firesteel.session.launch import prepare

PROMPT = "Firesteel SQL> "
MORE = "             > "
HISTORY = Path.home() / ".firesteel_history"
HISTORY_LINES = 1000

HELP = """\
Statements end with a semicolon.
  CREATE TABLE, CREATE VIEW, DROP       define what queries read and write
  SELECT, INSERT INTO, STATEMENT SET    run a query; Ctrl-C stops it
  EXPLAIN [CHANGELOG_MODE] query        show its plan
  SHOW TABLES, DESCRIBE name            see what is there
  SET, SET 'key' = 'value', RESET       options of this shell
  HELP, QUIT
"""


class Shell:
    """Reads statements from the terminal, or from a pipe, and shows their results."""

    def __init__(self, options: dict[str, str], *, verbose: bool = False) -> None:
        prepare(options)
        self._environment = TableEnvironment.create(configuration=options)
        self._runner = Runner(self._environment, verbose=verbose)
        self._verbose = verbose
        self._interactive = sys.stdin.isatty()

    def loop(self) -> int:
        """Until `quit;` or the end of the input. Returns the exit status: errors do not end a shell."""
        try:
            with _history() if self._interactive else contextlib.nullcontext():
                for text in self._statements():
                    if not self._answer(text):
                        break
        finally:
            self._environment.close()
        return 0

    def _statements(self) -> Iterator[str]:
        """Texts of one or more complete statements."""
        typed = ""
        while True:
            try:
                line = input((MORE if typed else PROMPT) if self._interactive else "")
            except EOFError:
                if typed.strip():
                    yield typed
                return
            except KeyboardInterrupt:  # forget what was typed
                print()
                typed = ""
                continue
            typed = f"{typed}{line}\n"
            if not typed.strip():
                typed = ""
            elif self._environment.is_complete(typed):
                yield typed
                typed = ""

    def _answer(self, text: str) -> bool:
        """Run what was typed; False to leave."""
        word = text.strip().rstrip(";").strip().lower()
        if word in ("quit", "exit"):
            return False
        if word == "help":
            print(HELP, end="")
            return True
        try:
            self._runner.run(text)
        except KeyboardInterrupt:
            print("\nquery cancelled", file=sys.stderr)
        except Exception as problem:
            report(as_firesteel_error(problem), verbose=self._verbose)
        return True


@contextlib.contextmanager
def _history() -> Iterator[None]:
    """Line editing with a history that is kept between sessions; without where there is no readline."""
    try:
        import readline
    except ImportError:
        yield
        return
    with contextlib.suppress(OSError):
        readline.read_history_file(HISTORY)
    readline.set_history_length(HISTORY_LINES)
    try:
        yield
    finally:
        with contextlib.suppress(OSError):
            readline.write_history_file(HISTORY)
