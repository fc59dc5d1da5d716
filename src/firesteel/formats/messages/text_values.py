"""Parsers of text to values of SQL types, by the rules of the Java methods that Flink's formats call.

Values fit into Arrow columns (types/arrow.py): DATE in days, TIME in microseconds, TIMESTAMP in microseconds
(nanoseconds above precision 6), DECIMAL as decimal.Decimal. A function raises ValueError if Java throws.
"""

from __future__ import annotations

import binascii
import re
from datetime import date
from decimal import ROUND_HALF_UP, Context, Decimal

import numpy as np

from firesteel.formats.messages.json_limits import big_decimal

_TRIMMED = "".join(map(chr, range(33)))
_INTEGER = re.compile(r"[+-]?\d+")
_DECIMAL = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?")
_DATE = re.compile(r"([+-]?)(\d{4,9})-(\d\d)-(\d\d)", re.ASCII)
_TIME = re.compile(r"(\d\d):(\d\d):(\d\d)(?:\.(\d{0,9}))?", re.ASCII)
_ISO_TIME = re.compile(r"(\d\d):(\d\d)(?::(\d\d)(?:\.(\d{0,9}))?)?", re.ASCII)
_BASE64_GROUP = re.compile(r"[A-Za-z0-9+/]{4}|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{2}==")
_BASE64 = re.compile(rf"(?:[\0-\x20]*(?:{_BASE64_GROUP.pattern}))*[\0-\x20]*")
_SURROGATE = re.compile("[\ud800-\udfff]")
_DAYS_IN_MONTH = (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
_EPOCH = date(1970, 1, 1).toordinal()
_DAYS_IN_400_YEARS = 146097
_WIDE = Context(prec=3000, Emax=10**12, Emin=-(10**12))
_MOST_DIGITS = 19
"""Maximum number of digits of a 64-bit integer."""
_MOST_POWERS = 536_870_919
"""Highest power of ten that Java's BigInteger.pow accepts."""
_MICROS_PER_DAY = 86_400_000_000
_NANOS_PER_DAY = 1000 * _MICROS_PER_DAY


def trim(text: str) -> str:
    """Return the text without characters up to U+0020 at both ends (Java: String.trim)."""
    return text.strip(_TRIMMED)


def integer(text: str, bits: int) -> int:
    """Return an integer of `bits` bits (Java: Integer.parseInt, Long.parseLong). The text is not trimmed."""
    if not _INTEGER.fullmatch(text):
        raise ValueError(f'For input string: "{text}"')
    digits = text.lstrip("+-").lstrip("0")  # int() fails for more than 4,300 digits.
    if len(digits) > _MOST_DIGITS:
        raise ValueError(f'Value out of range. Value:"{text}"')
    value = int(digits or "0")
    return ranged(-value if text.startswith("-") else value, bits)


def ranged(value: int, bits: int) -> int:
    """Return the value unchanged.

    Raises:
        ValueError: `bits` bits cannot hold the value.
    """
    if not -(1 << (bits - 1)) <= value < 1 << (bits - 1):
        raise ValueError(f'Value out of range. Value:"{value}"')
    return value


def boolean(text: str) -> bool:
    """Return whether the text is `true`, in any case (Java: Boolean.parseBoolean)."""
    return text.lower() == "true"


def decimal(text: str, precision: int, scale: int) -> Decimal | None:
    """Return a DECIMAL, rounded HALF_UP to the scale; None if the precision does not hold it.

    Flink: new BigDecimal(text), then DecimalData.fromBigDecimal.
    """
    if not _DECIMAL.fullmatch(text):
        raise ValueError(f"Character array is not a decimal number: {text!r}")
    value = big_decimal(text)
    _check_powers(value, scale)
    return rounded(value, precision, scale)


def _check_powers(value: Decimal, scale: int) -> None:
    """Raise ValueError if a change of the value's scale to `scale` needs too high a power of ten for Java.

    Java's BigDecimal multiplies or divides the unscaled value by this power (see _MOST_POWERS).
    """
    more = scale + int(value.as_tuple().exponent)
    if not -_MOST_POWERS <= more <= _MOST_POWERS and (value or more < 0):
        raise ValueError("BigInteger would overflow supported range")


def rounded(value: Decimal, precision: int, scale: int) -> Decimal | None:
    """Return the value rounded HALF_UP to the scale, or None if the precision does not hold it."""
    if value and value.adjusted() > precision:
        return None
    if value and value.adjusted() < -scale - 2:
        return Decimal(0).scaleb(-scale)
    result = value.quantize(Decimal(1).scaleb(-scale), rounding=ROUND_HALF_UP, context=_WIDE)
    return result if len(result.as_tuple().digits) <= precision or not result else None


def day(text: str, *, smart: bool = False) -> int:
    """Return the days since 1970 of a date as in Java's DateTimeFormatter.ISO_LOCAL_DATE.

    Args:
        text: The date, such as `2026-01-31`.
        smart: If True, day 29 to 31 of a shorter month is its last day (ResolverStyle.SMART). If False, it
            raises ValueError.
    """
    match = _DATE.fullmatch(text)
    if match is None:
        raise ValueError(f"Text '{text}' could not be parsed")
    sign, digits, month_text, day_text = match.groups()
    if (sign == "+" and len(digits) == 4) or (not sign and len(digits) > 4):
        raise ValueError(f"Text '{text}' could not be parsed at index 0")
    year, month, number = int(sign + digits), int(month_text), int(day_text)
    if not (1 <= month <= 12 and 1 <= number <= 31) or (sign == "-" and year == 0):
        raise ValueError(f"Text '{text}' could not be parsed: invalid value")
    leap = year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
    last = 29 if month == 2 and leap else _DAYS_IN_MONTH[month - 1]
    if number > last and not smart:
        raise ValueError(f"Text '{text}' could not be parsed: invalid date")
    cycles, in_cycle = divmod(year - 2000, 400)
    days = date(2000 + in_cycle, month, min(number, last)).toordinal() - _EPOCH
    return days + cycles * _DAYS_IN_400_YEARS


def date_days(text: str) -> int:
    """Return a DATE in days since 1970, wrapped to 32 bits, as Flink casts it to an int."""
    return (day(text) + (1 << 31)) % (1 << 32) - (1 << 31)


def nanos_of_day(text: str, *, iso: bool = False, smart: bool = False) -> int:
    """Return the nanoseconds since midnight of a time `HH:mm:ss[.n]`.

    Args:
        text: The time.
        iso: Whether the seconds may be left out.
        smart: If True, 24:00:00 is the end of the day (ResolverStyle.SMART). If False, it raises ValueError.
    """
    match = (_ISO_TIME if iso else _TIME).fullmatch(text)
    if match is None:
        raise ValueError(f"Text '{text}' could not be parsed")
    hour, minute, second = (int(part or 0) for part in match.groups()[:3])
    nanos = (hour * 3600 + minute * 60 + second) * 10**9 + int((match.group(4) or "").ljust(9, "0"))
    if minute > 59 or second > 59 or nanos > _NANOS_PER_DAY - (not smart):
        raise ValueError(f"Text '{text}' could not be parsed: invalid value")
    return nanos


def time_micros(text: str) -> int:
    """Return a TIME in microseconds, cut to milliseconds as in Flink. 24:00:00 becomes 00:00:00."""
    return nanos_of_day(text, smart=True) % _NANOS_PER_DAY // 1_000_000 * 1000


def timestamp(text: str, *, iso: bool, zoned: bool, nanos: bool) -> int:
    """Return a TIMESTAMP or TIMESTAMP_LTZ in micro- or nanoseconds since 1970.

    Args:
        text: The timestamp.
        iso: Whether the format is ISO-8601, else SQL (json.timestamp-format.standard).
        zoned: Whether it is a TIMESTAMP_LTZ, which ends with `Z`.
        nanos: Whether to return nanoseconds.
    """
    body = text
    if zoned:
        if not text.endswith("Z"):
            raise ValueError(f"Text '{text}' could not be parsed")
        body = text[:-1]
    separator = "T" if iso else " "
    if iso and not zoned:
        body = body.replace("t", "T")
    day_text, found, time_text = body.partition(separator)
    if not found:
        raise ValueError(f"Text '{text}' could not be parsed")
    smart = zoned or not iso
    try:
        days, within = day(day_text, smart=smart), nanos_of_day(time_text, iso=iso, smart=smart)
    except ValueError:
        raise ValueError(f"Text '{text}' could not be parsed") from None
    return fitting(days * _NANOS_PER_DAY + within if nanos else days * _MICROS_PER_DAY + within // 1000)


def fitting(value: int) -> int:
    """Return a point in time unchanged.

    Raises:
        ValueError: 64 bits cannot hold the value.
    """
    if not -(1 << 63) < value < 1 << 63:
        raise ValueError("the timestamp is outside the range that a column can hold")
    return value


def base64(text: str) -> bytes:
    """Return the bytes of a base64 text (Jackson: Base64Variants.MIME_NO_LINEFEEDS).

    Padding is required. White space is allowed between groups of four characters.
    """
    if not _BASE64.fullmatch(text):
        raise ValueError("Failed to decode the value as base64 (MIME-NO-LINEFEEDS)")
    return b"".join(binascii.a2b_base64(group) for group in _BASE64_GROUP.findall(text))


def narrowed(value: float) -> float:
    """Return a double rounded to a float (Java: the cast `(float)`)."""
    with np.errstate(over="ignore"):
        return float(np.float32(value))


def replaced(text: str) -> str:
    """Return the text with each lone surrogate replaced by `?`, as Java encodes it.

    A pair of surrogates becomes one character.
    """
    if text.isascii() or not _SURROGATE.search(text):
        return text
    paired = text.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")
    return paired.encode("utf-8", "replace").decode()
