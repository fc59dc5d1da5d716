"""Texts of points in time. Flink: DateTimeUtils (formatTimestamp, parseDate, unixTimestamp, convertTz).

DATE_FORMAT of a timestamp and TO_TIMESTAMP follow DateTimeFormatter (functions/java/date_patterns.py,
functions/java/date_time_formatter.py). FROM_UNIXTIME, UNIX_TIMESTAMP, CONVERT_TZ, TO_DATE with a pattern and
DATE_FORMAT of a string follow SimpleDateFormat (functions/java/simple_date_format.py).
"""

from __future__ import annotations

import math
import re
from decimal import Decimal

import pyarrow as pa

from firesteel.errors import JobError
from firesteel.functions.duckdb.library.parsing import timestamp, try_date, try_timestamp
from firesteel.functions.duckdb.registry import with_result
from firesteel.functions.java.date_patterns import checked, formatted
from firesteel.functions.java.date_time_formatter import parsed, steps_of
from firesteel.functions.java.jdbc_times import day_value_of, timestamp_value_of
from firesteel.functions.java.simple_date_format import simple_format, simple_parse
from firesteel.functions.java.time_zones import instant_of, java_zone
from firesteel.types.zones import zone_id

_DAY = 86_400
_MAX_INT = (1 << 31) - 1
_MANY_DIGITS = re.compile("[0-9]{10,}")
_BLANKS = "".join(map(chr, range(33)))
"""Characters that Java's String.trim removes."""
_DEFAULT = "yyyy-MM-dd HH:mm:ss"
_UNREAD = -(1 << 63)
_UNREAD_DAY = 622_191_233
"""Result of TO_DATE, in days since 1970, for a text that does not match the pattern.

Flink converts -2^63 milliseconds since 1970 to days, which overflow 32 bits.
"""
_YEAR_0, _YEAR_9999 = -62_167_219_200, 253_402_300_799


def format_timestamp(value: int, unit: int, pattern: str) -> str:
    """Return DATE_FORMAT of a wall clock. `unit` is the nanoseconds of one count of `value`."""
    checked(pattern)
    days, nanos = divmod(value * unit, _DAY * 10**9)
    return formatted(pattern, days, nanos)


def format_string(text: str, pattern: str) -> str | None:
    """Return DATE_FORMAT of a string, NULL if the string is not like `2024-05-20 12:30:00`."""
    millis = simple_parse(_DEFAULT, text, "UTC")
    return None if millis is None else simple_format(pattern, millis, "UTC")


def to_date(text: str) -> int | None:
    """Return TO_DATE of a text in days since 1970, NULL if the text is no date.

    Raises:
        JobError: The year, month or day is a number above Java's int. Flink fails, too.
    """
    if _MANY_DIGITS.search(text):
        for part in text.strip(" ").split(" ")[0].split("-"):
            digits = part.lstrip("0")[:11]
            if _MANY_DIGITS.fullmatch(part) and digits and int(digits) > _MAX_INT:
                raise JobError(f'For input string: "{part}"')
    found: int | None = try_date(text)
    return found


def to_date_by(text: str, pattern: str) -> int:
    """Return TO_DATE with a pattern. It is lenient: February 29 of 2023 is March 1."""
    millis = simple_parse(pattern, text, "UTC")
    return _UNREAD_DAY if millis is None else millis // (_DAY * 1000)


def to_timestamp(text: str) -> int | None:
    """Return TO_TIMESTAMP in microseconds, truncated to milliseconds. NULL if the text is no timestamp."""
    found: int | None = try_timestamp(text, 3, "UTC")
    return found


def to_timestamp_by(text: str, pattern: str) -> int | None:
    """Return TO_TIMESTAMP with a pattern, in microseconds.

    A text that does not match the pattern is read in JDBC's format (`_jdbc`). The result is NULL if the text
    has neither format, if the pattern is invalid, or if the fields are no valid date. For such fields,
    TO_TIMESTAMP_LTZ raises JobError.
    """
    try:
        nanos = _read(text, pattern, 3)
    except JobError:
        return None
    return None if nanos is None else nanos // 1000


def _read(text: str, pattern: str, digits: int) -> int | None:
    """Return the wall clock of a text in nanoseconds since 1970.

    If the text matches the pattern, the seconds are truncated to `digits` fractional digits. If it does not
    match, it is read in JDBC's format (`_jdbc`), and not truncated. The result is None if the text has
    neither format, or if the pattern is invalid.

    Raises:
        JobError: The text matches the pattern, but the fields are no valid date.
    """
    if steps_of(pattern) is None:
        return None
    found = parsed(pattern, text)
    if found is None:
        return _jdbc(text.strip(_BLANKS))
    unit = 10 ** (9 - digits)
    cut: int = found // unit * unit
    return cut


