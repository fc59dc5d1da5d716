"""Jackson's limits for JSON messages, and big decimals as in Java.

Source: Jackson 2.20 StreamReadConstraints, with the defaults that Flink 2.3 keeps; Java BigDecimal.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

MAX_DEPTH = 1000
"""Maximum number of objects and arrays that are nested in each other."""
MAX_NUMBER_LENGTH = 1000
"""Maximum number of digits of a number. Its sign, point and exponent mark do not count."""
MAX_NAME_BYTES = 50_000
"""Maximum length of a member's name, in bytes of UTF-8, without escapes."""
MAX_TEXT_LENGTH = 20_000_000
"""Maximum number of characters of a string."""
_DIGITS = re.compile("[0-9]")
_NUMBER = re.compile(r"[+-]?\d*\.?(\d*)(?:[eE]([+-]?)0*(\d*))?")
_EXPONENT_DIGITS = 10
_INT = 1 << 31


class BadMessage(Exception):
    """Error for a message that the format cannot read. The text is the reason."""


def check_number(text: str) -> None:
    """Raise BadMessage if a number is too long."""
    if len(text) > MAX_NUMBER_LENGTH:
        digits = len(_DIGITS.findall(text))
        if digits > MAX_NUMBER_LENGTH:
            raise BadMessage(
                f"Number value length ({digits}) exceeds the maximum allowed ({MAX_NUMBER_LENGTH})"
            )


def check_text(text: str) -> str:
    """Return the text unchanged.

    Raises:
        ValueError: The text is too long.
    """
    if len(text) > MAX_TEXT_LENGTH:
        raise ValueError(f"String value length ({len(text)}) exceeds the maximum allowed ({MAX_TEXT_LENGTH})")
    return text


def too_deep() -> BadMessage:
    """Return the error for a message that is nested too deeply."""
    return BadMessage(f"Document nesting depth ({MAX_DEPTH + 1}) exceeds the maximum allowed ({MAX_DEPTH})")


def check_document(root: Any, size: int, brackets: int, *, texts: bool) -> None:
    """Check that a parsed value is within Jackson's limits of nesting, names and texts.

    A short message with few brackets is within all limits, so its value is not searched.

    Args:
        root: The value, with objects as dicts or lists of pairs.
        size: Bytes of the message. Up to MAX_NAME_BYTES, no name and no text can be too long.
        brackets: Number of opening brackets of the message.
        texts: Whether to check texts. Jackson checks them only if it creates a tree of all values.

    Raises:
        BadMessage: A limit is exceeded.
    """
    if size <= MAX_NAME_BYTES and brackets <= MAX_DEPTH:
        return
    level, depth = [root], 0
    while level:
        if depth == MAX_DEPTH:
            raise too_deep()
        names = size > MAX_NAME_BYTES
        level = [child for one in level for child in _children(one, names=names, texts=texts)]
        depth += 1


def _children(value: Any, *, names: bool, texts: bool) -> Iterator[Any]:
    """Yield the objects and arrays in a value, after checking their names and texts."""
    pairs: Any = ()
    parts: Any
    if isinstance(value, dict):
        pairs, parts = value, value.values()
    elif value and isinstance(value, list) and type(value[0]) is tuple:
        pairs, parts = (name for name, _ in value), [one for _, one in value]
    else:
        parts = value if isinstance(value, list) else (value,)
    if names:
        for name in pairs:
            if len(name) * 3 > MAX_NAME_BYTES and len(name.encode("utf-8", "replace")) > MAX_NAME_BYTES:
                raise BadMessage(f"Name length exceeds the maximum allowed ({MAX_NAME_BYTES})")
    for part in parts:
        if isinstance(part, (dict, list)):
            yield part
        elif texts and isinstance(part, str) and len(part) > MAX_TEXT_LENGTH:
            raise BadMessage(
                f"String value length ({len(part)}) exceeds the maximum allowed ({MAX_TEXT_LENGTH})"
            )


def big_decimal(text: str) -> Decimal:
    """Return a number as Java's `new BigDecimal(text)`.

    Raises:
        ValueError: The exponent or the scale does not fit into 32 bits.
    """
    match = _NUMBER.fullmatch(text)
    if match is not None and match[3]:
        exponent = int(match[3]) if len(match[3]) <= _EXPONENT_DIGITS else _INT
        scale = len(match[1]) + (exponent if match[2] == "-" else -exponent)
        if exponent >= _INT or not -_INT <= scale < _INT:
            raise ValueError(f'Value "{text}" can not be represented as `java.math.BigDecimal`')
    return Decimal(text)
