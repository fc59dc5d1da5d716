"""Parsing and writing of JSON documents, like Jackson for Flink's SQL functions.

Values are None, bool, int, Decimal (a number with a point or an exponent), str, list and dict. Functions of
paths also return float (a Java double) and KeySet. Objects are written with sorted names
(SqlJsonUtils: ORDER_MAP_ENTRIES_BY_KEYS), numbers as by BigDecimal.toString.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from decimal import Decimal
from json import JSONDecodeError, JSONDecoder
from typing import Any, NoReturn, TypeVar

from firesteel.functions.json_path.errors import JsonError
from firesteel.types.json_text import quoted
from firesteel.types.primitive_text import double_text

T = TypeVar("T")

_SPACE = " \t\n\r"
_MOST_LEVELS, _MOST_DIGITS = 1000, 1000
"""Limits of Jackson's StreamReadConstraints: nested levels of a document, and digits of a number."""
_LONG_NUMBER = re.compile(rf"-?\d[\d.eE+-]{{{_MOST_DIGITS},}}")
_OUTSIDE_STRINGS = re.compile(r'"(?:[^"\\]|\\.)*"|([\[{])|([\]}])', re.DOTALL)


class KeySet(tuple[str, ...]):
    """Result of `keys()` (a java.util.Set). It is written as an array, but is not a list for path steps."""

    __slots__ = ()


def _refuse(word: str) -> NoReturn:
    raise ValueError(f"Non-standard token '{word}'")


def _decimal(text: str) -> Decimal:
    """Return the decimal of a number's text.

    Raises:
        ValueError: The exponent is beyond the 32 bits that Java's BigDecimal has for it.
    """
    try:
        value = Decimal(text)
    except ArithmeticError:
        raise ValueError(f"Exponent overflow: {text}") from None
    if len(text) > 11 and abs(int(value.as_tuple().exponent)) >= 1 << 31:
        raise ValueError(f"Exponent overflow: {text}")
    return value


_DECODE = JSONDecoder(parse_float=_decimal, parse_constant=_refuse).raw_decode


def parse(text: str) -> Any:
    """Return the document at the start of a text. As in Jackson's readValue, the text after it is ignored.

    Raises:
        JsonError: The text does not start with a JSON document.
    """
    start = len(text) - len(text.lstrip(_SPACE))
    if start == len(text):
        raise JsonError("No content to map due to end-of-input")
    _check_limits(text)
    try:
        value, end = _DECODE(text, start)
    except JSONDecodeError as error:
        raise JsonError(f"{error.msg} at character {error.pos + 1} of the JSON text") from None
    except ValueError as error:
        raise JsonError(str(error)) from None
    if end < len(text) and not isinstance(value, (str, list, dict)):
        _check_end(text[start:end], text[end])
    return value


def _check_end(scalar: str, following: str) -> None:
    """Check the character after a scalar: white space after a number, no letter after true, false or null.

    Raises:
        JsonError: Another character follows.
    """
    if scalar[-1].isdigit():
        fits = following in _SPACE
    else:
        fits = following < "0" or following in "]}" or not f"a{following}".isidentifier()
    if not fits:
        raise JsonError(f"Unexpected character '{following}' after {scalar} in the JSON text")


def _check_limits(text: str) -> None:
    if len(text) > _MOST_DIGITS and _LONG_NUMBER.search(text):
        raise JsonError(f"A number is longer than the maximum of {_MOST_DIGITS} characters")
    if text.count("[") + text.count("{") > _MOST_LEVELS and _levels(text) > _MOST_LEVELS:
        raise JsonError(
            f"Document nesting depth ({_MOST_LEVELS + 1}) exceeds the maximum allowed ({_MOST_LEVELS})"
        )


def _levels(text: str) -> int:
    deepest = level = 0
    for match in _OUTSIDE_STRINGS.finditer(text):
        level += bool(match[1]) - bool(match[2])
        deepest = max(deepest, level)
    return deepest


def at_any_depth(run: Callable[[], T]) -> T:
    """Return the result of `run`, with a recursion limit high enough for the deepest document."""
    try:
        return run()
    except RecursionError:
        limit = sys.getrecursionlimit()
    sys.setrecursionlimit(limit + 10 * _MOST_LEVELS)
    try:
        return run()
    finally:
        sys.setrecursionlimit(limit)


def json_text(value: Any) -> str:
    """Return the JSON text of a value."""
    kind = type(value)
    if kind is str:
        return quoted(value)
    if kind is dict:
        return "{" + ",".join([f"{quoted(name)}:{json_text(value[name])}" for name in in_order(value)]) + "}"
    if kind is list or kind is KeySet:
        return f"[{','.join(map(json_text, value))}]"
    if kind is float and not _is_number(value):
        return f'"{double_text(value)}"'
    return scalar_text(value)


def _is_number(value: float) -> bool:
    return value - value == 0


def in_order(names: Any) -> list[str]:
    """Return names sorted in Java's order, by UTF-16 units."""
    found = list(names)
    if all(map(str.isascii, found)):
        return sorted(found)
    return sorted(found, key=utf16)


def utf16(text: str) -> bytes:
    """Return the UTF-16 units of a text, which Java compares and counts, as two bytes each."""
    return text.encode("utf-16-be", "surrogatepass")


def scalar_text(value: Any) -> str:
    """Return the result of Java's String.valueOf for a value that is neither a list nor an object."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Decimal):
        return str(value if value else abs(value))  # BigDecimal has no negative zero.
    if isinstance(value, float):
        return double_text(value)
    return str(value)


def java_text(value: Any) -> str:
    """Return the result of Java's String.valueOf for any value: `[1, x]`, `{a=1}`."""
    if isinstance(value, (list, KeySet)):
        return f"[{', '.join(map(java_text, value))}]"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{name}={java_text(each)}" for name, each in value.items()) + "}"
    return scalar_text(value)


def java_class(value: Any) -> str:
    """Return the Java class into which Jackson reads a value."""
    if isinstance(value, bool):
        return "java.lang.Boolean"
    if isinstance(value, int):
        bits = value.bit_length()
        return "java.lang.Integer" if bits < 32 else "java.lang.Long" if bits < 64 else "java.math.BigInteger"
    names = {
        Decimal: "java.math.BigDecimal",
        str: "java.lang.String",
        float: "java.lang.Double",
        list: "java.util.ArrayList",
        dict: "java.util.LinkedHashMap",
        KeySet: "java.util.LinkedHashMap$LinkedKeySet",
    }
    return names[type(value)]


def well_formed(text: str) -> str:
    """Return the text with `?` for unpaired surrogates, so that it can be encoded as UTF-8."""
    joined = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")
    return re.sub("[\ud800-\udfff]", "?", joined)
