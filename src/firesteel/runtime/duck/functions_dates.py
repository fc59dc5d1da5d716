"""Texts of points in time. Flink: DateTimeUtils (formatTimestamp, parseDate, unixTimestamp, convertTz).

What reads and writes by DateTimeFormatter is exact and proleptic; FROM_UNIXTIME, UNIX_TIMESTAMP, CONVERT_TZ,
TO_DATE with a pattern and DATE_FORMAT of a string go through SimpleDateFormat: lenient, a text may go
on after what the pattern reads, Julian before 1582, no local mean time before 1900.
"""

from __future__ import annotations

import math
import re
from datetime import date, datetime, timedelta, timezone, tzinfo
from decimal import Decimal

from firesteel.errors import JobError
from firesteel.runtime.duck.functions_parsing import timestamp, try_date, try_timestamp
from firesteel.runtime.duck.functions_times import instant_of
from firesteel.runtime.duck.java_dates import (
    checked,
    formatted,
    julian_date,
    julian_day,
    parsed,
    pieces_of,
)
from firesteel.types.zones import zone_of

_DAY = 86_400
_EPOCH = date(1970, 1, 1)
_DEFAULT = "yyyy-MM-dd HH:mm:ss"
_UNPARSED = -(1 << 63)
_SHORT = {"PST": "America/Los_Angeles", "CST": "America/Chicago", "IST": "Asia/Kolkata", "JST": "Asia/Tokyo"}
_YEAR_1 = -62_135_596_800
_FAR = float(1 << 62)
_YEAR_1900 = -2_208_988_800


def format_timestamp(value: int, unit: int, pattern: str) -> str:
    """DATE_FORMAT of a wall clock; `unit` is the nanoseconds of one count of `value`."""
    checked(pattern)
    days, nanos = divmod(value * unit, _DAY * 10**9)
    return formatted(pattern, _EPOCH + timedelta(days=days), nanos)


def format_string(text: str, pattern: str) -> str | None:
    """DATE_FORMAT of a string."""
    seconds = _simple_parse(_DEFAULT, text, "UTC")
    return None if seconds is None else _simple_format(pattern, seconds, "UTC")


def to_date(text: str) -> int | None:
    found: int | None = try_date(text)
    return found


def to_date_by(text: str, pattern: str) -> int | None:
    """TO_DATE with a pattern, lenient: February 29 of 2023 is March 1. What cannot be read is NULL."""
    seconds = _simple_parse(pattern, text, "UTC")
    return None if seconds is None or seconds < _YEAR_1 else seconds // _DAY


def to_timestamp(text: str) -> int | None:
    """Microseconds of milliseconds."""
    found: int | None = try_timestamp(text, 3, "UTC")
    return found


