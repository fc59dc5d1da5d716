"""Read dates, times of day and timestamps from columns of texts.

Only the usual form is read, with four digits for the year and two for each other part:
`2026-11-27`, `08:30:00.123` and `2026-11-27 08:30:00.123456`.
"""

from __future__ import annotations

import numpy as np

from firesteel.kernels.compiler import compiled, inlined
from firesteel.kernels.types import Bytes, Flags, Integers, Offsets

DATE, TIME, TIMESTAMP = range(3)
_DASH, _DOT, _ZERO, _COLON, _Z = 45, 46, 48, 58, 90
_NINE = 9
_DATE_LENGTH, _TIME_LENGTH = 10, 8
_NONE = -(1 << 62)
"""Result of `_days` and `_clock` for a text that is no valid date or time. Smaller than any valid result."""


@compiled
def read_date_times(
    data: Bytes, offsets: Offsets, there: Flags, form: int, between: int, zone: bool,
    digits: int, unit: int, first_year: int, last_year: int, out: Integers, odd: Flags,
) -> None:  # fmt: skip
    """Read a value from each text.

    Args:
        data: The bytes.
        offsets: int32[n + 1]. Text i is data[offsets[i]:offsets[i + 1]].
        there: bool[n], whether there is a text.
        form: DATE, TIME or TIMESTAMP.
        between: Byte between date and time.
        zone: Whether the text ends with `Z`.
        digits: Greatest number of digits of the fraction of a second.
        unit: Units in a second: 1,000,000 for microseconds. A power of ten with at least `digits` zeros.
        first_year: Least year.
        last_year: Greatest year.
        out: int64[n], receives the values: days since 1970, or units since midnight or 1970. 0 for no value.
        odd: bool[n], receives which texts have another form or are no date or time.
    """
    for index in range(len(out)):
        out[index], odd[index] = 0, False
        if not there[index]:
            continue
        at, end = offsets[index], offsets[index + 1]
        days, clock = 0, 0
        if zone:
            if end <= at or data[end - 1] != _Z:
                odd[index] = True
                continue
            end -= 1
        if form != TIME:
            days = _days(data, at, end, first_year, last_year)
            at += _DATE_LENGTH
        if form == TIMESTAMP and days != _NONE:
            days = days if at < end and data[at] == between else _NONE
            at += 1
        if days != _NONE and form != DATE:
            clock = _clock(data, at, end, digits, unit)
        elif at != end:
            clock = _NONE
        if days == _NONE or clock == _NONE:
            odd[index] = True
        else:
            out[index] = days if form == DATE else days * 86400 * unit + clock


@inlined
def _days(data: Bytes, at: int, end: int, first_year: int, last_year: int) -> int:
    """Return the days from 1970-01-01 to the date that begins at `at`, _NONE if there is no valid date."""
    if end - at < _DATE_LENGTH or data[at + 4] != _DASH or data[at + 7] != _DASH:
        return _NONE
    year, month, day = _digits(data, at, 4), _digits(data, at + 5, 2), _digits(data, at + 8, 2)
    if year < first_year or year > last_year or month < 1 or month > 12 or day < 1:
        return _NONE
    leap = year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
    if month == 2:
        longest = 29 if leap else 28
    else:
        longest = 30 + ((month + (month >> 3)) & 1)
    if day > longest:
        return _NONE
    # Count days in years that begin in March: the leap day is then the last day of a year.
    since_march = month - 3 if month > 2 else month + 9
    whole = year if month > 2 else year - 1
    return (
        whole * 365 + whole // 4 - whole // 100 + whole // 400 + (since_march * 153 + 2) // 5 + day - 719469
    )


@inlined
def _clock(data: Bytes, at: int, end: int, digits: int, unit: int) -> int:
    """Return the time data[at:end] as units since midnight, `unit` of which are a second.

    _NONE if the bytes are no valid time, or have more than `digits` digits after the point.
    """
    if end - at < _TIME_LENGTH or data[at + 2] != _COLON or data[at + 5] != _COLON:
        return _NONE
    hour, minute, second = _digits(data, at, 2), _digits(data, at + 3, 2), _digits(data, at + 6, 2)
    if hour < 0 or hour > 23 or minute < 0 or minute > 59 or second < 0 or second > 59:
        return _NONE
    found = (hour * 60 + minute) * 60 + second
    length = end - at - _TIME_LENGTH - 1
    if length < 0:
        return found * unit
    if length < 1 or length > digits or data[at + _TIME_LENGTH] != _DOT:
        return _NONE
    fraction = _digits(data, at + _TIME_LENGTH + 1, length)
    if fraction < 0:
        return _NONE
    rest = unit
    for _ in range(length):
        rest //= 10
    return found * unit + fraction * rest


@inlined
def _digits(data: Bytes, at: int, count: int) -> int:
    """Return the number that `count` digits form, -1 if one of the bytes is not a digit."""
    found = 0
    for position in range(at, at + count):
        digit = int(data[position]) - _ZERO
        if digit < 0 or digit > _NINE:
            return -1
        found = found * 10 + digit
    return found


def warm() -> None:
    """Load the kernel, or compile it."""
    data, offsets, there = np.zeros(8, np.uint8), np.zeros(1, np.int32), np.empty(0, np.bool_)
    for array in (data, offsets, there):
        array.flags.writeable = False
    out, odd = np.empty(0, np.int64), np.empty(0, np.bool_)
    read_date_times(data, offsets, there, DATE, 32, False, 6, 6, 1000, 9999, out, odd)
