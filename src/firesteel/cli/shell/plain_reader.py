"""Reading of statements line by line: from a pipe, or from a terminal by readline."""

from __future__ import annotations

from collections.abc import Callable

from firesteel.cli.history import History, home_file
from firesteel.cli.shell.commands import command_of
from firesteel.sensitive import redacted

PROMPT = "Firesteel SQL> "
MORE = "             > "


class PlainReader:
    """Reader of lines of standard input.

    Args:
        is_ready: Function that returns whether a text is complete, so that it can be run.
        interactive: Whether a person types: prompts are shown, and a history is kept.
    """

    takes_signals = False

    def __init__(self, is_ready: Callable[[str], bool], *, interactive: bool) -> None:
        self._is_ready = is_ready
        self._interactive = interactive
        self._history = History(home_file()) if interactive else None

    def read(self) -> str:
        """Return one or more statements, or a command.

        Raises:
            EOFError: The input has ended.
            KeyboardInterrupt: The user pressed Ctrl-C.
        """
        typed = ""
        while not (typed.strip() and self._is_ready(typed)):
            try:
                line = input((MORE if typed else PROMPT) if self._interactive else "")
            except EOFError:
                if not typed:
                    raise
                break
            typed = f"{typed}{line}\n" if typed or line.strip() else ""
        if self._history is not None and command_of(typed) is None:
            self._history.add(redacted(typed.strip()))
        return typed

    def interrupt(self) -> None:
        """Do nothing: Ctrl-C raises KeyboardInterrupt in `read`."""

    def above(self, write: Callable[[], None]) -> None:
        """Do nothing: this reader cannot print above its prompt. The shell prints before the next prompt."""

    def close(self) -> None:
        """Save the history."""
        if self._history is not None:
            self._history.save()
