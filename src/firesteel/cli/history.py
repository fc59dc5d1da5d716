"""History of the shell's statements. The arrow keys recall a whole statement, also in later sessions.

Each line of the file is a JSON string, because a statement may have many lines.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable, Iterable
from pathlib import Path

FILE = ".firesteel_history"
LENGTH = 1000
"""Number of statements to keep in the file."""


class History:
    """Line editing with a history of statements.

    Without readline there is no line editing, and without a home folder no file.
    """

    def __init__(self, file: Path | None) -> None:
        self._file = file
        self._statements = read(file) if file is not None else []
        self._add: Callable[[str], object] = _ignore
        try:
            import readline
        except ImportError:
            return
        readline.set_auto_history(False)  # readline's own history would hold lines, not statements
        self._add = readline.add_history
        for statement in self._statements:
            self._add(statement)

    def add(self, statement: str) -> None:
        """Add a statement, unless it equals the last one."""
        if self._statements[-1:] != [statement]:
            self._statements.append(statement)
            self._add(statement)

    def save(self) -> None:
        """Write the file. Errors are ignored."""
        if self._file is not None:
            with contextlib.suppress(OSError):
                write(self._file, self._statements[-LENGTH:])


def _ignore(statement: str) -> None:
    """Do nothing, in place of readline's function that adds to the history."""


def home_file() -> Path | None:
    """Return the path of the history file, None for a user without a home folder."""
    try:
        return Path.home() / FILE
    except RuntimeError:
        return None


def read(file: Path) -> list[str]:
    """Return the statements of a history file, oldest first; an empty list if it cannot be read."""
    try:
        lines = file.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError):
        return []
    return [_statement(line) for line in lines]


def _statement(line: str) -> str:
    """Return the statement in a line of the file. A line that is no JSON string is itself the statement."""
    try:
        found = json.loads(line)
    except ValueError:
        return line
    return found if isinstance(found, str) else line


def write(file: Path, statements: Iterable[str]) -> None:
    """Write statements to a history file, in place of its content.

    A new file can be read only by its owner, because statements may contain secrets. An existing file keeps
    its permissions.

    Raises:
        OSError: The file cannot be written.
    """
    file.touch(mode=0o600)
    text = "".join(json.dumps(statement, ensure_ascii=False) + "\n" for statement in statements)
    file.write_text(text, encoding="utf-8")


def append(file: Path, statement: str) -> None:
    """Append a statement to a history file. Errors are ignored.

    A new file can be read only by its owner. An existing file keeps its permissions.
    """
    with contextlib.suppress(OSError):
        file.touch(mode=0o600)
        with file.open("a", encoding="utf-8") as lines:
            lines.write(json.dumps(statement, ensure_ascii=False) + "\n")
