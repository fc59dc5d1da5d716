"""History of the shell, by statement: the arrow keys bring a whole statement back, in later sessions too.

The file holds one JSON string a line, since a statement may have many lines.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable, Iterable
from pathlib import Path

FILE = ".firesteel_history"
LENGTH = 1000
"""Statements that are kept."""


class History:
    """Line editing with a history of statements; without, where there is no readline or no home."""

    def __init__(self, file: Path | None) -> None:
        self._file = file
        self._statements = read(file) if file is not None else []
        self._add: Callable[[str], object] = _ignore
        try:
            import readline
        except ImportError:
            return
        readline.set_auto_history(False)  # it would keep lines
        self._add = readline.add_history
        for statement in self._statements:
            self._add(statement)

    def add(self, statement: str) -> None:
        """Keep a statement, once where it is the same as the one before."""
        if self._statements[-1:] != [statement]:
            self._statements.append(statement)
            self._add(statement)

    def save(self) -> None:
        """Write the file, where that can be done."""
        if self._file is not None:
            with contextlib.suppress(OSError):
                write(self._file, self._statements[-LENGTH:])


def _ignore(statement: str) -> None:
    """In place of readline's own."""


def home_file() -> Path | None:
    """The history's file; None for a user without a home."""
    try:
        return Path.home() / FILE
    except RuntimeError:
        return None


def read(file: Path) -> list[str]:
    """The statements of a history file, oldest first; none where it cannot be read."""
    try:
        lines = file.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError):
        return []
    return [_statement(line) for line in lines]


def _statement(line: str) -> str:
    """A line of the file; one that somebody else wrote is taken as it is."""
    try:
        found = json.loads(line)
    except ValueError:
        return line
    return found if isinstance(found, str) else line


def write(file: Path, statements: Iterable[str]) -> None:
    """Only its owner may read it: statements may hold secrets. Raises OSError."""
    file.touch(mode=0o600)
    text = "".join(json.dumps(statement, ensure_ascii=False) + "\n" for statement in statements)
    file.write_text(text, encoding="utf-8")


def append(file: Path, statement: str) -> None:
    """Add a statement at the end of a history file, where that can be done. Only its owner may read it."""
    with contextlib.suppress(OSError):
        file.touch(mode=0o600)
        with file.open("a", encoding="utf-8") as lines:
            lines.write(json.dumps(statement, ensure_ascii=False) + "\n")
