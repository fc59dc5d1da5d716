"""Java's date patterns: DateTimeFormatter.format, and the parsing of patterns.

The locale is English (US), so weeks begin on Sunday. SimpleDateFormat is in simple_date_format.py.
"""

from __future__ import annotations

from calendar import day_abbr, day_name, month_abbr, month_name
from datetime import date
from functools import lru_cache

from firesteel.errors import JobError

Piece = tuple[str, int]
"""Pattern letter and its count, or literal text and 0. Brackets of optional parts have -1."""

GREGORIAN_START = date(1582, 10, 15).toordinal() - date(1970, 1, 1).toordinal()
_EPOCH = date(1970, 1, 1).toordinal()
_ORDINALS = ("st", "nd", "rd", "th")
_KNOWN = "GuyYDMLdQqwWEecFaHkKhmsSAnNB"
_MOST = {
    **dict.fromkeys("dhHkKmsw", 2),
    **dict.fromkeys("MLQqEecG", 5),
    "a": 1,
    "F": 1,
    "W": 1,
    "D": 3,
    "S": 9,
    "B": 5,
}
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
    """Return the pieces of a pattern: letters with their count, literal texts and brackets.

    Raises:
        JobError: The text is not a pattern.
    """
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
            found.append((letter, -1 if letter in "[]" else 0))
            i += 1
    return tuple(found)


def formatted(pattern: str, day: date, nanos: int, years: int = 0) -> str:
    """Return a date and time as DateTimeFormatter writes it. Optional parts without a value are left out.

    Args:
        pattern: The pattern.
        day: Date.
        nanos: Nanoseconds of the day.
        years: Years to add to the date's year, a multiple of 400.

    Raises:
        JobError: The pattern has a field that a local date and time does not have.
    """
    parts: list[list[str] | None] = [[]]
    for text, count in pieces_of(pattern):
        if (text, count) == ("[", -1):
            parts.append([])
        elif count < 0:
            written = parts.pop()
            _add(parts, "".join(written or []))
        elif count and text in _ZONED:
            if len(parts) == 1:
                raise JobError(f"Unsupported field: {_ZONED[text]}")
            parts[-1] = None
        else:
            _add(parts, _field(text, count, day, nanos, years) if count else text)
    return "".join("".join(part or []) for part in parts)


def _add(parts: list[list[str] | None], text: str) -> None:
    last = parts[-1]
    if last is not None:
        last.append(text)


def checked(pattern: str) -> None:
    """Check a date pattern.

    Raises:
        JobError: It is not a date pattern.
    """
    depth = 0
    for letter, count in pieces_of(pattern):
        if count < 0:
            depth += 1 if letter == "[" else -1
            if depth < 0:
                raise JobError("Pattern invalid as it contains ] without previous [")
        elif count and letter not in _KNOWN and letter not in _ZONED:
            raise JobError(f"Unknown pattern letter: {letter}")
        elif count > _MOST.get(letter, 19):
            raise JobError(f"Too many pattern letters: {letter}")


def _field(letter: str, count: int, day: date, nanos: int, years: int) -> str:
    if letter == "G" and day.year + years < 1:
        return {4: "Before Christ", 5: "B"}.get(count, "BC")
    if letter in _TEXTS and (letter not in "MLQqec" or count > 2):
        return _text(letter, count, day, nanos)
    if letter in "uyY":
        return _year(letter, count, day, years)
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
    if letter == "B":
        return _day_period(nanos // (60 * 10**9))
    return "AM" if nanos < 43200 * 10**9 else "PM"


def _day_period(minutes: int) -> str:
    if minutes in (0, 720):
        return "noon" if minutes else "midnight"
    hour = minutes // 60
    names = ((6, "at night"), (12, "in the morning"), (18, "in the afternoon"), (21, "in the evening"))
    return next((name for end, name in names if hour < end), "at night")


def _year(letter: str, count: int, day: date, years: int) -> str:
    year = years + (week_of_year(day)[0] if letter == "Y" else day.year)
    if letter == "y" and year < 1:
        year = 1 - year  # of its era
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
    """Return the week-based year and week. Weeks begin on Sunday, and week 1 contains January 1."""
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
