"""Java's calendars, English (US): weeks begin on Sunday, and week 1 contains January 1.

`GREGORIAN` is the calendar of java.time. `SINCE_1582` is java.util.GregorianCalendar, Julian before
1582-10-15. Days are counted since 1970-01-01. Months are 1 to 12 and may overflow. Years before 1 are 0, -1,
and so on.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

GREGORIAN_START = -141_427
_CUTOVER_YEAR = 1582
_EPOCH_JULIAN_DAY = 2_440_588


def gregorian_day(year: int, month: int, day: int) -> int:
    """Return a date of the proleptic Gregorian calendar as days since 1970-01-01."""
    year, month = year + (month - 1) // 12, (month - 1) % 12 + 1
    y = year - (month <= 2)
    era, of_era = divmod(y, 400)
    yearday = (153 * ((month + 9) % 12) + 2) // 5 + day - 1
    return era * 146_097 + of_era * 365 + of_era // 4 - of_era // 100 + yearday - 719_468


def julian_calendar_day(year: int, month: int, day: int) -> int:
    """Return a date of the Julian calendar as days since 1970-01-01."""
    year, month = year + (month - 1) // 12, (month - 1) % 12 + 1
    a = (14 - month) // 12
    y, m = year + 4800 - a, month + 12 * a - 3
    return day + (153 * m + 2) // 5 + 365 * y + y // 4 - 32083 - _EPOCH_JULIAN_DAY


def day_of(year: int, month: int, day: int) -> int:
    """Return a date as days since 1970-01-01: Julian before 1582-10-15, else Gregorian.

    1582-10-05 to 1582-10-14 do not exist. They are read as dates ten days later.
    """
    gregorian, julian = gregorian_day(year, month, day), julian_calendar_day(year, month, day)
    return gregorian if gregorian >= GREGORIAN_START and julian >= GREGORIAN_START else julian


def gregorian_date(days: int) -> tuple[int, int, int]:
    """Return year, month and day, in the proleptic Gregorian calendar, of days since 1970-01-01."""
    era, of_era = divmod(days + 719_468, 146_097)
    of_year = (of_era - of_era // 1460 + of_era // 36_524 - of_era // 146_096) // 365
    yearday = of_era - (365 * of_year + of_year // 4 - of_year // 100)
    m = (5 * yearday + 2) // 153
    month = m + 3 if m < 10 else m - 9
    return of_year + era * 400 + (month <= 2), month, yearday - (153 * m + 2) // 5 + 1


def date_of(days: int) -> tuple[int, int, int]:
    """Return year, month and day of a day since 1970: Julian before 1582-10-15, else Gregorian."""
    if days >= GREGORIAN_START:
        return gregorian_date(days)
    c = days + _EPOCH_JULIAN_DAY + 32082
    d = (4 * c + 3) // 1461
    e = c - 1461 * d // 4
    m = (5 * e + 2) // 153
    return d - 4800 + m // 10, m + 3 - 12 * (m // 10), e - (153 * m + 2) // 5 + 1


def weekday(days: int) -> int:
    """Return the weekday of a day since 1970-01-01: 1 for Sunday, 7 for Saturday."""
    return (days + 4) % 7 + 1


def on_or_before(days: int, wanted: int) -> int:
    """Return the last day up to `days` with the weekday `wanted`."""
    return days - (weekday(days) - wanted) % 7


@dataclass(frozen=True)
class Calendar:
    """A calendar with weeks, defined by its numbering of days.

    Attributes:
        day_of: Function from year, month and day of the month to days since 1970-01-01.
        date_of: Function from days since 1970-01-01 to year, month and day of the month.
    """

    day_of: Callable[[int, int, int], int]
    date_of: Callable[[int], tuple[int, int, int]]

    def week_of(self, days: int) -> tuple[int, int]:
        """Return the week-based year and week of a day."""
        year = self.date_of(days)[0]
        if days >= on_or_before(self.day_of(year + 1, 1, 1), 1):
            return year + 1, 1
        return year, (days - on_or_before(self.day_of(year, 1, 1), 1)) // 7 + 1

    def field(self, letter: str, days: int, seconds: int) -> int:
        """Return the value of a field by its pattern letter, one of MLdDwWEHkKhms. A Sunday's E is 1.

        Args:
            letter: The pattern letter.
            days: The day, in days since 1970-01-01.
            seconds: Seconds of the day.
        """
        if letter in "HkKhms":
            hour = seconds // 3600
            clock = {"H": hour, "k": hour or 24, "K": hour % 12, "h": hour % 12 or 12}
            return clock.get(letter, seconds // 60 % 60 if letter == "m" else seconds % 60)
        if letter == "w":
            return self.week_of(days)[1]
        year, month, day = self.date_of(days)
        if letter == "D":
            return days - self.day_of(year, 1, 1) + 1
        if letter == "W":
            return (days - on_or_before(self.day_of(year, month, 1), 1)) // 7 + 1
        return {"d": day, "E": weekday(days)}.get(letter, month)


GREGORIAN = Calendar(gregorian_day, gregorian_date)
SINCE_1582 = Calendar(day_of, date_of)


def resolved_day(fields: Mapping[str, int]) -> int:
    """Return the day, since 1970-01-01, that parsed fields describe.

    If they contradict each other, the field that was set last decides (GregorianCalendar.selectFields).

    Args:
        fields: Values by pattern letter, in the order in which they were set: y (default 1970), M, d, D, w,
            W, F, E (Sunday is 1), Y.
    """
    if "Y" in fields and list(fields).index("Y") > (list(fields).index("y") if "y" in fields else -1):
        first = on_or_before(day_of(fields["Y"], 1, 1), 1)
        return first + 7 * (fields.get("w", 1) - 1) + fields.get("E", 1) - 1
    year = fields.get("y", 1970)
    chosen = _chosen({letter: i + 1 for i, letter in enumerate(fields) if letter in "MdDwWFE"})
    if chosen == "D":
        return _first_of_year(year) + fields["D"] - 1
    if chosen == "w":
        first = on_or_before(_first_of_year(year), 1)
        return first + fields.get("E", 1) - 1 + 7 * (fields["w"] - 1)
    month = fields.get("M", 1)
    if chosen in ("d", "M"):
        return day_of(year, month, fields.get("d", 1))
    first = day_of(year, month, 1)
    if chosen == "W":
        return on_or_before(first, 1) + fields.get("E", 1) - 1 + 7 * (fields["W"] - 1)
    count, wanted = fields.get("F", 1), fields.get("E", 1)
    if count >= 0:
        return on_or_before(first + 7 * count - 1, wanted)
    return on_or_before(day_of(year, month + 1, 1) - 1 + 7 * (count + 1), wanted)


def _first_of_year(year: int) -> int:
    return gregorian_day(year, 1, 1) if year > _CUTOVER_YEAR else julian_calendar_day(year, 1, 1)


def _chosen(stamps: Mapping[str, int]) -> str:
    """Return the pattern letter of the field that determines the day, by the order in which fields were set.

    Args:
        stamps: Position in that order, from 1, by pattern letter.
    """
    weekday_stamp = stamps.get("E", 0)
    whole = {"d": stamps.get("d", 0), "D": stamps.get("D", 0)}
    for letter in "WFw":
        stamp = stamps.get(letter, 0)
        whole[letter] = max(stamp, weekday_stamp) if stamp and weekday_stamp else 0
    if not any(whole.values()):
        whole = {letter: stamps.get(letter, 0) for letter in "Ww"}
        whole["F"] = max(stamps.get("F", 0), weekday_stamp)
        if not any(whole.values()):
            return "M"
    best = max(whole.values())
    found = [letter for letter in "dWFDw" if whole.get(letter) == best]
    # W, F and w determine a day only together with the weekday E. For each of them, `whole` has the later of
    # two stamps: that of the field and that of E. If E was set after W and w, both have the stamp of E in
    # `whole`. Then `stamps` decides: the field that was set last among them.
    if len(found) > 1:
        return max(found, key=lambda letter: stamps.get(letter, 0))
    return found[0]
