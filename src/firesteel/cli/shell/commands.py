"""Commands of the shell itself: they need no semicolon."""

from __future__ import annotations

import re
from dataclasses import dataclass

from firesteel.sql.lexer import Kind, tokens

_COMMAND = re.compile(
    r"(?P<word>help|quit|exit|clear|source|show\s+result|\\timing|\\\?)(?:\s+(?P<argument>[^\s;].*?))?\s*;?",
    re.IGNORECASE,
)
_ALONE = ("quit", "exit", "clear")


@dataclass(frozen=True)
class Command:
    """A command of the shell and its argument.

    Attributes:
        word: help, quit, clear, source, show result or timing.
        argument: The rest of the line, "" for none.
    """

    word: str
    argument: str = ""


def command_of(text: str) -> Command | None:
    """Parse a text as a command of the shell. Return None if it is something else."""
    found = _COMMAND.fullmatch(text.strip())
    if found is None:
        return None
    word = re.sub(r"\s+", " ", found["word"].lower()).lstrip("\\")
    word = {"exit": "quit", "?": "help"}.get(word, word)
    argument = (found["argument"] or "").strip("'\"")
    if argument and word in _ALONE:
        return None
    return Command(word, argument)


def asks_for_background(text: str) -> bool:
    """Return whether a text ends with `&`, which sends its last statement to the background."""
    found = [token for token in tokens(text)[:-1] if token.text != ";"]
    return bool(found) and found[-1].kind is Kind.UNREADABLE and found[-1].text == "&"


def without_ampersand(text: str) -> str:
    """Return a statement without the `&` at its end."""
    return text.rstrip().removesuffix("&") if asks_for_background(text) else text
