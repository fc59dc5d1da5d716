"""Texts of numbers, dates and times, as Java and Flink write them."""

from __future__ import annotations

from datetime import date, timedelta

import numpy as np

from firesteel.types.zones import offset_at

_FIRST = date(1, 1, 1)


_YEAR_1, _CYCLE = -719_162, 146_097


_NANOS = {"s": 10**9, "ms": 10**6, "us": 10**3, "ns": 1}


def double_text(value: float) -> str:
    """Return a DOUBLE as Java writes it."""
    return _java(_of_large(value, 53) or repr(value), value)


def float_text(value: float) -> str:
    """Return a FLOAT (a number that fits 32 bits) as Java writes it."""
    return _java(_of_large(value, 24) or str(np.float32(value)), value)


def _of_large(value: float, bits: int) -> str | None:
    """Return a number from 2 ** bits up to 2 ** 63 as text (`1.2345e17`), None for any other number.

    Such a number is an integer. Up to version 18, Java rounds off its last `dropped` decimal digits:

        n       = (number of binary digits of the integer) - bits - 2
        dropped = floor(log10(2 ** n)) if n > 0, else 0

    Java keeps all other digits, even if fewer would identify the number. Java:
    jdk.internal.math.FloatingDecimal.BinaryToASCIIBuffer.

    Args:
        value: The number.
        bits: Significant bits of the type: 53 for DOUBLE, 24 for FLOAT.
    """
    if not 2.0**bits <= abs(value) < 2.0**63:
        return None
    whole = int(abs(value))
    lost = whole.bit_length() - bits - 2
    dropped = len(str(1 << lost)) - 1 if lost > 1 else 0
    unit = 10**dropped
    digits = str((whole + unit // 2) // unit if dropped else whole)
    return f"{'-' if value < 0 else ''}{digits[0]}.{digits[1:]}e{len(digits) + dropped - 1}"


def _java(shortest: str, value: float) -> str:
    if value != value:
        return "NaN"
    if value in (float("inf"), float("-inf")):
        return "Infinity" if value > 0 else "-Infinity"
    if value == 0:
        return shortest if shortest.endswith(".0") else shortest + ".0"
    sign = "-" if value < 0 else ""
    mantissa, _, exponent = shortest.lstrip("-").partition("e")
    whole, _, fraction = mantissa.partition(".")
    power = int(exponent or 0) + len(whole)
    digits = whole + ("" if fraction == "0" else fraction)
    stripped = digits.lstrip("0")
    power -= len(digits) - len(stripped)
    digits = stripped.rstrip("0") or "0"
    if len(digits) == 1:  # Java then takes the closest two digits: 4.9E-324, where Python has 5e-324
        mantissa, _, exponent = f"{abs(value):.1e}".partition("e")
        digits, power = mantissa.replace(".", "").rstrip("0"), int(exponent) + 1
    if -2 <= power <= 7:
        return sign + _plain(digits, power)
    return f"{sign}{digits[0]}.{digits[1:] or '0'}E{power - 1}"


def _plain(digits: str, power: int) -> str:
    if power <= 0:
        return f"0.{'0' * -power}{digits}"
    whole = digits[:power].ljust(power, "0")
    return f"{whole}.{digits[power:] or '0'}"


def date_text(days: int) -> str:
    """Return a DATE, given as days since 1970-01-01. Flink writes only the last four digits of a year."""
    year, month, day = calendar_date(days)
    return f"{year_text(year)}-{month:02d}-{day:02d}"


def year_text(year: int) -> str:
    """Return the last four digits of a year.

    For a negative year, Flink subtracts each digit from the character `0`. So the text of year -1 is `000/`,
    because `/` is the character before `0`.
    """
    if year >= 0:
        return f"{year % 10000:04d}"
    return "".join(chr(ord("0") - int(digit)) for digit in f"{-year % 10000:04d}")


def calendar_date(days: int) -> tuple[int, int, int]:
    """Return year, month and day of days since 1970-01-01 (Gregorian calendar; year 0 precedes year 1)."""
    cycles, rest = divmod(days - _YEAR_1, _CYCLE)  # every 400 years have the same number of days
    moment = _FIRST + timedelta(days=rest)
    return moment.year + 400 * cycles, moment.month, moment.day


def time_text(nanos: int, precision: int) -> str:
    """Return a TIME(precision) without trailing zeros: `10:11:12.5`, and `10:11:12.0` for a whole second.

    At precision 0, there is no fraction: `10:11:12`.

    Args:
        nanos: Nanoseconds of the day.
        precision: Digits of the fraction.
    """
    text = _clock(nanos // 10**9)
    digits = f"{nanos % 10**9:09d}"[:precision].rstrip("0") or "0"
    return f"{text}.{digits}" if precision else text


def _clock(seconds: int) -> str:
    return f"{seconds // 3600:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d}"


def timestamp_text(nanos: int, precision: int) -> str:
    """Return a TIMESTAMP(precision), given as nanoseconds since the epoch."""
    days, rest = divmod(nanos, 86400 * 10**9)
    return f"{date_text(days)} {_clock(rest // 10**9)}{_fraction(rest % 10**9, precision)}"


def _fraction(nanos: int, precision: int) -> str:
    return "." + f"{nanos:09d}"[:precision] if precision else ""


def year_month_text(months: int) -> str:
    """Return an INTERVAL YEAR TO MONTH, given in months."""
    sign = "-" if months < 0 else "+"
    return f"{sign}{abs(months) // 12}-{abs(months) % 12:02d}"


def day_time_text(millis: int) -> str:
    """Return an INTERVAL DAY TO SECOND, given in milliseconds."""
    sign = "-" if millis < 0 else "+"
    days, rest = divmod(abs(millis), 86_400_000)
    return f"{sign}{days} {_clock(rest // 1000)}.{rest % 1000:03d}"


def local_nanos(nanos: int, zone: str) -> int:
    """Return the wall clock of a time zone at an instant, both in nanoseconds since the epoch."""
    return nanos + offset_at(nanos // 10**9, zone) * 10**9
