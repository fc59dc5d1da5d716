"""JSON text to values, as strictly as Flink's Jackson reads it; the exact path for single messages.

Objects are given as `Members` (pairs in order, repeated keys kept) or dicts (the last of repeated keys
wins, as in Jackson's tree). What follows the first value is not looked at: Jackson leaves it unread.
"""

from __future__ import annotations

import json
from typing import Any

from firesteel.formats.message_text import json_text

WHITESPACE = " \t\r\n"
MAX_NUMBER_LENGTH = 1000
"""Jackson's StreamReadConstraints: a longer number is refused."""
MAX_DEPTH = 500
"""Jackson reads 1,000 levels; Python's scanner is kept well inside its own limit."""


class BadMessage(Exception):
    """A message that the format cannot read; the text says why."""


class IntText(str):
    """An integer number, as written."""

    __slots__ = ()


class FloatText(str):
    """A number with a fraction or an exponent, as written."""

    __slots__ = ()


class Members(list):  # type: ignore[type-arg]
    """An object's (key, value) pairs, in order."""

    __slots__ = ()


def parse_tree(message: bytes) -> Any:
    """The first JSON value of the message, objects as dicts; numbers as IntText and FloatText.

    Raises BadMessage.
    """
    return _parse(message, _TREE)


def parse_members(message: bytes) -> Any:
    """The same, objects as Members."""
    return _parse(message, _MEMBERS)


def _parse(message: bytes, decoder: json.JSONDecoder) -> Any:
    text, wrong = json_text(message)
    text = text.lstrip(WHITESPACE)
    try:
        return decoder.raw_decode(text)[0]
    except json.JSONDecodeError as error:
        if wrong is not None:
            raise BadMessage(f"Invalid UTF-8 byte 0x{wrong:02x}") from None
        if not text:
            raise BadMessage("No content to map due to end-of-input") from None
        raise BadMessage(f"{error.msg} at character {error.pos + 1}") from None
    except RecursionError:
        raise BadMessage("Document nesting depth exceeds the maximum allowed") from None


def _number(make: type[str]) -> Any:
    def number(text: str) -> str:
        if len(text) > MAX_NUMBER_LENGTH:
            raise BadMessage(f"Number value length ({len(text)}) exceeds the maximum allowed")
        return make(text)

    return number


def _refuse(name: str) -> Any:
    raise BadMessage(f"Non-standard token '{name}'")


def _decoder(**hooks: Any) -> json.JSONDecoder:
    return json.JSONDecoder(
        strict=False,  # Flink allows control characters in strings
        parse_int=_number(IntText),
        parse_float=_number(FloatText),
        parse_constant=_refuse,
        **hooks,
    )


_TREE = _decoder()
_MEMBERS = _decoder(object_pairs_hook=Members)
