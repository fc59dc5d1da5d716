"""Read DECIMALs from JSON values and other texts, exactly for every precision.

A value is `number * 10 ** power`, rounded HALF_UP and limited to the digits of the type. Digits are read in
chunks of up to 18, which fit into one word. Nearly every number has one chunk, and is rounded in this word.
If a number of several chunks must be rounded, it is read again up to the last digit that is kept.
"""

from __future__ import annotations

import numpy as np

from firesteel.kernels.compiler import compiled, inlined, part
from firesteel.kernels.json.cells import DECIMAL, INTEGER, KIND_SHIFT, NULL, STRING, bounds
from firesteel.kernels.types import Bytes, Cells, Flags, Integers
from firesteel.kernels.words import byte_at, high_word

_PLUS, _MINUS, _POINT, _ZERO, _FIVE, _NINE, _LOWER_E, _LOWER_CASE = 43, 45, 46, 48, 53, 57, 101, 32
MOST_DIGITS = 18
"""Number of digits that an int64 always holds."""
_TENS = np.array([10**power for power in range(MOST_DIGITS + 1)], np.int64)
_MOST_EXPONENT = 99
_WIDEST = 38
"""Number of digits that two words always hold."""
_MOST_BYTES = 128
"""Length in bytes above which a number is left to the exact reader."""
_NONE, _THERE, _ODD = range(3)
"""Outcomes of reading a text.

_NONE: a number with too many digits for the type. _THERE: a number that fits the type. _ODD: the text is not
a number, or the exact reader must read it.
"""


@compiled
def read_decimals(
    data: Bytes, cells: Cells, precision: int, scale: int, values: Integers, there: Flags, odd: Flags
) -> None:
    """Read DECIMAL(precision, scale) values, rounded HALF_UP. A number with too many digits becomes NULL.

    Flink: DecimalData.fromBigDecimal(new BigDecimal(text), precision, scale).

    Args:
        data: The bytes in which the cells stand.
        cells: int64[n], the values (cells.py).
        precision: From 1 to 38.
        scale: From 0 to the precision.
        values: int64[n, 2], gets the unscaled values as 128-bit numbers, the lower word first.
        there: bool[n], gets whether `values` has a value. False stands for NULL, unless the cell is odd.
        odd: bool[n], gets whether a cell is not a number, or Java might read it differently.
    """
    for index in range(len(cells)):
        kind = cells[index] >> KIND_SHIFT
        odd[index] = there[index] = False
        values[index, 0] = values[index, 1] = 0
        if kind <= NULL:
            continue
        found, low, high, is_negative = _ODD, 0, 0, False
        if kind == INTEGER or kind == DECIMAL or kind == STRING:
            at, end = bounds(cells[index])
            found, low, high = _read(data, at, end, precision, scale)
            is_negative = at < end and byte_at(data, at) == _MINUS
        odd[index], there[index] = found == _ODD, found == _THERE
        if found != _THERE:
            continue
        if is_negative:
            low, high = -low, ~high + (low == 0)
        values[index, 0], values[index, 1] = low, high


@inlined
def _read(data: Bytes, at: int, end: int, precision: int, scale: int) -> tuple[int, int, int]:
    """Read a text as a DECIMAL, and return the outcome and the low and high word of the unscaled value.

    The outcome is _NONE, _THERE or _ODD. The words count for _THERE only. They are without the sign.
    """
    begin = at
    at += at < end and byte_at(data, at) == _MINUS
    first = at
    number, digits, at, point = _read_chunk(data, at, end, -1, 0)
    power, good = scale - (at - point - 1 if point >= 0 else 0), at - first > (point >= 0)
    if at < end and good:
        if digits == MOST_DIGITS:
            return _read_wide(data, begin, end, at, number, point, precision, scale)
        good = byte_at(data, at) | _LOWER_CASE == _LOWER_E
        if good:
            good, exponent = _exponent(data, at + 1, end)
            power += exponent
    if not good:
        return _ODD, 0, 0
    return _scaled(number, power, precision)


