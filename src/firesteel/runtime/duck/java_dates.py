"""Java's date patterns: DateTimeFormatter writes and reads, SimpleDateFormat does it in its own calendar.

Locale: English (US), so weeks begin on Sunday. A pattern is cut into (letter, count) fields and literal
texts once.
"""

from __future__ import annotations

import re
from calendar import day_abbr, day_name, month_abbr, month_name
from datetime import date, timedelta
from functools import lru_cache

from firesteel.errors import JobError

Piece = tuple[str, int]
"""A pattern letter and how often it stands there, or a literal text and 0."""

GREGORIAN_START = date(1582, 10, 15).toordinal() - date(1970, 1, 1).toordinal()
_EPOCH = date(1970, 1, 1).toordinal()
_ORDINALS = ("st", "nd", "rd", "th")
_KNOWN = "GuyYDMLdQqwWEecFaHkKhmsSAnNB"
_ZONED = {
    "X": "OffsetSeconds",
    "x": "OffsetSeconds",
    "Z": "OffsetSeconds",
    "O": "OffsetSeconds",
    "z": "ZoneId",
    "V": "ZoneId",
}


@lru_cache(maxsize=512)
def pieces_of(pattern: str) -> tuple[Piece, ...]:
    """The pattern taken apart; raises JobError for what is no pattern."""
    found: list[Piece] = []
    i = 0
    while i < len(pattern):
        letter = pattern[i]
        if letter == "'":
            end = i + 1
            text = ""
            while True:
                end = pattern.find("'", end)
                if end < 0:
                    raise JobError(f"Pattern ends with an incomplete string literal: {pattern}")
                text = pattern[i + 1 : end]
                if pattern[end : end + 2] != "''":
                    break
                end += 2
            found.append((text.replace("''", "'") or "'", 0))
            i = end + 1
        elif letter.isascii() and letter.isalpha():
            count = len(pattern[i:]) - len(pattern[i:].lstrip(letter))
            found.append((letter, count))
            i += count
        else:
            if letter in "{}#":
                raise JobError(f"Pattern includes reserved character: '{letter}'")
            found.append((letter, 0))
            i += 1
    return tuple(found)


def formatted(pattern: str, day: date, nanos: int) -> str:
    """A day and its nanoseconds as DateTimeFormatter writes them."""
    return "".join(
        text if not count else _field(text, count, day, nanos) for text, count in pieces_of(pattern)
    )


def checked(pattern: str) -> None:
    """Raise JobError for a letter that no date pattern has."""
    for letter, count in pieces_of(pattern):
        if count and letter not in _KNOWN:
            if letter in _ZONED:
                raise JobError(f"Unsupported field: {_ZONED[letter]}")
            raise JobError(f"Unknown pattern letter: {letter}")


def _field(letter: str, count: int, day: date, nanos: int) -> str:
    if letter in _TEXTS and (letter not in "MLQqec" or count > 2):
        return _text(letter, count, day, nanos)
    if letter in "uyY":
        return _year(letter, count, day)
    if letter == "S":
        return f"{nanos % 10**9:09d}"[:count].ljust(count, "0")
    return str(_number(letter, day, nanos)).zfill(count)


_TEXTS = "EGaMLQqecB"


def _text(letter: str, count: int, day: date, nanos: int) -> str:
    if letter in "Eec":
        name = day_name[day.weekday()] if count == 4 else day_abbr[day.weekday()]
        return name[0] if count == 5 else name
    if letter in "ML":
        name = month_name[day.month] if count == 4 else month_abbr[day.month]
        return name[0] if count == 5 else name
    if letter in "Qq":
        quarter = (day.month + 2) // 3
        return {3: f"Q{quarter}", 5: str(quarter)}.get(count, f"{quarter}{_ORDINALS[quarter - 1]} quarter")
    if letter == "G":
        return {4: "Anno Domini", 5: "A"}.get(count, "AD")
    return "AM" if nanos < 43200 * 10**9 else "PM"


def _year(letter: str, count: int, day: date) -> str:
    year = week_of_year(day)[0] if letter == "Y" else day.year
    if count == 2:
        return f"{year % 100:02d}"
    sign = "+" if count >= 4 and year >= 10**count else ""
    return sign + str(year).zfill(count)


def _number(letter: str, day: date, nanos: int) -> int:
    seconds = nanos // 10**9
    hour = seconds // 3600
    first = (day.replace(day=1).weekday() + 1) % 7  # Sunday is 0
    numbers = {
        "M": day.month,
        "L": day.month,
        "d": day.day,
        "D": day.timetuple().tm_yday,
        "Q": (day.month + 2) // 3,
        "q": (day.month + 2) // 3,
        "e": (day.weekday() + 1) % 7 + 1,
        "c": (day.weekday() + 1) % 7 + 1,
        "F": (day.day - 1) % 7 + 1,
        "W": (day.day + first - 1) // 7 + 1,
        "H": hour,
        "k": hour or 24,
        "K": hour % 12,
        "h": hour % 12 or 12,
        "m": seconds // 60 % 60,
        "s": seconds % 60,
        "n": nanos % 10**9,
        "N": nanos,
        "A": nanos // 10**6,
    }
    return week_of_year(day)[1] if letter == "w" else numbers[letter]


