"""CAST to STRING of what DuckDB writes otherwise."""

from __future__ import annotations

from firesteel.types import text

of_double = text.double_text
of_float = text.float_text
of_day_time = text.day_time_text
of_year_month = text.year_month_text


def of_bytes(value: bytes) -> str:
    """The bytes read as UTF-8; what is none becomes U+FFFD, as Java does it."""
    return value.decode("utf-8", "replace")


def of_time(micros: int, precision: int) -> str:
    return text.time_text(micros * 1000, precision)


def of_timestamp(value: int, precision: int, unit: int) -> str:
    """`unit` is the nanoseconds of one count of `value`."""
    return text.timestamp_text(value * unit, precision)
