"""The error tree: each error states what is wrong, where, and what to do about it.

User mistakes, unsupported features, bad data and Firesteel's own bugs are separate classes, so that the
command line can handle each differently. It shows a stack trace only on request.
"""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from pathlib import Path

from firesteel.sensitive import without_secrets


@dataclass(frozen=True)
class SourceRange:
    """Range of characters in a script.

    Attributes:
        start: Offset of the first character.
        end: Offset after the last character.
    """

    start: int
    end: int

    def line_and_column(self, text: str) -> tuple[int, int]:
        """Return the line and column of the first character, both counted from 1."""
        before = text[: self.start]
        return before.count("\n") + 1, self.start - (before.rfind("\n") + 1) + 1

    def underline(self, text: str) -> str:
        """Return the line of the first character, and a line with carets below the range's part of it."""
        line, column = self.line_and_column(text)
        lines = text.split("\n")
        content = lines[line - 1] if line <= len(lines) else ""
        width = max(1, min(self.end - self.start, len(content) - column + 1))
        number = f"{line:>5} | "
        return f"{number}{content}\n{' ' * (len(number) + column - 1)}{'^' * width}"


class FiresteelError(Exception):
    """Base class of all errors that are shown to the user.

    Attributes:
        message: What is wrong, in one line.
        hint: What to do about it, or None.
        range: Position of the error in `sql`, or None if unknown.
        sql: SQL text that `range` refers to. None until it is known.
        option: Key of the table option that is wrong, or None. If the position of this option in the script
            is found, `range` is set to it.
        exit_status: Exit status of the command `firesteel` if it ends with this error.
        restarts: Whether a restart of the job may help. False if it would fail again with the same error.
    """

    exit_status = 1
    restarts = True

    def __init__(
        self,
        message: str,
        *,
        hint: str | None = None,
        range: SourceRange | None = None,
        sql: str | None = None,
        option: str | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.range = range
        self.sql = sql
        self.option = option

    def located(self, sql: str) -> FiresteelError:
        """Set the text that `range` refers to, unless it is set, and return this error."""
        if self.sql is None:
            self.sql = sql
        return self

    def __str__(self) -> str:
        parts = [self.message]
        if self.range is not None and self.sql is not None:
            line, column = self.range.line_and_column(self.sql)
            first, *rest = self.message.split("\n", 1)
            parts[0] = "\n".join([f"{first} (line {line}, column {column})", *rest])
            parts.append(self.range.underline(self.sql))
        if self.hint:
            parts.append(f"hint: {self.hint}")
        text = "\n".join(parts)
        return text if self.sql is None else without_secrets(text, self.sql)

    def _render_traceback_(self) -> list[str]:
        """Return the lines that a notebook shows: the user's own frames and the error.

        IPython calls this method. Frames inside Firesteel and IPython are left out.
        """
        import traceback

        inside = f"{Path(__file__).parent}{os.sep}"
        frames = traceback.extract_tb(self.__traceback__)
        first = next((i for i, frame in enumerate(frames) if frame.filename.startswith(inside)), len(frames))
        shown = [frame for frame in frames[:first] if f"{os.sep}IPython{os.sep}" not in frame.filename]
        head = ["Traceback (most recent call last):"] if shown else []
        lines = [*head, *"".join(traceback.format_list(shown)).splitlines()]
        return [*lines, *f"{type(self).__name__}: {self}".splitlines()]


class SqlError(FiresteelError):
    """Error in the SQL script."""

    exit_status = 2
    restarts = False


class ParseError(SqlError):
    """Text that is not valid Flink SQL."""


class ValidationError(SqlError):
    """Wrong name, type or option, or a query that Flink rejects."""


class UsageError(FiresteelError):
    """Error outside the SQL script: in the command line, its options or the environment."""

    exit_status = 2
    restarts = False


def missing_package(what: str, package: str, extra: str) -> UsageError:
    """Return the error for a Python package that this process cannot import.

    On a cluster, the Python of every machine needs the package.

    Args:
        what: Feature that needs the package, as the subject of the message.
        package: Name of the package.
        extra: Extra of Firesteel that installs it.
    """
    import socket

    place = f"{sys.executable} on {socket.gethostname()}"
    return UsageError(
        f"{what} needs the package {package}, which {place} does not have.",
        hint=f"pip install 'firesteel[{extra}]', or {package} alone where Firesteel is sent to executors",
    )


_SEE = "`firesteel help compatibility` lists what Flink has and Firesteel does not"


class NotSupportedError(FiresteelError):
    """Feature of Flink that Firesteel does not support yet. docs/compatibility.md lists them."""

    exit_status = 2
    restarts = False

    def __str__(self) -> str:
        # The driver rebuilds a worker's error with the worker's text as its message. This text ends with
        # the line _SEE already, which must not be added twice.
        text = super().__str__()
        return text if _SEE in text else f"{text}\n{_SEE}"


class DataError(FiresteelError):
    """Message or file that cannot be read. The error message names its position."""

    restarts = False


class JobError(FiresteelError):
    """Failure of a running job."""

    row: str | None = None
    """Text of the row that an operator failed on, or None while the row is unknown."""
    calc: object = None
    """If an expression of a Calc failed: the Calc and its row, as a FailedCalc (failed_row.py). Else None."""

    def in_row(self, row: str) -> JobError:
        """Add the row to the message, unless it has one, and return this error."""
        if self.row is None:
            self.row = row
            joint = " Row" if self.message.endswith(".") else "; row"
            self.message = f"{self.message}{joint} {row}"
        return self


class TransientError(JobError):
    """Failure that need not recur with the same rows, such as a deadlock or a time-out of another service."""


class UnavailableError(TransientError):
    """A system that the job needs is not available: a broker, a database, a schema registry."""


class OverloadedError(TransientError):
    """The machine was too busy: a process of Spark did not start in time."""


class LostInputError(JobError):
    """Messages, or state, that the job needs and that no longer exist."""

    restarts = False


class InternalError(FiresteelError):
    """Bug in Firesteel."""

    def _render_traceback_(self) -> list[str]:
        """Return the whole traceback, which a bug report needs."""
        import traceback

        return "".join(traceback.format_exception(self)).splitlines()


class FiresteelWarning(UserWarning):
    """Warning about input that is probably a mistake. The command line prints it on stderr."""
