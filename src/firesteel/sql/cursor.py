"""The token cursor: base class of the grammar, with error messages that name the position."""

from __future__ import annotations

import difflib
from collections.abc import Callable
from typing import TypeVar

from firesteel.errors import NotSupportedError, ParseError, SourceRange
from firesteel.sql.lexer import Kind, Token, explain_unreadable
from firesteel.sql.syntax import Identifier, Node, placed
from firesteel.sql.words import RESERVED, words

N = TypeVar("N", bound=Node)
T = TypeVar("T")


class Cursor:
    """Cursor over the tokens of a statement.

    The cursor records the words and symbols that callers look for at the next token. If the token is none of
    them, the error lists them as expected.
    """

    def __init__(self, text: str, tokens: list[Token]) -> None:
        self.text = text
        self.tokens = tokens
        self.index = 0
        self._looked_for: list[str] = []

    # --- looking ---------------------------------------------------------------------------------
    @property
    def token(self) -> Token:
        return self.tokens[self.index]

    @property
    def previous(self) -> Token:
        return self.tokens[max(0, self.index - 1)]

    def ahead(self, count: int) -> Token:
        """Return the token `count` positions ahead, or the last token (END) if there are fewer."""
        return self.tokens[min(self.index + count, len(self.tokens) - 1)]

    def at(self, *words: str) -> bool:
        """Return whether the next tokens are these words."""
        if self.tokens[self.index].word == words[0] and (
            len(words) == 1 or all(self.ahead(i).word == word for i, word in enumerate(words))
        ):
            return True
        self._looked_for.append(" ".join(words))
        return False

    def at_any(self, *words: str) -> bool:
        """Return whether the next token is one of these words."""
        return any(self.at(word) for word in words)

    def at_symbol(self, *symbols: str) -> bool:
        """Return whether the next token is one of these symbols."""
        token = self.token
        if token.kind is Kind.SYMBOL and token.text in symbols:
            return True
        self._looked_for += [f"'{symbol}'" for symbol in symbols]
        return False

    def at_end(self) -> bool:
        """Return whether no token is left."""
        return self.token.kind is Kind.END

    def symbol_ahead(self, symbol: str, count: int = 1) -> bool:
        token = self.ahead(count)
        return token.kind is Kind.SYMBOL and token.text == symbol

    # --- moving ----------------------------------------------------------------------------------
    def advance(self) -> Token:
        """Consume and return the next token."""
        token = self.token
        if token.kind is not Kind.END:
            self.index += 1
            self._looked_for.clear()
        return token

    def accept(self, *words: str) -> bool:
        """Consume these words if they are next, and return whether they are."""
        if not self.at(*words):
            return False
        for _ in words:
            self.advance()
        return True

    def accept_any(self, *words: str) -> str | None:
        """Consume and return the next word if it is one of these, else return None."""
        return self.advance().word if self.at_any(*words) else None

    def accept_symbol(self, symbol: str) -> bool:
        """Consume the symbol if it is next, and return whether it is."""
        if not self.at_symbol(symbol):
            return False
        self.advance()
        return True

    def expect(self, *words: str) -> None:
        """Consume these words.

        Raises:
            ParseError: Other tokens are next.
        """
        if not self.accept(*words):
            raise self.error()

    def expect_any(self, *words: str) -> str:
        """Consume and return one of these words.

        Raises:
            ParseError: None of them is next.
        """
        word = self.accept_any(*words)
        if word is None:
            raise self.error()
        return word

    def expect_symbol(self, symbol: str) -> None:
        """Consume the symbol.

        Raises:
            ParseError: Another token is next.
        """
        if not self.accept_symbol(symbol):
            raise self.error()

    def list_of(self, item: Callable[[], T]) -> tuple[T, ...]:
        """Read one or more items, separated by commas."""
        items = [item()]
        while self.accept_symbol(","):
            items.append(item())
        return tuple(items)

    def in_parentheses(self, item: Callable[[], T]) -> T:
        self.expect_symbol("(")
        result = item()
        self.expect_symbol(")")
        return result

    # --- names and literals ----------------------------------------------------------------------
    def at_name(self) -> bool:
        """Return whether the next token can be a name: quoted, or a word that is not reserved."""
        token = self.token
        if token.kind is Kind.QUOTED or (token.kind is Kind.WORD and token.word not in RESERVED):
            return True
        self._looked_for.append("a name")
        return False

    def name(self) -> Identifier:
        """Read a name.

        Raises:
            ParseError: The next token is no name. The hint explains a reserved word.
        """
        token = self.token
        if not self.at_name():
            hint = None
            if token.kind is Kind.WORD and token.word not in _STARTERS:
                hint = f"{token.word} is a reserved word: as a name it is written `{token.text}`"
            raise self.error(hint=hint)
        if token.text == "":
            raise ParseError("a name must not be empty", range=token.range)
        self.advance()
        quoted = token.kind is Kind.QUOTED
        return Identifier(token.text, quoted, range=token.range)

    def path(self) -> tuple[str, ...]:
        """Read a name of one or more parts, separated by dots."""
        parts = [self.name().name]
        while self.accept_symbol("."):
            parts.append(self.name().name)
        return tuple(parts)

    def string(self, what: str = "a string between single quotes") -> str:
        """Read a string literal and return its text. `what` names it in the error."""
        if self.token.kind is not Kind.STRING:
            self._looked_for.append(what)
            raise self.error()
        return self.advance().text

    def integer(self) -> int:
        """Read an unsigned integer."""
        if self.token.kind is not Kind.NUMBER or not self.token.text.isdigit():
            self._looked_for.append("a whole number")
            raise self.error()
        return int(self.advance().text)

    # --- places and errors -----------------------------------------------------------------------
    def place(self, node: N, start: int) -> N:
        """Set the node's range in the text, and return the node.

        The range begins at character `start` and ends with the last consumed token.
        """
        return placed(node, self.since(start))

    def since(self, start: int) -> SourceRange:
        return SourceRange(start, self.previous.end)

    def error(self, message: str | None = None, *, hint: str | None = None) -> ParseError:
        """Return an error at the next token: what was found, and what was expected."""
        token = self.token
        if token.kind is Kind.UNREADABLE:
            return explain_unreadable(token)
        wanted = [w for w in dict.fromkeys(self._looked_for) if w not in _ALWAYS_POSSIBLE]
        if message is None:
            message = f"unexpected {_describe(token, self.text)}"
            if wanted:
                shown = wanted if len(wanted) <= _SHOWN else [*wanted[:_SHOWN], "..."]
                message += f", expected {' or '.join(shown) if len(shown) < 3 else ', '.join(shown)}"
        if hint is None:
            hint = self._hint(token, wanted)
        return ParseError(message, range=self._place_of(token), hint=hint)

    def not_supported(self, what: str, token: Token) -> NotSupportedError:
        """Return the error for syntax that Flink supports and Firesteel does not."""
        return NotSupportedError(f"{what} is not supported", range=token.range)

    def _place_of(self, token: Token) -> SourceRange:
        if token.kind is Kind.END and self.index > 0:
            end = self.previous.end
            return SourceRange(max(0, end - 1), end)
        return token.range

    def _hint(self, token: Token, wanted: list[str]) -> str | None:
        if self.index > 0 and token.kind is Kind.WORD and token.word == self.previous.word:
            return f"{token.word} is written twice"
        if token.kind is Kind.SYMBOL and token.text == "," and self.previous.text == ",":
            return "a comma too many"
        if token.kind in (Kind.WORD, Kind.QUOTED):
            words = [word for entry in wanted for word in entry.split()[:1]]
            close = difflib.get_close_matches(token.text.upper(), words, n=1, cutoff=0.7)
            if close and close[0] != token.text.upper():
                return f"did you mean {close[0]}?"
        typed = difflib.get_close_matches(self.previous.word, _CLAUSES, n=1, cutoff=0.75)
        if self.index > 0 and typed and self.previous.word not in RESERVED:
            return f"did you mean {typed[0]} instead of '{self.previous.text}'?"
        if "','" in wanted and _starts_operand(token):
            return f"perhaps a comma is missing before {_describe(token, self.text)}"
        if token.kind is Kind.END and "')'" in wanted:
            return "a closing parenthesis is missing"
        return None