@part
def _read_wide(
    data: Bytes, begin: int, end: int, at: int, low: int, point: int, precision: int, scale: int
) -> tuple[int, int, int]:
    """Read a text from its second chunk on, and return the outcome and words that `_read` returns.

    Args:
        data: The bytes.
        begin: Where the text begins.
        end: Where the text ends.
        at: Where the second chunk begins.
        low: Value of the first chunk, which has MOST_DIGITS digits.
        point: Position of the point, -1 if it is not in the first chunk.
        precision, scale: As for `read_decimals`.
    """
    high, digits, read = 0, MOST_DIGITS, MOST_DIGITS
    while read == MOST_DIGITS and at < end and digits <= _WIDEST:
        number, read, at, point = _read_chunk(data, at, end, point, 1)
        unit = _TENS[read]
        low, high, digits = low * unit + number, high_word(low, high, unit, number), digits + read
    power = scale - (at - point - 1 if point >= 0 else 0)
    if digits > _WIDEST:
        return _read_long(data, begin, end, precision, scale)
    if at < end:
        good, exponent = _exponent(data, at + 1, end)
        if not good or byte_at(data, at) | _LOWER_CASE != _LOWER_E:
            return _ODD, 0, 0
        power += exponent
    if digits == MOST_DIGITS:
        return _scaled(low, power, precision)
    if power < 0:
        return _read_long(data, begin, end, precision, scale)
    if digits + power > precision:
        return _NONE, 0, 0
    low, high = _shifted(low, high, power)
    return _THERE, low, high


@inlined
def _read_chunk(data: Bytes, at: int, end: int, point: int, begun: int) -> tuple[int, int, int, int]:
    """Read up to MOST_DIGITS digits.

    Args:
        data: The bytes.
        at: Where to begin.
        end: Where the text ends.
        point: Position of the point, -1 if it was not read yet.
        begun: 1 if a digit other than 0 was read before, else 0.

    Returns:
        The number; how many digits it has, from the first one that is not 0; the position after it; and the
        position of the point, -1 if it was not read yet.
    """
    number, read = 0, 0
    while at < end and read < MOST_DIGITS:
        byte = byte_at(data, at)
        if _ZERO <= byte <= _NINE:
            number = number * 10 + (byte - _ZERO)
            begun |= byte > _ZERO
            read += begun
        elif byte == _POINT and point < 0:
            point = at
        else:
            break
        at += 1
    return number, read, at, point


@inlined
def read_digits(data: Bytes, at: int, end: int) -> tuple[bool, int, int]:
    """Read data[at:end] as a number of up to MOST_DIGITS digits. Leading zeros do not count.

    Returns:
        Whether it is such a number; and if it is, n and p, so that n * 10 ** p is its value without the sign.
    """
    if at < end and byte_at(data, at) == _MINUS:
        at += 1
    number, digits, count, exponent, point = 0, 0, 0, 0, False
    while at < end:
        byte = byte_at(data, at)
        if byte == _POINT and not point:
            point = True
        elif _ZERO <= byte <= _NINE:
            count += 1
            digits += digits > 0 or byte > _ZERO
            if digits > MOST_DIGITS:
                return False, 0, 0
            number = number * 10 + (byte - _ZERO)
            exponent -= point
        else:
            break
        at += 1
    if at < end and count and byte_at(data, at) | _LOWER_CASE == _LOWER_E:
        good, power = _exponent(data, at + 1, end)
        return good, number, exponent + power
    return at == end and count > 0, number, exponent


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
def _scaled(number: int, power: int, precision: int) -> tuple[int, int, int]:
    """Multiply a number of up to MOST_DIGITS digits by 10 ** power, rounded HALF_UP.

    Returns:
        _THERE, or _NONE if the result has more than `precision` digits; and its low and its high word.
    """
    if number == 0 or power < -MOST_DIGITS:
        return _THERE, 0, 0
    if power <= 0:
        unit = _TENS[-power]
        rounded = number // unit
        rounded += 2 * (number - rounded * unit) >= unit and power < 0
        if precision <= MOST_DIGITS and rounded >= _TENS[precision]:
            return _NONE, 0, 0
        return _THERE, rounded, 0
    if power >= precision or (precision - power < MOST_DIGITS and number >= _TENS[precision - power]):
        return _NONE, 0, 0
    if precision <= MOST_DIGITS:
        return _THERE, number * _TENS[power], 0
    low, high = _shifted(number, 0, power)
    return _THERE, low, high


