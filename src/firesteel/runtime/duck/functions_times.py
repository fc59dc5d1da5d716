"""Time zones: wall clocks and instants. Java: LocalDateTime.atZone, Instant.atZone."""

from __future__ import annotations

from calendar import monthrange
from datetime import date

from firesteel.types.text import local_nanos
from firesteel.types.zones import offset_of_local

_EPOCH_DAY = date(1970, 1, 1).toordinal()
_DAY = 86_400_000


def to_local(micros: int, zone: str) -> int:
    """The wall clock of an instant."""
    return local_nanos(micros * 1000, zone) // 1000


def to_instant(micros: int, zone: str) -> int:
    """The instant of a wall clock."""
    return instant_of(micros * 1000, zone) // 1000


def instant_of(nanos: int, zone: str) -> int:
    """The instant of a wall clock, in nanoseconds.

    A clock that a zone shows twice is the earlier instant; one in a gap is moved on by the gap.
    """
    return nanos - offset_of_local(nanos // 10**9, zone) * 10**9


def months_between(later: int, earlier: int) -> int:
    """Whole months between two wall clocks in milliseconds. Calcite: DateTimeUtils.subtractMonths."""
    (day, clock), (other_day, other_clock) = divmod(later, _DAY), divmod(earlier, _DAY)
    months = _months(day, other_day)
    if _add_months(other_day, months) == day and clock < other_clock:
        months -= 1
    return months


def _months(day: int, other: int) -> int:
    if day < other:
        return -_months(other, day)
    a, b = date.fromordinal(day + _EPOCH_DAY), date.fromordinal(other + _EPOCH_DAY)
    months = (a.year - b.year) * 12 + a.month - b.month
    return months if _add_months(other, months) <= day else months - 1


def _add_months(day: int, months: int) -> int:
    """A day of the epoch, months on; past the end of a month it is the last."""
    start = date.fromordinal(day + _EPOCH_DAY)
    year, month = divmod(start.year * 12 + start.month - 1 + months, 12)
    last = monthrange(year, month + 1)[1]
    return date(year, month + 1, min(start.day, last)).toordinal() - _EPOCH_DAY