_SHOWN = 5
_ALWAYS_POSSIBLE = words(
    "'.' '[' '=>' NOT BETWEEN IN LIKE SIMILAR ILIKE RLIKE CONTAINS EQUALS PRECEDES"
) | words(
    "SUCCEEDS MEMBER SUBMULTISET MINUS ARRAY MULTISET IGNORE RESPECT WITHIN FILTER OVER STREAM QUALIFY FETCH"
)
"""Tokens that errors do not list as expected: they may follow nearly any expression, or are rarely used."""
_CLAUSES = ("FROM", "WHERE", "GROUP", "HAVING", "ORDER", "UNION", "VALUES", "SELECT", "WITH", "LIMIT", "JOIN")
_STARTERS = words("SELECT FROM WHERE GROUP HAVING ORDER UNION BY AS ON WITH INTO SET VALUES AND OR")


def _describe(token: Token, text: str) -> str:
    if token.kind is Kind.END:
        return "end of the statement"
    return f"'{text[token.start : token.end]}'" if token.kind is not Kind.STRING else f"string '{token.text}'"


def _starts_operand(token: Token) -> bool:
    if token.kind is Kind.WORD:
        return token.word not in _STARTERS
    return token.kind in (Kind.QUOTED, Kind.STRING, Kind.NUMBER, Kind.HEX)