def week_of_year(day: date) -> tuple[int, int]:
    """The week-based year and week: weeks begin on Sunday, week 1 has January 1."""
    sunday = day.toordinal() - (day.weekday() + 1) % 7
    for year in (day.year + 1, day.year):
        if year > 9999:
            if day.month == 12 and day.day + 6 - (day.weekday() + 1) % 7 > 31:
                return year, 1
            continue
        january = date(year, 1, 1)
        first = january.toordinal() - (january.weekday() + 1) % 7
        if sunday >= first:
            return year, (sunday - first) // 7 + 1
    return day.year, 1


def parsed(pattern: str, text: str) -> tuple[date, int] | None:
    """What DateTimeFormatter reads: the day (1970-01-01 where none is named) and its nanoseconds, or None."""
    expression, letters = _reader(pattern)
    match = expression.fullmatch(text)
    if match is None:
        return None
    values = dict(zip(letters, match.groups(), strict=True))
    try:
        return _day(values), _clock(values)
    except (ValueError, KeyError):
        return None


@lru_cache(maxsize=512)
def _reader(pattern: str) -> tuple[re.Pattern[str], tuple[str, ...]]:
    checked(pattern)
    parts, letters = [], []
    pieces = pieces_of(pattern)
    for i, (text, count) in enumerate(pieces):
        if not count:
            parts.append(re.escape(text))
            continue
        adjacent = i + 1 < len(pieces) and pieces[i + 1][1] > 0 and pieces[i + 1][0] not in "aEG"
        parts.append(f"({_readable(text, count, adjacent)})")
        letters.append(text)
    return re.compile("".join(parts)), tuple(letters)


def _readable(letter: str, count: int, adjacent: bool) -> str:
    if letter in "uyY":
        return r"\d{2}" if count == 2 else rf"\d{{{count}}}" if adjacent or count >= 4 else r"\d{1,19}"
    if letter in "ML" and count > 2:
        return "|".join(list(month_name if count == 4 else month_abbr)[1:])
    if letter == "E":
        return "|".join(day_name if count == 4 else day_abbr)
    if letter == "a":
        return "AM|PM"
    if letter == "S":
        return rf"\d{{{count}}}"
    return r"\d{1,2}" if count == 1 and not adjacent else rf"\d{{{count}}}"


def _day(values: dict[str, str]) -> date:
    year_text = values.get("y") or values.get("u") or "1970"
    year = int(year_text) + 2000 if len(year_text) == 2 else int(year_text)
    month_text = values.get("M") or values.get("L") or "1"
    month = int(month_text) if month_text.isdigit() else _month(month_text)
    if "D" in values:
        return date(year, 1, 1) + timedelta(days=int(values["D"]) - 1)
    day = int(values.get("d", 1))
    if not 1 <= day <= 31 or not 1 <= month <= 12:
        raise ValueError(day)
    following = (
        date(year + month // 12, month % 12 + 1, 1) if year < 9999 or month < 12 else date(9999, 12, 31)
    )
    last = (following - timedelta(days=1)).day if following.day == 1 else 31
    return date(year, month, min(day, last))  # as the SMART resolver does


def _month(name: str) -> int:
    return list(month_name).index(name) if name in list(month_name) else list(month_abbr).index(name)


def _clock(values: dict[str, str]) -> int:
    hour = int(values.get("H", values.get("k", 0))) % 24
    for letter in "hK":
        if letter in values:
            hour = int(values[letter]) % 12 + (12 if values.get("a") == "PM" else 0)
    minute, second = int(values.get("m", 0)), int(values.get("s", 0))
    if int(values.get("H", 0)) > 23 or minute > 59 or second > 59:
        raise ValueError(minute)
    return ((hour * 60 + minute) * 60 + second) * 10**9 + int(values.get("S", "0").ljust(9, "0")[:9])


def julian_day(year: int, month: int, day: int) -> int:
    """Days since the epoch by GregorianCalendar: Julian before 1582-10-15, months and days may overflow."""
    year, month = year + (month - 1) // 12, (month - 1) % 12 + 1
    if (year, month, day) >= (1582, 10, 15):
        return date(year, month, 1).toordinal() - _EPOCH + day - 1
    a = (14 - month) // 12
    y, m = year + 4800 - a, month + 12 * a - 3
    return day + (153 * m + 2) // 5 + 365 * y + y // 4 - 32083 - 2440588


def julian_date(days: int) -> tuple[int, int, int]:
    """Year, month and day of days since the epoch in the same calendar."""
    if days >= GREGORIAN_START:
        year = 0
        while days + _EPOCH > date.max.toordinal():  # 400 years have the same days everywhere
            days, year = days - 146097, year + 400
        found = date.fromordinal(days + _EPOCH)
        return found.year + year, found.month, found.day
    c = days + 2440588 + 32082
    d = (4 * c + 3) // 1461
    e = c - 1461 * d // 4
    m = (5 * e + 2) // 153
    return d - 4800 + m // 10, m + 3 - 12 * (m // 10), e - (153 * m + 2) // 5 + 1
