"""FLOOR and CEIL of days, month arithmetic, and time zone offsets, over whole columns.

Rules: Flink's DateTimeUtils (julianDateFloor, addMonths, subtractMonths). For FLOOR and CEIL, Flink converts
a day before 1582-10-15 to a date of the Julian calendar. It rounds this date, but then takes the result as a
date of the Gregorian calendar. So FLOOR(DATE '1500-06-05' TO MONTH) is 1500-05-01, because the Julian date of
this day is 1500-05-26. Divisions round towards zero, as in Java.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from firesteel.functions.duckdb.registry import columnar
from firesteel.functions.java.time_zones import legacy_offset
from firesteel.types import zones

Numbers = npt.NDArray[np.int64]

_EPOCH_JULIAN = 2_440_588
_GREGORIAN_JULIAN = 2_299_160
_DAY = 86_400_000
_YEARS = {"MILLENNIUM": 1000, "CENTURY": 100}
_QUARTER_HOUR = 900


@columnar
def floor_days(days: pa.Array, unit: pa.Array) -> pa.Array:
    """Return FLOOR(day TO unit) in days since the epoch: the first day of the unit that contains each day."""
    return _by_days(days, lambda numbers: _bound(numbers, unit[0].as_py(), True))


@columnar
def ceil_days(days: pa.Array, unit: pa.Array) -> pa.Array:
    """Return CEIL(day TO unit) in days since the epoch: for each day, the first day of the next unit.

    For example, CEIL(2024-05-20 TO MONTH) is 2024-06-01. As in Flink, some days stay unchanged: the first day
    of a MONTH, YEAR or WEEK, and for QUARTER January 1.
    """
    return _by_days(days, lambda numbers: _bound(numbers, unit[0].as_py(), False))


@columnar
def time_of_millis(millis: pa.Array) -> pa.Array:
    """Return the TIME at a number of milliseconds of the day, up to 24:00:00."""
    return pc.multiply(millis, 1000).cast(pa.time64("us"))


def _by_days(days: pa.Array, change: Callable[[Numbers], Numbers]) -> pa.Array:
    return pa.array(change(_numbers(days)), pa.int64(), mask=np.asarray(days.is_null()))


def _numbers(column: pa.Array) -> Numbers:
    return np.asarray(column.fill_null(0), dtype=np.int64)


def _quotient(a: Numbers, b: int) -> Numbers:
    return np.where(a >= 0, a // b, -(-a // b))


def _bound(days: Numbers, unit: str, floor: bool) -> Numbers:
    julian = days + _EPOCH_JULIAN
    year, month, day = _flink_date(julian)
    if unit in _YEARS:
        size = _YEARS[unit]
        start = size * _quotient(year + size - 1, size)
        return days_of(start + (1 - size if floor else 1), 1, 1)
    if unit == "DECADE":
        return days_of(10 * (_quotient(year, 10) + (0 if floor else 1)), 1, 1)
    later = (month > 1) | (day > 1)
    if unit == "YEAR":
        return days_of(year if floor else year + later, 1, 1)
    if unit == "QUARTER":
        quarter = (month + 2) // 3 + (0 if floor else later)
        return days_of(year, quarter * 3 - 2, 1)
    if unit == "MONTH":
        return days_of(year, month + (0 if floor else day > 1), 1)
    found = days_of(year, month, day)
    if unit == "WEEK":
        past = (julian + 1) % 7
        return found - (past if floor else np.where(past > 0, past - 7, 0))
    return found if floor else found + 1


def _flink_date(julian: Numbers) -> tuple[Numbers, Numbers, Numbers]:
    """Return year, month and day of Julian day numbers: Julian before 1582-10-15, else Gregorian."""
    shifted = julian + 32_044
    modern = julian > _GREGORIAN_JULIAN
    b = np.where(modern, _quotient(4 * shifted + 3, 146_097), 0)
    c = np.where(modern, shifted - _quotient(b * 146_097, 4), julian + 32_082)
    d = _quotient(4 * c + 3, 1461)
    e = c - _quotient(1461 * d, 4)
    m = _quotient(5 * e + 2, 153)
    day = e - _quotient(153 * m + 2, 5) + 1
    return b * 100 + d - 4800 + _quotient(m, 10), m + 3 - 12 * _quotient(m, 10), day


def days_of(year: Numbers, month: Numbers | int, day: Numbers | int) -> Numbers:
    """Return the days since the epoch of proleptic Gregorian dates. Month 13 is the next January."""
    month = np.asarray(month)
    a = _quotient(14 - month, 12)
    y, m = year + 4800 - a, month + 12 * a - 3
    century = _quotient(y, 4) - _quotient(y, 100) + _quotient(y, 400)
    days: Numbers = day + _quotient(153 * m + 2, 5) + 365 * y + century - 32_045 - _EPOCH_JULIAN
    return days


def _gregorian(days: Numbers) -> tuple[Numbers, Numbers, Numbers]:
    """Return year, month and day of days since 1970 in the proleptic Gregorian calendar."""
    z = days + 719_468
    era = z // 146_097
    of_era = z - era * 146_097
    of_year = (of_era - of_era // 1460 + of_era // 36_524 - of_era // 146_096) // 365
    yearday = of_era - (365 * of_year + of_year // 4 - of_year // 100)
    m = (5 * yearday + 2) // 153
    month = np.where(m < 10, m + 3, m - 9)
    return of_year + era * 400 + (month <= 2), month, yearday - (153 * m + 2) // 5 + 1


def _add_months(days: Numbers, months: Numbers) -> Numbers:
    """Return days moved by months. A day that the month does not have becomes the month's last day."""
    year, month, day = _gregorian(days)
    total = year * 12 + month - 1 + months
    year, month = total // 12, total % 12 + 1
    last = days_of(year, month + 1, 1) - days_of(year, month, 1)
    return days_of(year, month, np.minimum(day, last))


