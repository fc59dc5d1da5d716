"""Arithmetic with Java's and Flink's results, where Python's operators differ.

Integers are Python ints, DECIMAL an int multiplied by 10**scale, FLOAT and DOUBLE floats.
"""

from __future__ import annotations

import math
import struct

_FLOAT32 = struct.Struct("<f")
_FLOAT64 = struct.Struct("<d")
_INT64 = struct.Struct("<q")
_NAN_BITS = 0x7FF8000000000000


def wrap(value: int, bits: int) -> int:
    """Return the low `bits` bits as a two's complement number, like an overflow in Java."""
    half = 1 << (bits - 1)
    return ((value + half) & ((1 << bits) - 1)) - half


def truncated(dividend: int, divisor: int) -> int:
    """Divide integers, rounding towards zero like Java."""
    quotient = abs(dividend) // abs(divisor)
    return quotient if (dividend < 0) == (divisor < 0) else -quotient


def half_up(dividend: int, divisor: int) -> int:
    """Divide integers, rounding to the nearest and halves away from zero (RoundingMode.HALF_UP)."""
    quotient = (2 * abs(dividend) + abs(divisor)) // (2 * abs(divisor))
    return quotient if (dividend < 0) == (divisor < 0) else -quotient


def decimal_average(total: int | None, count: int, shift: int, precision: int) -> int | None:
    """Return the average of DECIMALs, rounded HALF_UP.

    Args:
        total: Sum of the values, multiplied by 10**scale; None for NULL.
        count: Number of the values.
        shift: Number of digits by which the scale of the result is larger than that of `total`.
        precision: Maximum number of digits of the result.

    Returns:
        The average, multiplied by 10**(scale + shift). None if `total` is None or the average has too many
        digits.
    """
    if total is None:
        return None
    quotient = half_up(total * 10**shift, count)
    return quotient if abs(quotient) < 10**precision else None


def rescale(value: int | None, shift: int, precision: int) -> int | None:
    """Return a DECIMAL at a scale that is larger by `shift` digits: `value` times 10**shift.

    Return None if `value` is None or the result has more than `precision` digits.
    """
    if value is None:
        return None
    scaled = value * 10**shift
    return scaled if abs(scaled) < 10**precision else None


def from_scaled(value: int, scale: int) -> float:
    """Return a scaled DECIMAL as a DOUBLE."""
    return float(value / 10**scale)


def to_scaled(value: float, scale: int, precision: int) -> int | None:
    """Return a DOUBLE as a scaled DECIMAL, rounded HALF_UP; None if it does not fit or is not finite."""
    if not math.isfinite(value):
        return None
    numerator, denominator = value.as_integer_ratio()
    scaled = half_up(numerator * 10**scale, denominator)
    return scaled if abs(scaled) < 10**precision else None


def to_integer(value: float, bits: int) -> int:
    """Cast a DOUBLE to an integer like Java: towards zero, NaN to 0, saturated at 32 or 64 bits.

    Types below 32 bits are cast to 32 bits first and then wrapped.
    """
    if value != value:
        return 0
    wide = max(bits, 32)
    limit = 1 << (wide - 1)
    whole = int(max(min(value, float(limit)), -float(limit)))
    return wrap(max(min(whole, limit - 1), -limit), bits)


def float32(value: float) -> float:
    """Return the nearest FLOAT."""
    try:
        return float(_FLOAT32.unpack(_FLOAT32.pack(value))[0])
    except OverflowError:
        return math.inf if value > 0 else -math.inf


def square_root(value: float) -> float:
    """Return POWER(value, 0.5) like Java: the correctly rounded square root; 0.0 for -0.0."""
    return math.sqrt(value + 0.0) if value >= 0 else math.nan


def sortable(value: float) -> int:
    """Return a FLOAT or DOUBLE as an integer in the order of Java's Double.compareTo (NaN last)."""
    bits = _NAN_BITS if value != value else int(_INT64.unpack(_FLOAT64.pack(value))[0])
    return bits if bits >= 0 else bits ^ 0x7FFFFFFFFFFFFFFF


def from_sortable(key: int) -> float:
    """Return the number whose `sortable` form is `key`."""
    bits = key if key >= 0 else key ^ 0x7FFFFFFFFFFFFFFF
    return float(_FLOAT64.unpack(_INT64.pack(bits))[0])
