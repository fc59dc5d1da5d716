"""Parse single JSON messages exactly as Flink's Jackson does.

Objects are `Members` (pairs in the order of the text, with repeated keys) or dicts (the last of repeated keys
wins, as in Jackson's tree). Text after the first value is ignored, as in Jackson.
"""

from __future__ import annotations

import json
from typing import Any

from firesteel.formats.messages.deep_json import DeepParser, Make
from firesteel.formats.messages.json_limits import BadMessage, big_decimal, check_document, check_number
from firesteel.formats.messages.message_text import json_text

WHITESPACE = " \t\r\n"


class IntText(str):
    """An integer as it is written."""

    __slots__ = ()


class FloatText(str):
    """A number with a fraction or an exponent, as it is written."""

    __slots__ = ()


class Members(list):  # type: ignore[type-arg]
    """The (key, value) pairs of an object, in the order of the text."""

    __slots__ = ()


def parse_tree(message: bytes, *, exact: bool = False) -> Any:
    """Return the first JSON value of a message, with objects as dicts, numbers as IntText and FloatText.

    Args:
        message: The bytes.
        exact: Whether Flink reads every number with a fraction as a BigDecimal (row_decoder.py: has_decimal).
            A number whose exponent does not fit into a BigDecimal is then an error.

    Raises:
        BadMessage: The message is not JSON, or exceeds Jackson's limits.
    """
    return _parse(message, _EXACT_TREE if exact else _TREE, texts=True)


def parse_members(message: bytes) -> Any:
    """Return the first JSON value of a message, with objects as Members.

    Raises:
        BadMessage: The message is not JSON, or exceeds Jackson's limits.
    """
    return _parse(message, _MEMBERS, texts=False)


class _Parser:
    """JSON parser: Python's own, and one without recursion for deeply nested values."""

    def __init__(self, fraction: Make, members: type[Any]) -> None:
        self._fast = json.JSONDecoder(
            strict=False,  # Flink allows control characters in strings.
            parse_int=_integer,
            parse_float=fraction,
            parse_constant=_refuse,
            object_pairs_hook=None if members is dict else members,
        )
        self._deep = DeepParser(_integer, fraction, members)

    def parse(self, text: str) -> Any:
        """Return the first JSON value of a text.

        Raises:
            json.JSONDecodeError: The text is not JSON.
            BadMessage: The value is nested too deeply.
        """
        try:
            return self._fast.raw_decode(text)[0]
        except RecursionError:
            return self._deep.parse(text)


def _parse(message: bytes, parser: _Parser, *, texts: bool) -> Any:
    text, wrong = json_text(message)
    text = text.lstrip(WHITESPACE)
    try:
        found = parser.parse(text)
    except json.JSONDecodeError as error:
        if wrong is not None:
            raise BadMessage(f"Invalid UTF-8 byte 0x{wrong:02x}") from None
        if not text:
            raise BadMessage("No content to map due to end-of-input") from None
        raise BadMessage(f"{error.msg} at character {error.pos + 1}") from None
    check_document(found, len(message), text.count("{") + text.count("["), texts=texts)
    return found


def _integer(text: str) -> IntText:
    check_number(text)
    return IntText(text)


def _fraction(text: str) -> FloatText:
    check_number(text)
    return FloatText(text)


def _exact_fraction(text: str) -> FloatText:
    check_number(text)
    try:
        big_decimal(text)
    except ValueError as error:
        raise BadMessage(str(error)) from None
    return FloatText(text)


def _refuse(name: str) -> Any:
    raise BadMessage(f"Non-standard token '{name}'")


_TREE = _Parser(_fraction, dict)
_EXACT_TREE = _Parser(_exact_fraction, dict)
_MEMBERS = _Parser(_fraction, Members)
