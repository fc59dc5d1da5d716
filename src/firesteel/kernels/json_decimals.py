"""DECIMALs out of JSON values."""

from __future__ import annotations

import numpy as np

from firesteel.kernels.compiler import compiled, inlined
from firesteel.kernels.json_cells import DECIMAL, INTEGER, KIND_SHIFT, NULL, STRING, bounds
from firesteel.kernels.types import Bytes, Cells, Flags, Integers
from firesteel.kernels.words import byte_at

_PLUS, _MINUS, _POINT, _ZERO, _NINE, _LOWER_E, _LOWER_CASE = 43, 45, 46, 48, 57, 101, 32
MOST_DIGITS = 18
"""That an int64 holds for certain."""
_LARGE = 10 ** (MOST_DIGITS - 1)
_MOST_EXPONENT = 99


@compiled
def read_decimals(
    data: Bytes, cells: Cells, precision: int, scale: int, values: Integers, there: Flags, odd: Flags
) -> None:
    """values: int64[n, 2], get the digits of DECIMAL(precision, scale), of MOST_DIGITS at most, as numbers of
    128 bits, rounded HALF_UP. there[i]: whether there is one: NULL, too, is what does not fit. odd[i]:
    whether it is something else than a number, or one with too many digits to be sure.

    Flink: DecimalData.fromBigDecimal(new BigDecimal(text), precision, scale)."""
    limit = 10**precision
    for index in range(len(cells)):
        kind = cells[index] >> KIND_SHIFT
        odd[index] = False
        there[index] = kind > NULL
        values[index, 0] = values[index, 1] = 0
        if kind <= NULL:
            continue
        at, end = bounds(cells[index])
        good, number, exponent = False, 0, 0
        if kind == INTEGER or kind == DECIMAL or kind == STRING:
            good, number, exponent = read_digits(data, at, end)
        if not good:
            odd[index], there[index] = True, False
            continue
        value = _scaled(number, exponent + scale)
        if value < 0 or value >= limit:
            there[index] = False
            continue
        if byte_at(data, at) == _MINUS:
            value = -value
        values[index, 0], values[index, 1] = value, value >> 63


@inlined
def read_digits(data: Bytes, at: int, end: int) -> tuple[bool, int, int]:
    """Whether this is a number, of MOST_DIGITS at most; its digits and the power of 10 they stand for."""
    if at < end and byte_at(data, at) == _MINUS:
        at += 1
    number, digits, seen, exponent, point = 0, 0, 0, 0, False
    while at < end:
        byte = byte_at(data, at)
        if byte == _POINT and not point:
            point = True
        elif _ZERO <= byte <= _NINE:
            seen += 1
            digits += digits > 0 or byte > _ZERO
            if digits > MOST_DIGITS:
                return False, 0, 0
            number = number * 10 + (byte - _ZERO)
            exponent -= point
        else:
            break
        at += 1
    if at < end and seen and byte_at(data, at) | _LOWER_CASE == _LOWER_E:
        good, power = _exponent(data, at + 1, end)
        return good, number, exponent + power
    return at == end and seen > 0, number, exponent


@inlined
def _exponent(data: Bytes, at: int, end: int) -> tuple[bool, int]:
    negative = at < end and byte_at(data, at) == _MINUS
    if at < end and (negative or byte_at(data, at) == _PLUS):
        at += 1
    power, good = 0, at < end
    while good and at < end:
        good = _ZERO <= byte_at(data, at) <= _NINE and power <= _MOST_EXPONENT
        power = power * 10 + (byte_at(data, at) - _ZERO)
        at += 1
    return good, -power if negative else power


@inlined
def _scaled(number: int, power: int) -> int:
    """number * 10 ** power, rounded HALF_UP; -1 where that has more than MOST_DIGITS."""
    while power > 0 and number > 0:
        if number >= _LARGE:
            return -1
        number *= 10
        power -= 1
    half = 0
    while power < 0 and number > 0:
        half = number % 10
        number //= 10
        power += 1
    return number + (half >= 5 and power == 0)


def warm() -> None:
    """Have the kernel loaded, or compiled."""
    data, cells, flags = np.zeros(8, np.uint8), np.empty(0, np.int64), np.empty(0, np.bool_)
    data.flags.writeable = False
    read_decimals(data, cells, 1, 0, np.empty((0, 2), np.int64), flags, flags)
