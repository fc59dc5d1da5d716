"""Write JSON numbers as the texts that Java gives them."""

from __future__ import annotations

import numpy as np

from firesteel.kernels.compiler import compiled, inlined, part
from firesteel.kernels.json.cells import DECIMAL, KIND_SHIFT, bounds
from firesteel.kernels.json.decimals import read_digits
from firesteel.kernels.types import Bytes, Cells, Flags, Offsets
from firesteel.kernels.words import byte_at

TEXT_BYTES = 32
"""Maximum number of bytes of a number's text."""
UNSURE = -1
"""Result for a number for which Java's text is not certain."""
SURE_DIGITS = 15
"""Maximum number of digits of a number that Java surely writes with the same digits as the message.

Java reads the number as a double. It writes the shortest decimal number that reads as this double. Two
different numbers of up to 15 digits never read as the same double. So this shortest number is the number in
the message, without zeros at its end.
"""
_ROUNDED, _NOT_WHOLE = 15, 19
"""Powers of 10: the text of a double from 10^_ROUNDED up to 10^_NOT_WHOLE is UNSURE.

This range includes the doubles from 2^53 (9.0e15) up to 2^63 (9.2e18), for which Java before version 19 may
write more digits than necessary. types/primitive_text.py explains the reason.
"""
_MOST_POWER = 300
_TENS = np.array([10**power for power in range(SURE_DIGITS + 1)], np.int64)
_PLUS, _MINUS, _POINT, _ZERO, _UPPER_E = 43, 45, 46, 48, 69
_DOUBLES_LEAST, _DOUBLES_MOST, _DECIMALS_LEAST = -3, 6, -6
"""Bounds of the numbers that Java writes without an exponent, as the power of 10 of the first digit.

Doubles: from _DOUBLES_LEAST (0.001) to _DOUBLES_MOST (9999999.0). Decimals: from _DECIMALS_LEAST (0.000001)
upwards, except for whole multiples of 10, which have an exponent:

    1234567890.5 -> 1234567890.5
    100          -> 1E+2
"""


@compiled
def write_numbers(
    data: Bytes, cells: Cells, as_decimals: bool, offsets: Offsets, out: Bytes, odd: Flags
) -> None:
    """Write the texts of numbers with a fraction or an exponent (`write_number`).

    Args:
        data: The bytes.
        cells: n cells.
        as_decimals: As in `write_number`.
        offsets: int32[n + 1], receives the bounds of the texts. Text i is out[offsets[i]:offsets[i + 1]].
        out: uint8[n * TEXT_BYTES], receives the texts.
        odd: bool[n], receives True for a value without a text: it is not a number with a fraction or an
            exponent, or Java's text of the number is not certain (UNSURE).
    """
    place = 0
    offsets[0] = 0
    for index in range(len(cells)):
        at, end = bounds(cells[index])
        behind = UNSURE
        if cells[index] >> KIND_SHIFT == DECIMAL:
            behind = write_number(data, at, end, as_decimals, out, place)
        odd[index] = behind < 0
        place = max(place, behind)
        offsets[index + 1] = place


@part
def write_number(data: Bytes, at: int, end: int, as_decimals: bool, out: Bytes, place: int) -> int:
    """Write the text of a number, as Java gives it, to out[place:].

    Java's text is that of Double.toString or BigDecimal.toString. It is not certain, so the result is UNSURE,
    for 0, for numbers of more than 15 digits (without zeros at the end), for numbers from 10^301 on or below
    10^-300, and for doubles from 10^15 up to 10^19.

    Args:
        data: The bytes.
        at: Begin of the number.
        end: End of the number.
        as_decimals: True: write it as a BigDecimal without trailing zeros. False: write it as a double.
        out: Receives up to TEXT_BYTES bytes.
        place: Position in `out`.

    Returns:
        The position after the text, or UNSURE.
    """
    good, number, exponent = read_digits(data, at, end)
    while number > 0 and number % 10 == 0:
        number //= 10
        exponent += 1
    size = _size(number)
    power = exponent + size - 1
    if not good or not 0 < size <= SURE_DIGITS or abs(power) > _MOST_POWER:
        return UNSURE
    if not as_decimals and _ROUNDED <= power < _NOT_WHOLE:
        return UNSURE
    if byte_at(data, at) == _MINUS:
        out[place] = _MINUS
        place += 1
    if as_decimals:
        is_plain = exponent <= 0 and power >= _DECIMALS_LEAST
    else:
        is_plain = _DOUBLES_LEAST <= power <= _DOUBLES_MOST
    if is_plain:
        return _plain(number, size, power, not as_decimals, out, place)
    return _scientific(number, size, power, as_decimals, out, place)


@inlined
def _size(number: int) -> int:
    """Return the number of digits, 0 for 0."""
    size = 0
    while size <= SURE_DIGITS and number >= _TENS[size]:
        size += 1
    return size


@inlined
def _digit(number: int, size: int, index: int) -> int:
    """Return one digit of a number of `size` digits as an ASCII code. Index 0 is the leftmost digit.

    For an index below 0 or from `size` on, return the code of "0".
    """
    return _ZERO + (number // _TENS[size - 1 - index]) % 10 if 0 <= index < size else _ZERO


@inlined
def _plain(number: int, size: int, power: int, with_fraction: bool, out: Bytes, place: int) -> int:
    """Write a number of `size` digits without an exponent, and return the position after it.

    `power` is the power of 10 of the number's first digit. With `with_fraction`, the text has a point and at
    least one digit after it, as in `7.0`.
    """
    last = min(power - size + 1, -1 if with_fraction else 0)
    for weight in range(max(power, 0), last - 1, -1):
        if weight == -1:
            out[place] = _POINT
            place += 1
        out[place] = _digit(number, size, power - weight)
        place += 1
    return place


@inlined
def _scientific(number: int, size: int, power: int, as_decimals: bool, out: Bytes, place: int) -> int:
    """Write a number as one digit, a point, other digits and an exponent. Return the position after it."""
    for index in range(size if as_decimals else max(size, 2)):
        if index == 1:
            out[place] = _POINT
            place += 1
        out[place] = _digit(number, size, index)
        place += 1
    out[place] = _UPPER_E
    place += 1
    if power < 0 or as_decimals:
        out[place] = _MINUS if power < 0 else _PLUS
        place += 1
    places = _size(abs(power))
    for index in range(places):
        out[place] = _digit(abs(power), places, index)
        place += 1
    return place


def warm() -> None:
    """Load the kernel, or compile it."""
    data, cells = np.zeros(8, np.uint8), np.empty(0, np.int64)
    write_numbers(data, cells, True, np.empty(1, np.int32), data, np.empty(0, np.bool_))
