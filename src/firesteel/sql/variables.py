"""Substitution of `${NAME}` in a script before parsing."""

from __future__ import annotations

import re
from collections.abc import Mapping

from firesteel.errors import ParseError, SourceRange
from firesteel.sql.lexer import COMMENT

_REFERENCE = re.compile(r"\$\{(?P<name>[^}\n]*)\}")
_PIECE = re.compile(rf"{COMMENT}|(?P<quoted>'[^']*'|`[^`]*`)|{_REFERENCE.pattern}", re.DOTALL)
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]*")
_OR_ENVIRONMENT = ", or set it as an environment variable"


def substitute(text: str, values: Mapping[str, str], environment: Mapping[str, str] | None = None) -> str:
    """Return the text with every `${NAME}` outside of comments replaced, also in strings and names.

    Values are inserted verbatim.

    Args:
        text: The text.
        values: Values by name.
        environment: Environment variables, for names that have no value; None for none.

    Raises:
        ParseError: A name has no value. The error shows the text as written.
    """

    def piece(match: re.Match[str]) -> str:
        if match.group("quoted") is not None:
            return _REFERENCE.sub(lambda inner: value(inner, match.start()), match.group())
        return match.group() if match.group("name") is None else value(match, 0)

    def value(match: re.Match[str], offset: int) -> str:
        name = match.group("name")
        if name in values:
            return values[name]
        if environment is not None and name in environment:
            return environment[name]
        place = SourceRange(offset + match.start(), offset + match.end())
        if not _NAME.fullmatch(name):
            raise ParseError(f"'{name}' is no name of a variable", range=place, sql=text)
        given = f"; given are {', '.join(sorted(values))}" if values else ""
        raise ParseError(
            f"variable {name} is not defined",
            range=place,
            sql=text,
            hint=f"give it with -D {name}=...{_OR_ENVIRONMENT if environment is not None else ''}{given}",
        )

    return _PIECE.sub(piece, text)
