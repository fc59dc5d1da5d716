"""Java's Double.parseDouble and Float.parseFloat: decimal and hexadecimal numbers, rounded once."""

from __future__ import annotations

import re
from fractions import Fraction
from math import copysign, inf, isinf, isnan

import numpy as np

_BLANKS = "".join(map(chr, range(33)))
_NUMBER = re.compile(
    r"([+-]?)(?:(NaN)|(Infinity)|(?:((?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)"
    r"|0[xX]([0-9a-fA-F]*)(?:\.([0-9a-fA-F]*))?[pP]([+-]?\d+))[fFdD]?)",
    re.ASCII,
)
_BEYOND_FLOATS = 2.0**128
"""Value that stands for infinity when floats are compared: the power of two above the largest FLOAT."""


def parse_double(text: str) -> float:
    """Return the DOUBLE nearest to a text.

    Raises:
        ValueError: The text is not a number. The message is Java's.
    """
    sign, nan, _, decimal, whole, fraction, exponent = _match(text).groups("")
    if nan:
        return float("nan")
    if decimal:
        value = float(decimal)
    elif exponent:
        value = _hexadecimal(f"0x{whole}.{fraction}p{exponent}")
    else:
        value = inf
    return -value if sign == "-" else value


def parse_float(text: str) -> float:
    """Return the FLOAT nearest to a text, which may differ from the FLOAT nearest to the text's DOUBLE.

    Raises:
        ValueError: The text is not a number. The message is Java's.
    """
    value = parse_double(text)
    with np.errstate(over="ignore"):
        nearest = np.float32(value)
    if float(nearest) == value or isnan(value) or isinf(value):
        return float(nearest)
    with np.errstate(over="ignore"):  # The next number above the largest FLOAT is infinity.
        other = np.nextafter(nearest, np.float32(inf if value > float(nearest) else -inf))
    if (_finite(nearest) + _finite(other)) / 2 != value:
        return float(nearest)
    exact = _exact(text)  # The DOUBLE is halfway between two FLOATs. The text may be nearer to one of them.
    if exact == value:
        return float(nearest)
    return float(max(nearest, other) if exact > value else min(nearest, other))


def _match(text: str) -> re.Match[str]:
    trimmed = text.strip(_BLANKS)
    match = _NUMBER.fullmatch(trimmed)
    if match is None or (match[7] and not match[5] and not match[6]):
        raise ValueError(f'For input string: "{text}"' if trimmed else "empty String")
    return match


def _hexadecimal(text: str) -> float:
    try:
        return float.fromhex(text)
    except OverflowError:
        return inf


def _finite(value: np.float32) -> float:
    return copysign(_BEYOND_FLOATS, value) if np.isinf(value) else float(value)


def _exact(text: str) -> Fraction:
    """Return the exact number that a text denotes. The DOUBLE of the text must be finite and not zero.

    Otherwise the number may be too large to compute: that of `1e1000000000` has a billion digits.
    """
    sign, _, _, decimal, whole, fraction, exponent = _match(text).groups("")
    if decimal:
        value = Fraction(decimal)
    else:
        value = int(whole + fraction, 16) * Fraction(2) ** (int(exponent) - 4 * len(fraction))
    return -value if sign == "-" else value
