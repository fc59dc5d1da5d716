"""CAST of strings. Flink: BinaryStringDataUtil, DateTimeUtils, Java's number parsers.

`boolean`, `integer` and so on raise JobError if the string is not such a value. `try_boolean` and so on
return None.
"""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Callable
from datetime import date as calendar_date
from datetime import datetime, timedelta
from decimal import Decimal
from functools import wraps
from typing import Any

import pyarrow as pa

from firesteel.errors import JobError
from firesteel.functions.duckdb.library.decimals import fit
from firesteel.functions.duckdb.registry import with_result
from firesteel.functions.java.floating_text import parse_double, parse_float
from firesteel.functions.java.time_zones import instant_of

_TRUE = frozenset(["true", "t", "yes", "y", "1"])
_FALSE = frozenset(["false", "f", "no", "n", "0"])
_WHOLE = re.compile(r"([+-]?)([0-9]*)(?:\.([0-9]*))?")
_BIG_DECIMAL = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?")
_COMPACT = re.compile(r"[ \n\t]*([+-]?)([0-9]*)(?:\.([0-9]*))?(.*)", re.DOTALL)
_EXPONENT = re.compile(r"[eE]([+-]?[0-9]+)(.*)", re.DOTALL)
_TIMESTAMP = re.compile(
    r"([0-9]{4})-([0-9]{1,2})-([0-9]{1,2})"
    r"(?: ([0-9]{1,2}):([0-9]{1,2}):([0-9]{1,2})(?:\.([0-9]{0,9}))?)?",
)
_TIME = re.compile(
    r"([0-9]{1,9})\s*(?::\s*([0-9]{1,9})\s*)?(?::\s*([0-9]{1,9})\s*(?:\.\s*([^+-]*))?)?"
    r"(?:([+-])\s*([0-9]{1,9})\s*(?::\s*([0-9]{1,9}))?)?",
    re.ASCII | re.DOTALL,
)
_EPOCH = calendar_date(1970, 1, 1).toordinal()
_DAYS_OF_400_YEARS = 146_097
_SECONDS_OF_DAY = 86_400
_JAVA_BLANKS = "".join(map(chr, range(33)))
_MAX_COMPACT = 18


