"""Calcite's spelling of types and literals.

Source: SqlTypeNameSpec.unparse and its subclasses, SqlNumericLiteral, SqlCharStringLiteral.
"""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal

from firesteel.sql.lexer import Kind, Token, tokens

_NAMES = {
    ("CHARACTER", "VARYING"): "VARCHAR",
    ("CHAR", "VARYING"): "VARCHAR",
    ("BINARY", "VARYING"): "VARBINARY",
    ("DOUBLE", "PRECISION"): "DOUBLE",
    ("INT",): "INTEGER",
    ("DEC",): "DECIMAL",
    ("NUMERIC",): "DECIMAL",
    ("CHARACTER",): "CHAR",
    ("WITHOUT", "TIME", "ZONE"): "",
}


def quoted(name: str) -> str:
    """Return a name in backquotes."""
    return "`" + name.replace("`", "``") + "`"


def string(text: str) -> str:
    """Return a string literal, as u&'...' with escapes if it is not ASCII."""
    if text.isascii():
        return "'" + text.replace("'", "''") + "'"
    units = text.replace("'", "''").replace("\\", "\\\\").encode("utf-16-be")
    codes = [int.from_bytes(units[i : i + 2], "big") for i in range(0, len(units), 2)]
    return "u&'" + "".join(chr(c) if 32 <= c < 127 else f"\\{c:04x}" for c in codes) + "'"


def number(text: str) -> str:
    """Return a number in Calcite's spelling. `text` is the number as written.

    007 is 7, .5 is 0.5, and 100e5 is 1.00E7: with an exponent, one digit is before the point.
    """
    value = Decimal(text)
    if "e" not in text.lower():
        return f"{value:f}"
    digits = "".join(map(str, value.as_tuple().digits))
    exponent = int(value.as_tuple().exponent) + len(digits) - 1
    return digits[0] + ("." + digits[1:] if len(digits) > 1 else "") + f"E{exponent}"


def type_text(written: str) -> str:
    """Return a type, given as written, in Calcite's spelling."""
    return _TypeText(tokens(written)).whole()


class _TypeText:
    def __init__(self, found: list[Token]) -> None:
        self._tokens = found
        self._index = 0

    @property
    def _token(self) -> Token:
        return self._tokens[self._index]

    def whole(self) -> str:
        """Read one type, with NOT NULL, ARRAY or MULTISET after it, and return its text."""
        name = self._name()
        if name == "ROW" and self._token.text in ("<", "("):
            return name + self._nested(self._field) + self._rest()
        if self._token.text == "<":
            return name + self._nested(self.whole) + self._rest()
        return name + self._length() + self._rest()

    def _name(self) -> str:
        for words, name in _NAMES.items():
            if tuple(t.word for t in self._tokens[self._index : self._index + len(words)]) == words:
                self._index += len(words)
                return name
        self._index += 1
        return self._tokens[self._index - 1].text.upper()

    def _length(self) -> str:
        if self._token.text != "(":
            return ""
        pieces: list[str] = []
        while not pieces or pieces[-1] != ")":
            pieces.append(self._token.text)
            self._index += 1
        return "".join(pieces).replace(",", ", ")

    def _rest(self) -> str:
        words = []
        while self._token.kind is Kind.WORD:
            words.append(self._name())
        return "".join(f" {word}" for word in words if word)

    def _nested(self, item: Callable[[], str]) -> str:
        close = ">" if self._token.text == "<" else ")"
        self._index += 1
        items = []
        while self._token.text != close and self._token.kind is not Kind.END:
            items.append(item())
            if self._token.text == ",":
                self._index += 1
        self._index += 1
        inner = ", ".join(items)
        return f"< {inner} >" if close == ">" else f"({inner})"

    def _field(self) -> str:
        name = quoted(self._token.text)
        self._index += 1
        return f"{name} {self.whole()}"
