"""The error tree: what is wrong, where, and what to do about it.

A user's mistake, what is not supported yet, bad data and our own bugs are different classes, so that
the terminal can answer each in its own way. None of them shows a stack trace unless asked for.
"""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from pathlib import Path

from firesteel.sensitive import without_secrets


@dataclass(frozen=True)
class SourceRange:
    """A piece of a script: `start` and `end` are offsets in characters, end exclusive."""

    start: int
    end: int

    def line_and_column(self, text: str) -> tuple[int, int]:
        """Line and column of the first character, both from 1."""
        before = text[: self.start]
        return before.count("\n") + 1, self.start - (before.rfind("\n") + 1) + 1

    def underline(self, text: str) -> str:
        """The line that holds the range, and below it the marks."""
        line, column = self.line_and_column(text)
        lines = text.split("\n")
        content = lines[line - 1] if line <= len(lines) else ""
        width = max(1, min(self.end - self.start, len(content) - column + 1))
        number = f"{line:>5} | "
        return f"{number}{content}\n{' ' * (len(number) + column - 1)}{'^' * width}"


class FiresteelError(Exception):
    """Base of all errors that are meant for the user.

    message: one line. hint: what to do about it. range and sql: where in which text; both or neither.
    """

    exit_status = 1

    def __init__(
        self,
        message: str,
        *,
        hint: str | None = None,
        range: SourceRange | None = None,
        sql: str | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.range = range
        self.sql = sql

    def located(self, sql: str) -> FiresteelError:
        """Add the text that the range is in, where it is not known yet."""
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
        """Return what a notebook shows: the way of the user's code up to Firesteel, and the error.

        IPython calls it. What lies behind the call of Firesteel says nothing to a user.
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
    """The script is wrong."""

    exit_status = 2


class ParseError(SqlError):
    """The text is no Flink SQL."""


class ValidationError(SqlError):
    """A name, a type or an option is wrong, or Flink refuses the query."""


class UsageError(FiresteelError):
    """The command, the environment or an option outside the script is wrong."""

    exit_status = 2


def missing_package(what: str, package: str, extra: str) -> UsageError:
    """What needs a package that this process has not: on a cluster each machine's Python needs it. extra: of
    Firesteel's, which brings it."""
    import socket

    place = f"{sys.executable} on {socket.gethostname()}"
    return UsageError(
        f"{what} needs the package {package}, which {place} does not have.",
        hint=f"pip install 'firesteel[{extra}]', or {package} alone where Firesteel is sent to executors",
    )


_SEE = "`firesteel help compatibility` lists what Flink has and Firesteel does not"


class NotSupportedError(FiresteelError):
    """Flink has it, Firesteel does not have it yet (docs/compatibility.md names it)."""

    exit_status = 2

    def __str__(self) -> str:
        text = super().__str__()  # which holds the line already where a worker's text became an error again
        return text if _SEE in text else f"{text}\n{_SEE}"


class DataError(FiresteelError):
    """A message or a file cannot be read; the message names the place."""


class JobError(FiresteelError):
    """The job failed while it ran."""


class InternalError(FiresteelError):
    """A bug of Firesteel's own."""

    def _render_traceback_(self) -> list[str]:
        """Return the whole traceback: who reports the bug needs it."""
        import traceback

        return "".join(traceback.format_exception(self)).splitlines()


class FiresteelWarning(UserWarning):
    """Something that is probably not what was meant; the command prints it on stderr."""
