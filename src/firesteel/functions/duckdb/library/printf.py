"""PRINTF: Java's `String.format` in the English locale."""

from __future__ import annotations

import math
import re
from decimal import ROUND_HALF_UP, Context, Decimal
from typing import Any

from firesteel.functions.duckdb.registry import nullable
from firesteel.functions.java.utf16 import text_of, units
from firesteel.types.primitive_text import double_text

_HALF_UP = Context(prec=800, rounding=ROUND_HALF_UP)
_CODE_POINTS = 0x110000
_FIELD = re.compile(r"%(?:(\d+)\$)?([-#+ 0,(]*)(\d+)?(?:\.(\d+))?([a-zA-Z%])")


@nullable
def printf(pattern: str | None, *args: Any) -> str | None:
    """Return PRINTF, or NULL if the pattern is invalid or does not fit the arguments."""
    if pattern is None:
        return None
    found, at, following = [], 0, 0
    for match in re.finditer("%", pattern):
        if match.start() < at:
            continue
        field = _FIELD.match(pattern, match.start())
        if field is None:
            return None
        found.append(pattern[at : field.start()])
        at = field.end()
        letter = field[5]
        if letter in "%n":
            found.append(_padded("%" if letter == "%" else "\n", field))
            continue
        index = int(field[1]) - 1 if field[1] else following
        following += field[1] is None
        text = _conversion(field, args[index]) if index < len(args) else None
        if text is None:
            return None
        found.append(text)
    return "".join([*found, pattern[at:]])


def _conversion(field: re.Match[str], value: Any) -> str | None:
    letter, precision = field[5], field[4]
    if letter in "sS":
        text = text_of(units(_plain(value))[: int(precision)]) if precision else _plain(value)
    elif letter in "bB":
        text = "false" if value is None or value is False else "true"
    elif letter not in "dxXofeEgGc":
        return None
    elif value is None:
        text = "null"[: int(precision)] if precision and letter in "feEgG" else "null"
    elif letter in "dxXo":
        if isinstance(value, bool) or not isinstance(value, int) or precision:
            return None
        return _integer(field, value)
    elif letter in "feEgG":
        if not isinstance(value, float) or ("#" in field[2] and letter in "gG"):
            return None
        return _real(field, value)
    elif isinstance(value, int) and not 0 <= value < _CODE_POINTS:
        return None
    else:
        text = chr(value) if isinstance(value, int) else str(value)[:1]
    return _padded(text.upper() if letter in "SB" else text, field)


def _plain(value: Any) -> str:
    if isinstance(value, bool) or value is None:
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, float):
        return double_text(value)
    return format(value, "f") if isinstance(value, Decimal) else str(value)


def _integer(field: re.Match[str], value: int) -> str:
    letter = field[5]
    if letter != "d":
        bits = 32 if -(1 << 31) <= value < 1 << 31 else 64
        text = format(value % (1 << bits), letter)
        return _padded(("0x" if letter in "xX" else "0") + text if "#" in field[2] else text, field)
    digits = f"{abs(value):,d}" if "," in field[2] else str(abs(value))
    return _signed(digits, value < 0, field)


def _real(field: re.Match[str], value: float) -> str:
    digits = int(field[4]) if field[4] else 6
    if value != value or value in (float("inf"), float("-inf")):
        return _padded("NaN" if value != value else "Infinity" if value > 0 else "-Infinity", field)
    exact, negative = Decimal(repr(abs(value))), math.copysign(1, value) < 0
    if field[5] in "eE":
        return _signed(_scientific(exact, digits, field[5]), negative, field)
    grouped = "," if "," in field[2] else ""
    if field[5] in "gG":
        digits = max(digits, 1)
        exponent = _leading(exact, digits).adjusted() if exact else 0
        if not -4 <= exponent < digits:
            return _signed(_scientific(exact, digits - 1, "eE"[field[5] == "G"]), negative, field)
        digits -= exponent + 1
    text = f"{exact.quantize(Decimal(1).scaleb(-digits), context=_HALF_UP):{grouped}f}"
    return _signed(text, negative, field)


def _leading(value: Decimal, digits: int) -> Decimal:
    """Return a number rounded HALF_UP to `digits` leading digits, from the digits that Java would print."""
    return value.quantize(Decimal(1).scaleb(value.adjusted() - digits + 1), context=_HALF_UP)


def _scientific(value: Decimal, digits: int, letter: str) -> str:
    """Return a number in scientific form: one digit before the point and `digits` digits after it."""
    if not value:
        return f"{0.0:.{digits}{letter}}"
    unscaled, exponent = _leading(value, digits + 1).as_tuple().digits, value.adjusted()
    if len(unscaled) > digits + 1:  # Rounding has turned 9.99 into 10.0.
        exponent += 1
    text = "".join(map(str, unscaled))[: digits + 1]
    return (
        f"{text[0]}{'.' if digits else ''}{text[1:]}{letter}{'-' if exponent < 0 else '+'}{abs(exponent):02d}"
    )


def _signed(digits: str, negative: bool, field: re.Match[str]) -> str:
    flags = field[2]
    sign = "-" if negative else "+" if "+" in flags else " " if " " in flags else ""
    if negative and "(" in flags:
        return _padded(f"({digits})", field)
    if "0" in flags and field[3]:
        digits = digits.zfill(int(field[3]) - len(sign))
    return _padded(sign + digits, field)


def _padded(text: str, field: re.Match[str]) -> str:
    width = int(field[3] or 0) + len(text) - len(units(text))
    return text.ljust(width) if "-" in field[2] else text.rjust(width)
