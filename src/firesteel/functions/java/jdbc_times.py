"""java.sql.Date.valueOf and java.sql.Timestamp.valueOf, converted to LocalDate and LocalDateTime.

Both are lenient. Fields may overflow: February 30 is March 1 or 2, 25 o'clock is 1 o'clock of the next day.
Fields may have a sign, and hours, minutes and seconds any number of digits. Before October 1582 the calendar
is Julian, while the result has the same fields in the Gregorian calendar. Year 0 is read as year 1.
"""

from __future__ import annotations

import re

from firesteel.functions.java.calendar import date_of, day_of, gregorian_day

_DATE = r"(.{4})-(.{1,2})-(.{1,2})"
_DAY = re.compile(_DATE, re.DOTALL)
_MOMENT = re.compile(_DATE + r" ([^:]*):([^:]*):([^.]*)(?:\.(\d.{0,8}))?", re.DOTALL)
_NUMBER = re.compile(r"[+-]?\d+")
_SECONDS = 86_400
_MOST = 1 << 31
_FEBRUARY = 2


def day_value_of(text: str) -> int:
    """Return the date that Date.valueOf reads from a text, in days since 1970-01-01.

    Raises:
        ValueError: The text is not a date.
    """
    match = _DAY.fullmatch(text)
    if match is None:
        raise ValueError(f"'{text}' is no date")
    return _day(match, 0)


def timestamp_value_of(text: str) -> int:
    """Return the wall clock that Timestamp.valueOf reads from a text, in nanoseconds since 1970-01-01.

    Raises:
        ValueError: The text is not a timestamp.
    """
    match = _MOMENT.fullmatch(text)
    if match is None:
        raise ValueError(f"'{text}' is no timestamp")
    hour, minute, second = (_number(match[group]) for group in (4, 5, 6))
    nanos = _number((match[7] or "").ljust(9, "0"))
    further, clock = divmod(hour * 3600 + minute * 60 + second, _SECONDS)
    return (_day(match, further) * _SECONDS + clock) * 10**9 + nanos


def _day(match: re.Match[str], further: int) -> int:
    """Return the days since 1970-01-01 of the matched date, plus `further` days."""
    year, month, day = (_number(match[group]) for group in (1, 2, 3))
    if not (1 <= month <= 12 and 1 <= day <= 31):
        raise ValueError(f"'{match[0]}' has no such month or day")
    year, month, day = date_of(day_of(year, month, day) + further)
    shown = year if year > 0 else 1 - year
    made = gregorian_day(shown, month, day)
    if month == _FEBRUARY and made >= gregorian_day(shown, month + 1, 1):
        raise ValueError(f"'{match[0]}' is a day of the Julian calendar alone")
    return made


def _number(text: str) -> int:
    """Return the int that Java's Integer.parseInt reads, or raise ValueError with Java's message."""
    if not _NUMBER.fullmatch(text) or not -_MOST <= int(text) < _MOST:
        raise ValueError(f'For input string: "{text}"')
    return int(text)