def to_timestamp_by(text: str, pattern: str) -> int | None:
    """TO_TIMESTAMP with a pattern; a text that does not follow it may still be one of JDBC's."""
    found = parsed(pattern, text)
    if found is None:
        return _jdbc(text.strip())
    day, nanos = found
    return ((day - _EPOCH).days * _DAY * 1000 + nanos // 10**6) * 1000


def to_instant_of(text: str, pattern: str | None = None, zone: str = "UTC") -> int | None:
    """TO_TIMESTAMP_LTZ of a string: read in UTC unless a zone is given."""
    if pattern is None:
        strict: int = timestamp(text, 3, "UTC")
        return strict
    micros = to_timestamp_by(text, pattern)
    return None if micros is None else instant_of(micros * 1000, java_zone(zone)) // 1000


def instant_of_number(value: int | float | Decimal, precision: int = 3) -> int | None:
    """TO_TIMESTAMP_LTZ of a number: `value` counts units of 10^-precision seconds. NULL beyond year 9999."""
    if not 0 <= precision <= 9:
        raise JobError(f"Precision for TO_TIMESTAMP_LTZ must be between 0 and 9 but was {precision}.")
    if precision <= 3:  # kept to the millisecond
        if not abs(float(value)) <= _FAR:
            return None
        millis = Decimal(str(value)).scaleb(3 - precision)
        micros = (math.floor(millis) if isinstance(value, float) else int(millis)) * 1000
    else:
        micros = math.floor(value) * 10**6 // 10**precision
    return micros if -62_135_596_800 * 10**6 <= micros < 253_402_300_800 * 10**6 else None


def offset_micros(micros: int, zone: str) -> int:
    """The offset of an instant in a zone, as Java's TimeZone has it."""
    return _offset(micros // 10**6, zone) * 10**6


def from_unixtime(seconds: int, zone: str, pattern: str = _DEFAULT) -> str:
    return _simple_format(pattern, seconds, zone)


def unix_timestamp(text: str, zone: str, pattern: str = _DEFAULT) -> int:
    """Seconds; -9223372036854775808 for what cannot be read."""
    found = _simple_parse(pattern, text, zone)
    return _UNPARSED if found is None else found


def convert_tz(text: str, source: str, target: str) -> str | None:
    """A wall clock of one zone as the other shows it; an unknown zone is UTC."""
    seconds = _simple_parse(_DEFAULT, text, java_zone(source))
    return None if seconds is None else _simple_format(_DEFAULT, seconds, java_zone(target))


def java_zone(name: str) -> str:
    """The zone that Java's TimeZone takes a name for: UTC for one that it does not know."""
    offset = re.fullmatch(r"GMT([+-])(\d{1,2})(?::?(\d{2}))?", name)
    if offset:
        return name
    try:
        zone_of(_SHORT.get(name, name))
    except (KeyError, ValueError, OSError):
        return "UTC"
    return _SHORT.get(name, name)


def _offset(seconds: int, zone: str) -> int:
    """Seconds east of Greenwich at an instant; before 1900 the zone's standard time of then."""
    fixed = re.fullmatch(r"GMT([+-])(\d{1,2})(?::?(\d{2}))?", zone)
    if fixed:
        total = int(fixed[2]) * 3600 + int(fixed[3] or 0) * 60
        return -total if fixed[1] == "-" else total
    moment = min(max(seconds, _YEAR_1900), 253_402_214_400)
    found = zone_of(zone)
    if seconds < _YEAR_1900:
        return _standard_offset(found)
    local = (datetime(1970, 1, 1, tzinfo=timezone.utc) + timedelta(seconds=moment)).astimezone(found)
    return round((local.utcoffset() or timedelta()).total_seconds())


def _standard_offset(zone: tzinfo) -> int:
    """The offset without daylight saving time that the zone has today."""
    for month in (1, 7):
        moment = datetime(2024, month, 1, tzinfo=zone)
        if not moment.dst():
            return round((moment.utcoffset() or timedelta()).total_seconds())
    return 0


def _instant(local: int, zone: str) -> int:
    """The instant of a wall clock: in a gap moved on; of two, the later one, as Java's calendar takes."""
    later = local - _offset(local - _offset(local, zone), zone)
    after = local - _offset(local + _DAY, zone)
    before = local - _offset(local - _DAY, zone)
    if before == after:
        return before
    valid = [s for s in (before, after) if s + _offset(s, zone) == local]
    return max(valid) if valid else before if later != before else later


def _simple_format(pattern: str, seconds: int, zone: str) -> str:
    days, second = divmod(seconds + _offset(seconds, zone), _DAY)
    year, month, day = julian_date(days)
    if year <= 9999 and days > -141_427 + 1:
        return formatted(pattern, _EPOCH + timedelta(days=days), second * 10**9)
    numbers = {"y": year, "M": month, "d": day, "H": second // 3600, "m": second // 60 % 60, "s": second % 60}
    try:
        return "".join(t if not n else str(numbers[t]).zfill(n) for t, n in pieces_of(pattern))
    except KeyError:
        return formatted(pattern, _EPOCH + timedelta(days=days), second * 10**9)


def _simple_parse(pattern: str, text: str, zone: str) -> int | None:
    """Seconds since the epoch, or None: every number may have any value, the text may go on."""
    values: dict[str, int] = {}
    at, pieces = 0, pieces_of(pattern)
    for i, (piece, count) in enumerate(pieces):
        if not count:
            if not text.startswith(piece, at):
                return None
            at += len(piece)
            continue
        adjacent = i + 1 < len(pieces) and pieces[i + 1][1] > 0
        found = _simple_value(piece, count, adjacent, text, at)
        if found is None:
            return None
        values[piece], at = found
    local = julian_day(values.get("y", 1970), values.get("M", 1), values.get("d", 1)) * _DAY
    local += values.get("H", values.get("h", 0)) * 3600 + values.get("m", 0) * 60 + values.get("s", 0)
    local += values.get("S", 0) // 1000
    if "X" in values or "Z" in values:
        return local - values.get("X", values.get("Z", 0))
    return _instant(local, zone)


def _simple_value(letter: str, count: int, adjacent: bool, text: str, at: int) -> tuple[int, int] | None:
    if letter not in "yMdHhmsSXZ":
        raise JobError(f"Illegal pattern character '{letter}'")
    if letter in "XZ":
        zoned = re.compile(r"Z|([+-])(\d{2}):?(\d{2})?").match(text, at)
        if zoned is None:
            return None
        total = int(zoned[2] or 0) * 3600 + int(zoned[3] or 0) * 60
        return (-total if zoned[1] == "-" else total), zoned.end()
    end = at + count if adjacent else len(text)
    number = re.compile(r"\s*-?\d{1,18}").match(text, at, end)
    return None if number is None else (int(number[0]), number.end())


def _jdbc(text: str) -> int | None:
    """java.sql.Timestamp.valueOf, or Date.valueOf of a text without a blank: days may run over the month."""
    match = re.fullmatch(
        r"(\d{4})-(\d{1,2})-(\d{1,2})(?: +(\d{1,2}):(\d{1,2}):(\d{1,2})(?:\.(\d{1,9}))?)?", text
    )
    if match is None:
        return None
    year, month, day, hour, minute, second = (int(g or 0) for g in match.groups()[:6])
    if not (1 <= month <= 12 and 1 <= day <= 31) or year < 1:
        return None
    days = (date(year, month, 1) - _EPOCH).days + day - 1
    if (1582, 10, 4) < (year, month, day) < (1582, 10, 15):
        days += 10  # days that Java's calendar leaves out
    millis = int((match[7] or "").ljust(9, "0")[:3])
    return ((days * _DAY + hour * 3600 + minute * 60 + second) * 1000 + millis) * 1000