def _lenient(parse: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(parse)
    def attempt(*args: Any) -> Any:
        try:
            return parse(*args)
        except (JobError, OverflowError, ValueError):
            return None

    return attempt


def boolean(text: str) -> bool:
    word = text.lower()
    if word in _TRUE:
        return True
    if word in _FALSE:
        return False
    raise JobError(f"Cannot parse '{text}' as BOOLEAN.")


def _whole(bits: int) -> Callable[[str], int]:
    limit = 1 << (bits - 1)

    def parse(text: str) -> int:
        trimmed = text.strip(" ")
        match = _WHOLE.fullmatch(trimmed)
        if match is None or trimmed in ("", "+", "-"):
            raise JobError(f"For input string: '{text}'. Invalid character found.")
        value = int(match[1] + (match[2] or "0"))
        if not -limit <= value < limit:
            raise JobError(f"For input string: '{text}'. Overflow.")
        return value

    return parse


tinyint, smallint, integer, bigint = (_whole(bits) for bits in (8, 16, 32, 64))


def _floating(parse: Callable[[str], float]) -> Callable[[str], float]:
    def strict(text: str) -> float:
        try:
            return parse(text)
        except ValueError as error:
            raise JobError(str(error)) from None

    return strict


double, single = _floating(parse_double), _floating(parse_float)


def _overflow(text: str) -> JobError:
    return JobError(f"For input string: '{text}'. Overflow.")


@with_result
def decimal(result: pa.Decimal128Type, text: str) -> Decimal:
    if result.precision > _MAX_COMPACT or len(text.encode()) > _MAX_COMPACT:
        trimmed = text.strip(_JAVA_BLANKS)
        value = Decimal(trimmed) if _BIG_DECIMAL.fullmatch(trimmed) else None
    else:
        value = _compact(text)
    fitting = None if value is None else fit(value, result)
    if fitting is None:
        raise _overflow(text)
    return fitting


def _compact(text: str) -> Decimal | None:
    """Return the number that Flink reads, None for no number.

    As in Flink, one character of any kind and then blanks may follow the number: `12x ` is 12.
    """
    text = text.encode().decode("latin-1")  # Flink reads bytes, not characters.
    match = _COMPACT.match(text)
    if match is None or text.strip(" \n\t") in ("", "+", "-"):
        return None
    sign, whole, fraction, rest = match[1], match[2], match[3] or "", match[4]
    exponent = 0
    power = _EXPONENT.match(rest)
    if power:
        exponent, rest = int(power[1]), power[2]
    elif rest[:1] in ("e", "E") and len(rest) > 1:
        return None
    if rest[1:].strip(" \n\t"):
        return None
    return Decimal(f"{sign}{whole + fraction or '0'}").scaleb(exponent - len(fraction))


def date(text: str) -> int:
    """Return the days since 1970 of a text.

    Month and day may be missing, and text after a blank is ignored.
    """
    wanted = text.strip(" ").split(" ")[0]
    parts = wanted.split("-")
    if not 1 <= len(parts) <= 3 or not all(re.fullmatch("[0-9]+", p) for p in parts):
        raise JobError(f"For input string: '{text}'.")
    try:
        year, month, day = (int(p) for p in (*parts, "1", "1")[:3])
        if year == 0:  # Python has no year 0: use year 400, which has the same days.
            return calendar_date(400, month, day).toordinal() - _DAYS_OF_400_YEARS - _EPOCH
        return calendar_date(year, month, day).toordinal() - _EPOCH
    except (ValueError, OverflowError):
        raise JobError(f"For input string: '{text}'.") from None


def time(text: str, precision: int) -> int:
    """Return the microseconds of the day of a text.

    Minutes and seconds may be missing. An offset may follow, which is added: `7:30+2` is 09:30. An offset
    with minutes, as in `7:30:00+02:30`, requires a time with seconds (DateTimeUtils.parseTime).
    """
    match = _TIME.fullmatch(text.strip(_JAVA_BLANKS))
    hour, minute, second = (int(g or 0) for g in match.groups()[:3]) if match else (99, 99, 99)
    if match is None or hour > 23 or minute > 59 or second > 59 or (match[7] and not match[3]):
        raise JobError(
            f"Invalid time format: '{text}'. Expected format: HH:mm:ss[.fff] where HH is 00-23, "
            "mm is 00-59, ss is 00-59"
        )
    unit: int = 10 ** (6 - min(precision, 3))
    hours, minutes = (int(g or 0) * (-1 if match[5] == "-" else 1) for g in match.groups()[5:])
    seconds = (hour + hours) * 3600 + (minute + minutes) * 60 + second
    return (seconds * 10**6 + _milliseconds(match[4] or "") * 1000 // unit * unit) % (_SECONDS_OF_DAY * 10**6)


def _milliseconds(fraction: str) -> int:
    """Return the milliseconds of `fraction`, the text after the point of a second: `1239` is 124.

    The first three characters are the digits. Any of them that is no digit counts as 0: `1x3` is 103. If the
    fourth character is 5 or higher, 1 is added.
    """
    digits = "".join(c if "0" <= c <= "9" else "0" for c in fraction[:3]).ljust(3, "0")
    return int(digits) + (fraction[3:4] >= "5")


def timestamp(text: str, precision: int, zone: str) -> int:
    """Return the microseconds since 1970 of a text, or nanoseconds if the precision is above 6.

    A day after the end of the month becomes the last day of the month.
    """
    match = _TIMESTAMP.fullmatch(text)
    if match is None:
        raise _unparsed(text)
    year, month, day, hour, minute, second = (int(g or 0) for g in match.groups()[:6])
    later = (
        timedelta(days=1) if (hour, minute, second) == (24, 0, 0) and not int(match[7] or 0) else timedelta()
    )
    try:
        if day > 31:
            raise _unparsed(text)
        moment = datetime(
            year, month, min(day, monthrange(year, month)[1]), 0 if later else hour, minute, second
        )
    except (ValueError, IndexError):
        raise _unparsed(text) from None
    since = moment + later - datetime(1970, 1, 1)
    fraction = (match[7] or "")[:precision].ljust(9, "0")
    nanos = (since.days * 86400 + since.seconds) * 10**9 + int(fraction)
    nanos = nanos if zone == "UTC" else instant_of(nanos, zone)
    if precision > 6 and not -(1 << 63) <= nanos < 1 << 63:
        raise JobError(f"TIMESTAMP({precision}) is held from 1677-09-21 to 2262-04-11, not '{text}'")
    return nanos if precision > 6 else nanos // 1000


def _unparsed(text: str) -> JobError:
    start = re.match(r"[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}", text)
    if start is not None and start.end() < len(text):
        return JobError(f"Text '{text}' could not be parsed, unparsed text found at index {start.end()}")
    return JobError(f"Text '{text}' could not be parsed at index 0")


try_boolean = _lenient(boolean)
try_tinyint, try_smallint, try_integer, try_bigint = map(_lenient, (tinyint, smallint, integer, bigint))
try_double, try_single = _lenient(double), _lenient(single)
try_decimal = with_result(_lenient(decimal))
try_date = _lenient(date)
try_time = _lenient(time)
try_timestamp = _lenient(timestamp)
