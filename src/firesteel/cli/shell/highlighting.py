"""Highlighting of SQL: the class of each piece of a text."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from firesteel.session.vocabulary.functions import BUILT_IN
from firesteel.sql.lexer import Kind, Token, tokens
from firesteel.sql.words import RESERVED

COMMENT, KEYWORD, FUNCTION, NAME = "comment", "keyword", "function", "name"
STRING, NUMBER, SYMBOL, WRONG = "string", "number", "symbol", "wrong"
_ALSO_KEYWORDS = frozenset(
    [
        "JOBS",
        "JOB",
        "STOP",
        "WHY",
        "CHECKPOINT",
        "CATALOG",
        "DATABASE",
        "VIEW",
        "KEY",
        "ENFORCED",
        "TEMPORARY",
        "IF",
        "TYPE",
        "METADATA",
        "DESCRIBE",
        "SOURCE",
        "HELP",
        "QUIT",
        "EXIT",
        "CLEAR",
        "PLAN",
        "CHANGELOG_MODE",
        "COLUMNS",
        "DESCRIPTOR",
        "ADD",
        "DESC",
        "ASC",
        "ORDINALITY",
    ]
)
_KINDS = {
    Kind.STRING: STRING,
    Kind.HEX: STRING,
    Kind.NUMBER: NUMBER,
    Kind.QUOTED: NAME,
    Kind.HINT: COMMENT,
    Kind.SYMBOL: SYMBOL,
}

Piece = tuple[str, str]
"""Class and text of a piece of SQL. The class is COMMENT, KEYWORD, FUNCTION..., or "" for blanks."""


def pieces(text: str) -> Iterator[Piece]:
    """Yield all of a text in order: its tokens, and the blanks and comments between them."""
    position = 0
    found = tokens(text)
    for token, after in itertools.pairwise(found):
        yield from _between(text[position : token.start])
        yield _class(token, after), text[token.start : token.end]
        position = token.end
    yield from _between(text[position:])


def lines(text: str) -> list[list[Piece]]:
    """Return the pieces of each line, without line ends."""
    found: list[list[Piece]] = [[]]
    for kind, piece in pieces(text):
        first, *more = piece.split("\n")
        found[-1].append((kind, first))
        found.extend([(kind, part)] for part in more)
    return found


def _between(text: str) -> Iterator[Piece]:
    """Yield the text between two tokens as one piece: a comment, or blanks. Yield nothing for ""."""
    if text:
        yield (COMMENT if text.strip() else "", text)


def _class(token: Token, after: Token) -> str:
    if token.kind is Kind.UNREADABLE:
        return {"'": STRING, "`": NAME, "/": COMMENT}.get(token.text[0], WRONG)
    if token.kind is not Kind.WORD:
        return _KINDS[token.kind]
    if token.word in BUILT_IN and after.text == "(":
        return FUNCTION
    return KEYWORD if token.word in RESERVED or token.word in _ALSO_KEYWORDS else NAME
