"""Lexer with the rules of Flink's parser (Calcite's Lex.JAVA: backquotes, case kept)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum

from firesteel.errors import ParseError, SourceRange


class Kind(Enum):
    """Kind of a token."""

    WORD = "word"
    QUOTED = "name"
    STRING = "string"
    HEX = "binary string"
    NUMBER = "number"
    SYMBOL = "symbol"
    HINT = "hint"
    UNREADABLE = "what cannot be read"
    END = "end of the statement"


@dataclass(frozen=True)
class Token:
    """Token of a SQL text.

    Attributes:
        text: Value, without quotes and escapes.
        start: Offset of the first character.
        end: Offset after the last character.
    """

    kind: Kind
    text: str
    start: int
    end: int

    @property
    def word(self) -> str:
        """Return the word in upper case, or "" if the token is not an unquoted word."""
        return self.text.upper() if self.kind is Kind.WORD else ""

    @property
    def range(self) -> SourceRange:
        return SourceRange(self.start, self.end)


COMMENT = r"(?:(?:--|//)[^\n\r]*|/\*(?!\+).*?\*/)"
"""Regular expression of a comment."""

_LETTER = (
    r"A-Za-z_$\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u1fff\u3040-\u318f\u3300-\u337f\u3400-\u3d2d"
    r"\u4e00-\u9fff\uf900-\ufaff"
)
_QUOTED = r"'(?:[^']|'')*'"
_TOKEN = re.compile(
    rf"""
      (?P<space>\s+|{COMMENT})
    | (?P<hint>/\*\+)
    | (?P<unicode>[uU]&{_QUOTED})
    | (?P<hex>[xX]{_QUOTED})
    | (?P<string>(?:_[A-Za-z][\w:.-]*(?=')|[nN](?='))?{_QUOTED})
    | (?P<number>(?:\d+\.\d*|\.\d+|\d+)(?:[eE][+-]?\d+)?)
    | (?P<quoted>`(?:[^`]|``)*`)
    | (?P<word>[{_LETTER}][{_LETTER}0-9\u0660-\u0669]*)
    | (?P<symbol>\*/|<=>|<>|<=|>=|!=|\|\||=>|->|::|/(?!\*)|[-+*%=<>.,;:()\[\]{{}}?|^])
    """,
    re.VERBOSE | re.DOTALL,
)


def tokens(text: str) -> list[Token]:
    """Return all tokens of the text in order, followed by a token of kind END.

    A string, name or comment that is not closed becomes a token of kind UNREADABLE, and so does an unknown
    character. The parser raises the error when it reaches this token. So it can read earlier statements.
    """
    found: list[Token] = []
    position = 0
    while position < len(text):
        match = _TOKEN.match(text, position)
        if match is None:
            found.append(_unreadable(text, position))
            position = found[-1].end
            continue
        if match.lastgroup != "space":
            found.append(_token(str(match.lastgroup), match))
        position = match.end()
    return [*found, Token(Kind.END, "", len(text), len(text))]


def one_line(text: str) -> str:
    """Return the text with one space between tokens and without comments."""
    return " ".join(text[token.start : token.end] for token in tokens(text)[:-1])


def _token(group: str, match: re.Match[str]) -> Token:
    raw, start, end = match.group(), match.start(), match.end()
    if group == "string":
        return Token(Kind.STRING, raw[raw.index("'") + 1 : -1].replace("''", "'"), start, end)
    if group == "unicode":
        return Token(Kind.STRING, _unescape(raw[3:-1].replace("''", "'"), match), start, end)
    if group == "hex":
        return Token(Kind.HEX, raw[2:-1], start, end)
    if group == "quoted":
        return Token(Kind.QUOTED, raw[1:-1].replace("``", "`"), start, end)
    kind = {"number": Kind.NUMBER, "word": Kind.WORD, "hint": Kind.HINT}.get(group, Kind.SYMBOL)
    return Token(kind, raw, start, end)


def _unescape(text: str, match: re.Match[str]) -> str:
    """Return the content of a Unicode string with its escapes replaced by the characters they stand for.

    An escape is a backslash and four hex digits, or two backslashes (for one backslash). `match` is the
    whole literal, for the position of an error.

    Raises:
        ParseError: Neither four hex digits nor a backslash follow a backslash.
    """

    def one(escape: re.Match[str]) -> str:
        if escape.group(1) is not None:
            return chr(int(escape.group(1), 16))
        if escape.group() == "\\\\":
            return "\\"
        raise ParseError(
            "Unicode escape sequence is malformed",
            range=SourceRange(match.start(), match.end()),
            hint="write a backslash and four hexadecimal digits, or two backslashes",
        )

    return re.sub(r"\\([0-9A-Fa-f]{4})|\\\\|\\", one, text)


_OPENERS = {"'": ("string", "'"), "`": ("name", "`"), "/*": ("comment", "*/")}


def _opener(text: str, position: int) -> str | None:
    return next((opener for opener in _OPENERS if text.startswith(opener, position)), None)


def _unreadable(text: str, position: int) -> Token:
    end = position + 1 if _opener(text, position) is None else len(text)
    return Token(Kind.UNREADABLE, text[position:end], position, end)


def explain_unreadable(token: Token) -> ParseError:
    """Return the error for a token of kind UNREADABLE."""
    opener = _opener(token.text, 0)
    if opener is not None:
        what, closer = _OPENERS[opener]
        line = token.text.split("\n", 1)[0]
        return ParseError(
            f"this {what} is not closed",
            range=SourceRange(token.start, token.start + len(line)),
            hint=f"a closing {closer} is missing",
        )
    hint = "a string stands between single quotes, a name between backquotes" if token.text == '"' else None
    shown = f"'{token.text}'" if token.text.isprintable() else repr(token.text)
    return ParseError(f"unexpected character {shown}", range=token.range, hint=hint)