def instant_by(text: str, pattern: str) -> int | None:
    """Return the time in UTC that a text names, in microseconds since 1970.

    A text that matches the pattern is truncated to milliseconds. A text that does not match is read in JDBC's
    format (`_jdbc`). The result is NULL if the text has neither format, or if the pattern is invalid.

    Raises:
        JobError: The fields are no valid date.
    """
    nanos = _read(text, pattern, 3)
    return None if nanos is None else nanos // 1000


@with_result
def to_instant_of(
    result: pa.TimestampType, text: str, pattern: str | None = None, zone: str = "UTC"
) -> int | None:
    """Return TO_TIMESTAMP_LTZ of a string, as a count of the unit of `result`.

    With a pattern, the result is NULL if the zone is unknown, the pattern is invalid, or the text is no time.

    Args:
        result: Type of the result.
        text: The string.
        pattern: Pattern for DateTimeFormatter. None: the format of SQL, in UTC.
        zone: Time zone of the text, if there is a pattern.

    Raises:
        JobError: Without a pattern, the text is no time. With a pattern, its fields are no valid date.
    """
    if pattern is None:
        return _strict(text)
    known = zone_id(zone)
    last = len(pattern) - len(pattern.rstrip("S"))
    nanos = _read(text, pattern, min(9, max(3, last))) if known is not None else None
    if nanos is None or known is None:
        return None
    return _in_unit(instant_of(nanos, known), result)


@with_result
def instant_of_number(
    result: pa.TimestampType, value: int | float | Decimal, precision: int = 3
) -> int | None:
    """Return TO_TIMESTAMP_LTZ of a number of units of 10^-precision seconds.

    Returns:
        NULL outside the years 0 to 9999.

    Raises:
        JobError: The precision is not between 0 and 9.
    """
    if not 0 <= precision <= 9:
        raise JobError(f"Precision for TO_TIMESTAMP_LTZ must be between 0 and 9 but was {precision}.")
    if isinstance(value, float):
        if not math.isfinite(value):
            return _in_unit(0, result) if math.isnan(value) else None
        if not _YEAR_0 <= value / 10.0**precision <= _YEAR_9999:
            return None
        nanos = max(-(1 << 63), min((1 << 63) - 1, int(value * 10.0 ** (9 - precision))))
        return _in_unit(nanos, result)
    nanos = int(value) * 10 ** (9 - precision)
    return _in_unit(nanos, result) if _YEAR_0 <= nanos // 10**9 <= _YEAR_9999 else None


def _strict(text: str) -> int:
    found: int = timestamp(text, 3, "UTC")
    return found


def _in_unit(nanos: int, result: pa.TimestampType) -> int:
    """Return nanoseconds as a count of the result's unit.

    Raises:
        JobError: Nanoseconds cannot represent the year.
    """
    if result.unit != "ns":
        return nanos // 1000
    if not -(1 << 63) <= nanos < 1 << 63:
        raise JobError("A TIMESTAMP of more than 6 digits is held from 1677-09-21 to 2262-04-11 only")
    return nanos


def from_unixtime(seconds: int, zone: str, pattern: str = _DEFAULT) -> str:
    millis = (seconds * 1000 + (1 << 63)) % (1 << 64) - (1 << 63)
    return simple_format(pattern, millis, zone)


def unix_timestamp(text: str, zone: str, pattern: str = _DEFAULT) -> int:
    """Return UNIX_TIMESTAMP of a text: whole seconds, or -9223372036854775808 for an invalid text."""
    millis = simple_parse(pattern, text, zone)
    if millis is None:
        return _UNREAD
    return millis // 1000 if millis >= 0 else -(-millis // 1000)


def convert_tz(text: str, source: str, target: str) -> str | None:
    """Return the wall clock that the zone `target` shows when `source` shows `text`.

    An unknown zone counts as GMT. The result is NULL if the text is not like `2024-05-20 12:30:00`.
    """
    millis = simple_parse(_DEFAULT, text, java_zone(source))
    return None if millis is None else simple_format(_DEFAULT, millis, java_zone(target))


def _jdbc(text: str) -> int | None:
    """Return the nanoseconds since 1970 of a text in the format of java.sql.Timestamp or java.sql.Date.

    A text with a blank must be a Timestamp, other texts a Date. None if the text does not have this format.
    """
    try:
        if " " in text:
            return timestamp_value_of(text)
        return day_value_of(text) * _DAY * 10**9
    except ValueError:
        return None
