"""Parser of a JSON path's filter, `[?(@.a > 1 && !(@.b == 'x'))]`, into a predicate.

json-path 2.9: FilterCompiler.

    or      = and { '||' and }
    and     = operand { '&&' operand }
    operand = comparison | '(' or ')' | '!' operand
    comparison = value [ operator value ]
"""

from __future__ import annotations

import re
from collections.abc import Callable
from decimal import Decimal
from typing import Any

from firesteel.functions.java.regular_expressions import compiled
from firesteel.functions.json_path.cursor import Cursor, unescaped
from firesteel.functions.json_path.errors import InvalidPath, needs_json_smart
from firesteel.functions.json_path.filters import NUMBER, OPERATORS, PathOperand, compare, exists
from firesteel.functions.json_path.tokens import Path, Predicate

_FLAGS = "ixmsduU"
_COMPARING = "<>=~!"


def compile_filter(text: str, compile_path: Callable[[str], Path]) -> Predicate:
    """Return the predicate of `[?(...)]`.

    Args:
        text: The filter with its brackets.
        compile_path: Compiles the paths that are operands.

    Raises:
        InvalidPath: The text is not a filter.
        PathFailure: Flink fails on the filter.
    """
    cursor = Cursor(text)
    cursor.trim()
    if cursor.char != "[" or cursor.at(cursor.end) != "]":
        raise InvalidPath(f"Filter must start with '[' and end with ']'. {text}")
    for opening, closing in ("[", "]"), ("?", ""):
        if cursor.char != opening:
            raise InvalidPath(f"Filter must start with '[?' and end with ']'. {text}")
        cursor.position += 1
        cursor.end -= len(closing)
        cursor.trim()
    if cursor.char != "(" or cursor.at(cursor.end) != ")":
        raise InvalidPath(f"Filter must start with '[?(' and end with ')]'. {text}")
    try:
        return _FilterParser(cursor, compile_path).whole()
    except (IndexError, ValueError, ArithmeticError):
        raise InvalidPath(f"Failed to parse filter: {text}, error on position: {cursor.position}") from None