@columnar
def months_between(later: pa.Array, earlier: pa.Array) -> pa.Array:
    """Return the number of whole months between wall clocks in milliseconds."""
    mask = np.asarray(later.is_null()) | np.asarray(earlier.is_null())
    (day, clock), (start, start_clock) = (np.divmod(_numbers(c), _DAY) for c in (later, earlier))
    sign = np.where(day < start, -1, 1)
    months = sign * _months(np.maximum(day, start), np.minimum(day, start))
    early = (_add_months(start, months) == day) & (clock < start_clock)
    return pa.array(months - early, pa.int32(), mask=mask)


def _months(later: Numbers, earlier: Numbers) -> Numbers:
    """Return the number of whole months from the earlier day to the later day."""
    (year, month, _), (year2, month2, _) = _gregorian(later), _gregorian(earlier)
    months = (year - year2) * 12 + month - month2
    return months - (_add_months(earlier, months) > later)


def _of_zone(
    look_up: Callable[[int, str], int],
) -> Callable[[pa.Array, pa.Array], pa.Array]:
    """Return a function from a column of seconds and a zone's name to the zone's offsets in seconds.

    To save calls, the function looks up the offset only at the first and the last second of each quarter of
    an hour in which a row falls. If these two offsets differ, it looks up the offset of each row.

    Args:
        look_up: Function from seconds since 1970 and a zone's name to the zone's offset in seconds.
    """

    def offsets(seconds: pa.Array, zone: pa.Array) -> pa.Array:
        name, numbers = zone[0].as_py(), _numbers(seconds)
        quarters, where = np.unique(numbers // _QUARTER_HOUR, return_inverse=True)
        first = np.array([look_up(int(q) * _QUARTER_HOUR, name) for q in quarters], np.int64)
        last = [look_up(int(q + 1) * _QUARTER_HOUR - 1, name) for q in quarters]
        found = first[where]
        for i in np.flatnonzero((first != np.array(last, np.int64))[where]):
            found[i] = look_up(int(numbers[i]), name)
        return pa.array(found, pa.int64(), mask=np.asarray(seconds.is_null()))

    return columnar(offsets)


offset_at = _of_zone(zones.offset_at)
offset_of_local = _of_zone(zones.offset_of_local)
legacy_offset_at = _of_zone(legacy_offset)
