"""Parser of JSON paths (json-path 2.9: PathCompiler)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from firesteel.functions.json_path.cursor import Cursor, unescaped
from firesteel.functions.json_path.errors import InvalidPath
from firesteel.functions.json_path.filter_parser import compile_filter
from firesteel.functions.json_path.path_functions import FunctionToken
from firesteel.functions.json_path.tokens import (
    FilterToken,
    IndexToken,
    Path,
    PropertyToken,
    ScanToken,
    SliceToken,
    Token,
    WildcardToken,
)


@lru_cache(maxsize=400)  # Flink caches the same number of paths.
def compile_path(text: str) -> Path:
    """Return the compiled path of a text.

    Raises:
        InvalidPath: The text is not a path.
        PathFailure: Flink cannot execute a filter in it.
    """
    try:
        cursor = Cursor(text)
        cursor.trim()
        if cursor.at(0) not in "$@":
            cursor = Cursor(f"$.{text}")
            cursor.trim()
        if cursor.at(cursor.end) == ".":
            raise InvalidPath("Path must not end with a '.' or '..'")
        return PathParser(cursor).path()
    except (IndexError, ValueError) as error:
        raise InvalidPath(str(error)) from None


class PathParser:
    """Parser of one path.

    There is a method for each kind of step, such as `_wildcard`. If the text at the cursor is a step of this
    kind, the method reads the step and all steps after it, and returns True. Otherwise it returns False.
    """

    def __init__(self, cursor: Cursor) -> None:
        self.cursor = cursor
        self.steps: list[Token] = []

    def path(self) -> Path:
        cursor = self.cursor
        while cursor.within() and cursor.char in " \t\r\n":
            cursor.position += 1
        if cursor.char not in "$@":
            raise InvalidPath("Path must start with '$' or '@'")
        root = cursor.char
        if cursor.is_tail:
            return Path(root, ())
        cursor.position += 1
        if cursor.char not in ".[":
            raise InvalidPath(f"Illegal character at position {cursor.position} expected '.' or '['")
        self._next()
        return _finished(root, self.steps)

    def _next(self) -> None:
        start = self.cursor.position
        char = self.cursor.char
        if char == "[":
            readers = (self._names, self._elements, self._wildcard, self._filter)
            done = any(read() for read in readers)
        elif char == ".":
            done = self._dots()
        elif char == "*":
            done = self._wildcard()
        else:
            done = self._name_or_function()
        if not done:
            raise InvalidPath(f"Could not parse token starting at position {start}")

    def _add(self, token: Token, position: int) -> bool:
        """Append a step that ends before `position`, read the rest of the path, and return True."""
        self.steps.append(token)
        self.cursor.position = position
        if not self.cursor.is_tail:
            self._next()
        return True

    def _dots(self) -> bool:
        cursor = self.cursor
        if cursor.next_is("."):
            self.steps.append(ScanToken())
            cursor.position += 2
        elif not cursor.within(cursor.position + 1):
            raise InvalidPath("Path must not end with a '.")
        else:
            cursor.position += 1
        if cursor.char == ".":
            raise InvalidPath(f"Character '.' on position {cursor.position} is not valid.")
        self._next()
        return True

    def _name_or_function(self) -> bool:
        cursor = self.cursor
        if cursor.char in "[*. ":
            return False
        start = cursor.position
        end = next((i for i in range(start, cursor.end + 1) if cursor.at(i) in " .[("), cursor.end + 1)
        if cursor.within(end) and cursor.at(end) == " ":
            raise InvalidPath("Use bracket notion ['my prop'] if your property contains blank characters")
        name = cursor.text[start:end]
        if not cursor.within(end) or cursor.at(end) != "(":
            return self._add(PropertyToken([name], "'"), end)
        return self._function(name, end)

    def _function(self, name: str, opening: int) -> bool:
        """Read a function call `name(...)` with the parenthesis at `opening`, and all steps after it.

        Returns:
            True, as methods that have read a step do.

        Raises:
            InvalidPath: The call has no closing parenthesis, or its arguments are invalid.
        """
        cursor = self.cursor
        if not _is_closed(cursor, opening):
            raise InvalidPath(f"Arguments to function: '{name}' are not closed properly.")
        arguments: Sequence[Path | str] = ()
        cursor.position = opening + 1
        if cursor.char != ")":
            arguments = read_arguments(cursor, name)
        return self._add(FunctionToken(name, arguments), cursor.position)

    def _wildcard(self) -> bool:
        cursor = self.cursor
        if cursor.char != "[":
            return self._add(WildcardToken(), cursor.position + 1)
        star = cursor.after_blanks()
        if not cursor.within(star) or cursor.at(star) != "*":
            return False
        closing = cursor.after_blanks(star)
        if not cursor.within(closing) or cursor.at(closing) != "]":
            raise InvalidPath(f"Expected wildcard token to end with ']' on position {star + 1}")
        return self._add(WildcardToken(), closing + 1)

    def _elements(self) -> bool:
        """Read `[1]`, `[1,2]`, `[1:]`, `[1:2]` or `[:2]` and the steps after it; False for another step."""
        cursor = self.cursor
        following = cursor.next_significant()
        if not following.isdecimal() and following not in "-:":
            return False
        end = cursor.find("]", cursor.position + 1)
        text = cursor.text[cursor.position + 1 : end].strip()
        if end == -1 or any(not c.isdecimal() and c not in ",-: " for c in text):
            return False
        return self._add(_slice(text) if ":" in text else _indexes(text), end + 1)

    def _filter(self) -> bool:
        cursor = self.cursor
        question = cursor.find_next_significant("?")
        opening = cursor.find_next_significant("(", question) if question != -1 else -1
        if opening == -1:
            return False
        closing = cursor.find_closing(opening, "(", ")", patterns=True)
        bracket = cursor.after_blanks(closing) if closing != -1 else -1
        if not cursor.within(bracket) or cursor.at(bracket) != "]":
            return False
        predicate = compile_filter(cursor.text[cursor.position : bracket + 1], compile_path)
        return self._add(FilterToken(predicate), bracket + 1)

    def _names(self) -> bool:
        """Read `['a']` or `["a", "b"]` and all steps after it. Return False if the step is another one."""
        cursor = self.cursor
        quote = cursor.next_significant()
        if quote not in "'\"":
            return False
        names, end = _quoted_names(cursor, quote)
        bracket = cursor.find_next_significant("]", end)
        if bracket == -1:
            raise InvalidPath("Property has not been closed - missing closing ]")
        if not names:
            raise InvalidPath("Empty properties")
        return self._add(PropertyToken(names, quote), bracket + 1)


def _quoted_names(cursor: Cursor, quote: str) -> tuple[list[str], int]:
    """Return the names up to the closing bracket, and the position of the last closing quote."""
    names: list[str] = []
    start = index = cursor.position + 1
    end = 0
    inside = escaped = comma = False
    while cursor.within(index):
        char = cursor.at(index)
        if escaped:
            escaped = False
        elif char == "\\":
            escaped = True
        elif not inside and char in "],":
            if comma:
                raise InvalidPath(f"Found empty property at index {index}")
            if char == "]":
                break
            comma = True
        elif char == quote and inside:
            if cursor.next_significant(index) not in "],":
                raise InvalidPath(f"Property must be separated by comma or closed at index {index}")
            end, inside = index, False
            names.append(unescaped(cursor.text[start:end]))
        elif char == quote:
            start, inside, comma = index + 1, True, False
        index += 1
    if inside:
        raise InvalidPath(f"Property has not been closed - missing closing {quote}")
    return names, end


def _integer(text: str) -> int:
    if not re.fullmatch(r"-?\d+", text) or not -(2**31) <= int(text) < 2**31:
        raise InvalidPath(f"Failed to parse token in ArrayIndexOperation: {text}")
    return int(text)


def _indexes(text: str) -> Token:
    return IndexToken([_integer(part) for part in re.split(r"\s*,\s*", text)])


def _slice(text: str) -> Token:
    if "," in text or " " in text:
        raise InvalidPath(f"Failed to parse SliceOperation: {text}")
    start, stop = (_integer(part) if part else None for part in text.split(":")[:2])
    if start is None and stop is None:
        raise InvalidPath(f"Failed to parse SliceOperation: {text}")
    return SliceToken(start, stop)


def _is_closed(cursor: Cursor, opening: int) -> bool:
    depth = 0
    for index in range(opening, cursor.end + 1):
        depth += {"(": 1, ")": -1}.get(cursor.at(index), 0)
        if depth == 0:
            return True
    return False


def read_arguments(cursor: Cursor, name: str) -> list[Path | str]:
    """Return the arguments of a function, and move the cursor past them.

    An argument is a Path, or a text that is JSON.
    """
    depth = {"(": 1, "[": 0, "{": 0}
    quotes, before, text, kind, ended = 0, "", "", "", False
    found: list[Path | str] = []
    while cursor.within() and not ended:
        char = cursor.char
        cursor.position += 1
        if not kind:
            if char in " \t\r\n":
                continue
            kind = "json" if char in '{-"' or char.isdecimal() else "path" if char in "$@" else ""
        if char == '"':
            quotes += -1 if before != "\\" and quotes else 1
        else:
            _count_bracket(char, depth, cursor.position)
        level = depth["("]
        if char == ")" and (level < 0 or before == "("):
            text += char
        plain = not depth["{"] and not depth["["]
        if char in ",)" and not quotes and plain and (level == 1 or (level == 0 and char == ")")):
            if kind:
                found.append(_argument(text, kind))
            text, kind, ended = "", "", level == 0
        if kind and not (char == "," and level == 1 and plain):
            text += char
        before = char
    if any(depth.values()):
        raise InvalidPath(f"Arguments to function: '{name}' are not closed properly.")
    return found


def _count_bracket(char: str, depth: dict[str, int], position: int) -> None:
    """Count a bracket in `depth`, the number of open brackets by the opening bracket.

    Raises:
        InvalidPath: A `]` or `}` has no opening bracket.
    """
    if char in depth:
        depth[char] += 1
    elif char == ")":
        depth["("] -= 1
    elif char in "}]":
        opening = "{" if char == "}" else "["
        if not depth[opening]:
            raise InvalidPath(f"Unexpected close '{char}' at character position: {position}")
        depth[opening] -= 1


def _argument(text: str, kind: str) -> Path | str:
    return PathParser(Cursor(text)).path() if kind == "path" else text


def _finished(root: str, steps: list[Token]) -> Path:
    """Return the path of all steps.

    If the path begins with a deep scan, a function applies to the list of all values that the scan finds, not
    to each value.
    """
    path = _with_definite(root, steps)
    if not path.is_function or not isinstance(steps[0], ScanToken):
        return path
    place = next(i for i, step in enumerate(steps) if isinstance(step, FunctionToken))
    function = _of_scan(steps[place], _with_definite(root, steps[:place]))
    return _with_definite("$", [function, *steps[place + 1 :]])


def _of_scan(function: Token, scan: Path) -> Token:
    return FunctionToken(function.name, [scan]) if isinstance(function, FunctionToken) else function


def _with_definite(root: str, steps: Sequence[Token]) -> Path:
    """Return the path of the steps, definite if each step finds at most one value.

    A step of several names, `['a','b']`, finds one value only if it is the last step: an object.
    """
    last = len(steps) - 1
    return Path(root, steps, all(step.is_definite_at(i == last) for i, step in enumerate(steps)))