class _FilterParser:
    def __init__(self, cursor: Cursor, compile_path: Callable[[str], Path]) -> None:
        self.cursor = cursor
        self._compile_path = compile_path

    def whole(self) -> Predicate:
        found = self._or()
        self.cursor.skip_blanks()
        if self.cursor.within():
            raise InvalidPath(
                f"Expected end of filter expression instead of: {self.cursor.text[self.cursor.position :]}"
            )
        return found

    def _or(self) -> Predicate:
        parts = self._chain("||", self._and)
        if len(parts) == 1:
            return parts[0]
        return lambda item, root, suppress: any(part(item, root, suppress) for part in parts)

    def _and(self) -> Predicate:
        parts = self._chain("&&", self._operand)
        if len(parts) == 1:
            return parts[0]
        return lambda item, root, suppress: all(part(item, root, suppress) for part in parts)

    def _chain(self, operator: str, read: Callable[[], Predicate]) -> list[Predicate]:
        parts = [read()]
        while True:
            before = self.cursor.position
            if not self.cursor.accept(operator):
                self.cursor.position = before
                return parts
            parts.append(read())

    def _operand(self) -> Predicate:
        cursor = self.cursor
        cursor.skip_blanks()
        before = cursor.position
        if cursor.char == "!":
            self._expect("!")
            cursor.skip_blanks()
            if cursor.char not in "$@":
                inner = self._operand()
                return lambda item, root, suppress: not inner(item, root, suppress)
            cursor.position = before
        cursor.skip_blanks()
        if cursor.char == "(":
            self._expect("(")
            found = self._or()
            self._expect(")")
            return found
        return self._comparison()

    def _expect(self, char: str) -> None:
        self.cursor.skip_blanks()
        if self.cursor.char != char:
            raise InvalidPath(f"Expected character: {char}")
        self.cursor.position += 1

    def _comparison(self) -> Predicate:
        left = self._value()
        before = self.cursor.position
        try:
            operator = self._operator()
            return compare(left, operator, self._value())
        except InvalidPath:
            self.cursor.position = before
        if not isinstance(left, PathOperand):
            raise InvalidPath("Expected path node")
        return exists()

    def _operator(self) -> str:
        cursor = self.cursor
        cursor.skip_blanks()
        start = cursor.position
        sign = cursor.char in _COMPARING
        while cursor.within() and (cursor.char in _COMPARING if sign else cursor.char != " "):
            cursor.position += 1
        word = cursor.text[start : cursor.position].upper()
        if word not in OPERATORS:
            raise InvalidPath(f"Filter operator {word} is not supported!")
        return word

    def _value(self) -> Any:
        """Read a path or a literal: str, Decimal, bool, None or a pattern."""
        cursor = self.cursor
        cursor.skip_blanks()
        if cursor.char == "!":
            cursor.position += 1
            cursor.skip_blanks()
            if cursor.char not in "$@":
                raise InvalidPath("Unexpected character: !")
        char = cursor.char
        if char in "$@":
            return PathOperand(self._path())
        if char in "'\"":
            return unescaped(self._delimited(char)[1:-1])
        if char in "tf":
            return self._word("true" if char == "t" else "false", char == "t")
        if char == "n":
            return self._word("null", None)
        if char in "{[":
            closing = cursor.find_closing(cursor.position, char, "}" if char == "{" else "]", patterns=False)
            if closing == -1:
                raise InvalidPath("String not closed")
            raise needs_json_smart("A list or an object")
        return self._pattern() if char == "/" else self._number()

    def _delimited(self, char: str) -> str:
        """Return the text from the cursor through the next `char` that has no backslash before it.

        The cursor moves behind this `char`.

        Raises:
            InvalidPath: There is no such `char`.
        """
        start = self.cursor.position
        closing = self.cursor.find_unescaped(char, start)
        if closing == -1:
            raise InvalidPath(f"String literal does not have matching quotes. Expected {char}")
        self.cursor.position = closing + 1
        return self.cursor.text[start : closing + 1]

    def _word(self, word: str, value: bool | None) -> bool | None:
        cursor = self.cursor
        found = cursor.text[cursor.position : cursor.position + len(word)]
        if found != word or not cursor.within(cursor.position + len(word) - 1):
            raise InvalidPath(f"Expected <{word}> value")
        cursor.position += len(word)
        return value

    def _number(self) -> Decimal:
        cursor, start = self.cursor, self.cursor.position
        while cursor.within() and (cursor.char.isdecimal() or cursor.char in "-.Ee"):
            cursor.position += 1
        text = cursor.text[start : cursor.position]
        if not NUMBER.fullmatch(text):
            raise ValueError(f"no number: {text}")
        return Decimal(text)

    def _pattern(self) -> re.Pattern[str]:
        """Read a pattern `/.../flags`. As in Java, the flag `i` works only for ASCII unless `u` is set, too.

        Raises:
            ValueError: Java rejects the regular expression.
        """
        text = self._delimited("/")[1:-1]
        flags = ""
        while self.cursor.within() and self.cursor.char in _FLAGS:
            flags += self.cursor.char
            self.cursor.position += 1
        found = compiled(text, flags)
        if found is None:
            raise ValueError(f"no pattern: {text}")
        return found

    def _path(self) -> Path:
        cursor = self.cursor
        start = cursor.position
        cursor.position += 1
        while cursor.within():
            if cursor.char == "[":
                closing = cursor.find_closing(cursor.position, "[", "]", patterns=False)
                if closing == -1:
                    raise InvalidPath("Square brackets does not match in filter")
                cursor.position = closing + 1
            closes = cursor.char == ")" and not self._closes_function(start)
            if not cursor.within() or cursor.char in _COMPARING or cursor.char == " " or closes:
                break
            cursor.position += 1
        return self._compile_path(cursor.text[start : cursor.position])

    def _closes_function(self, start: int) -> bool:
        """Return whether the `)` at the cursor closes the empty `()` of a function such as `.length()`.

        True if only blanks are between `(` and `)`, and a point is between the offset `start` and the `(`.
        """
        cursor = self.cursor
        index = cursor.before_blanks(cursor.position)
        if index == -1 or cursor.at(index) != "(":
            return False
        return "." in cursor.text[start + 1 : index]