@inlined
def _shifted(low: int, high: int, power: int) -> tuple[int, int]:
    """Return the low and the high word of a 128-bit number times 10 ** power.

    `power` must not be negative, and the product must be below 2 ** 127.
    """
    while power > 0:
        step = min(power, MOST_DIGITS)
        low, high = low * _TENS[step], high_word(low, high, _TENS[step], 0)
        power -= step
    return low, high


@part
def _read_long(data: Bytes, at: int, end: int, precision: int, scale: int) -> tuple[int, int, int]:
    """Read a number of any length, and return the outcome and the words of its magnitude, as `_read` does."""
    good, begin, digits, exponent = _find_digits(data, at, end)
    if not good or end - at > _MOST_BYTES:
        return _ODD, 0, 0
    kept = digits + exponent + scale
    """Number of digits of the unscaled value. Digits of the text after these are rounded."""
    if kept > precision:
        return _NONE, 0, 0
    if kept < 0:
        return _THERE, 0, 0
    low, high, at = _add_up(data, begin, min(kept, digits))
    if kept >= digits:
        low, high = _shifted(low, high, kept - digits)
        return _THERE, low, high
    at += byte_at(data, at) == _POINT
    if byte_at(data, at) >= _FIVE:
        low, high = low + 1, high_word(low, high, 1, 1)
    limit_low, limit_high = _shifted(1, 0, precision)
    return _NONE if low == limit_low and high == limit_high else _THERE, low, high


@inlined
def _find_digits(data: Bytes, at: int, end: int) -> tuple[bool, int, int, int]:
    """Find the digits of a number.

    Returns:
        Whether the text is a number, the position of its first digit that is not 0, the number of digits from
        there on, and the power of 10 of the last one.
    """
    at += at < end and byte_at(data, at) == _MINUS
    begin, digits, count, exponent, point = at, 0, 0, 0, False
    while at < end:
        byte = byte_at(data, at)
        if byte == _POINT and not point:
            point = True
        elif _ZERO <= byte <= _NINE:
            count += 1
            if digits == 0 and byte > _ZERO:
                begin = at
            digits += digits > 0 or byte > _ZERO
            exponent -= point
        else:
            break
        at += 1
    if at < end and count and byte_at(data, at) | _LOWER_CASE == _LOWER_E:
        good, power = _exponent(data, at + 1, end)
        return good, begin, digits, exponent + power
    return at == end and count > 0, begin, digits, exponent


@inlined
def _add_up(data: Bytes, at: int, count: int) -> tuple[int, int, int]:
    """Return the low and high word of the number of the next `count` digits, and the position after them."""
    low = high = 0
    while count > 0:
        number, read = 0, 0
        while read < MOST_DIGITS and count > 0:
            byte = byte_at(data, at)
            at += 1
            if byte != _POINT:
                number = number * 10 + (byte - _ZERO)
                read += 1
                count -= 1
        unit = _TENS[read]
        low, high = low * unit + number, high_word(low, high, unit, number)
    return low, high, at


def warm() -> None:
    """Load the kernel, or compile it."""
    data, cells, flags = np.zeros(8, np.uint8), np.empty(0, np.int64), np.empty(0, np.bool_)
    data.flags.writeable = False
    read_decimals(data, cells, 1, 0, np.empty((0, 2), np.int64), flags, flags)
