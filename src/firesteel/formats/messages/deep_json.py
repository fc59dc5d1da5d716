"""Parse JSON without recursion, for messages that are nested too deeply for Python's own parser."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

from firesteel.formats.messages.json_limits import MAX_DEPTH, too_deep

Make = Callable[[Any], Any]
_BLANKS = re.compile(r"[ \t\r\n]*")
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?")
_WORDS = {"null": None, "true": True, "false": False}
_WORD = re.compile("null|true|false")
_string: Callable[[str, int, bool], tuple[str, int]] = json.decoder.scanstring  # type: ignore[attr-defined]
_CLOSING = {"{": "}", "[": "]"}


class DeepParser:
    """Parser of the first value of a text, like json.JSONDecoder.raw_decode with `strict=False`.

    Args:
        integer: Converts the text of an integer.
        fraction: Converts the text of a number with a fraction or an exponent.
        members: Converts the list of an object's (name, value).
    """

    def __init__(self, integer: Make, fraction: Make, members: Make) -> None:
        self._integer, self._fraction, self._members = integer, fraction, members

    def parse(self, text: str) -> Any:
        """Return the first value of a text.

        Raises:
            json.JSONDecodeError: The text is not JSON.
            BadMessage: The value is nested too deeply.
        """
        opened: list[tuple[str, list[Any]]] = []
        names: list[str] = []
        at = _after_blanks(text, 0)
        while True:
            mark = text[at : at + 1]
            if mark in ("{", "["):
                if len(opened) == MAX_DEPTH:
                    raise too_deep()
                opened.append((mark, []))
                at = _after_blanks(text, at + 1)
                if text[at : at + 1] != _CLOSING[mark]:
                    if mark == "{":
                        name, at = _name(text, at)
                        names.append(name)
                    continue
                value, at = self._made(*opened.pop()), at + 1
            else:
                value, at = self._scalar(text, at)
            while opened:
                mark, parts = opened[-1]
                parts.append((names.pop(), value) if mark == "{" else value)
                at = _after_blanks(text, at)
                if text[at : at + 1] == ",":
                    at = _after_blanks(text, at + 1)
                    if mark == "{":
                        name, at = _name(text, at)
                        names.append(name)
                    break
                if text[at : at + 1] != _CLOSING[mark]:
                    raise json.JSONDecodeError("Expecting ',' delimiter", text, at)
                value, at = self._made(*opened.pop()), at + 1
            else:
                return value

    def _made(self, mark: str, parts: list[Any]) -> Any:
        return self._members(parts) if mark == "{" else parts

    def _scalar(self, text: str, at: int) -> tuple[Any, int]:
        if text[at : at + 1] == '"':
            return _string(text, at + 1, False)
        if (number := _NUMBER.match(text, at)) is not None:
            make = self._fraction if number[1] or number[2] else self._integer
            return make(number[0]), number.end()
        if (word := _WORD.match(text, at)) is not None:
            return _WORDS[word[0]], word.end()
        raise json.JSONDecodeError("Expecting value", text, at)


def _after_blanks(text: str, at: int) -> int:
    found = _BLANKS.match(text, at)
    return at if found is None else found.end()


def _name(text: str, at: int) -> tuple[str, int]:
    """Return the name that begins at `at`, and the position of its value."""
    if text[at : at + 1] != '"':
        raise json.JSONDecodeError("Expecting property name enclosed in double quotes", text, at)
    name, at = _string(text, at + 1, False)
    at = _after_blanks(text, at)
    if text[at : at + 1] != ":":
        raise json.JSONDecodeError("Expecting ':' delimiter", text, at)
    return name, _after_blanks(text, at + 1)
