"""Java's date patterns: DateTimeFormatter.format, and the parsing of patterns.

The locale is English (US), so weeks begin on Sunday. simple_date_format.py has SimpleDateFormat.
"""

from __future__ import annotations

from calendar import day_abbr, day_name, month_abbr, month_name
from functools import lru_cache

from firesteel.errors import JobError
from firesteel.functions.java.calendar import GREGORIAN, gregorian_date, weekday

Piece = tuple[str, int]
"""(pattern letter, its count), (literal text, 0), or for an optional part (bracket, -1)."""

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


def formatted(pattern: str, days: int, nanos: int) -> str:
    """Return a date and time as DateTimeFormatter writes it. Optional parts without a value are left out.

    Args:
        pattern: The pattern.
        days: Days since 1970-01-01.
        nanos: Nanoseconds of the day.

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
            _add(parts, _field(text, count, days, nanos) if count else text)
    return "".join("".join(part or []) for part in parts)


def _add(parts: list[list[str] | None], text: str) -> None:
    last = parts[-1]
    if last is not None:
        last.append(text)


def checked(pattern: str) -> None:
    """Check a date pattern.

    Raises:
        JobError: The text is not a date pattern.
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


def _field(letter: str, count: int, days: int, nanos: int) -> str:
    if letter in _TEXTS and (letter not in "MLQqec" or count > 2):
        return _text(letter, count, days, nanos)
    if letter in "uyY":
        return _year(letter, count, days)
    if letter == "S":
        return f"{nanos % 10**9:09d}"[:count].ljust(count, "0")
    return str(_number(letter, days, nanos)).zfill(count)


_TEXTS = "EGaMLQqecB"


def _text(letter: str, count: int, days: int, nanos: int) -> str:
    year, month, _ = gregorian_date(days)
    if letter in "Eec":
        name = (day_name if count == 4 else day_abbr)[(weekday(days) + 5) % 7]
        return name[0] if count == 5 else name
    if letter in "ML":
        name = month_name[month] if count == 4 else month_abbr[month]
        return name[0] if count == 5 else name
    if letter in "Qq":
        quarter = (month + 2) // 3
        return {3: f"Q{quarter}", 5: str(quarter)}.get(count, f"{quarter}{_ORDINALS[quarter - 1]} quarter")
    if letter == "G":
        long, short, letters = ("Before Christ", "BC", "B") if year < 1 else ("Anno Domini", "AD", "A")
        return {4: long, 5: letters}.get(count, short)
    if letter == "B":
        return _day_period(nanos // (60 * 10**9))
    return "AM" if nanos < 43200 * 10**9 else "PM"


def _day_period(minutes: int) -> str:
    if minutes in (0, 720):
        return "noon" if minutes else "midnight"
    hour = minutes // 60
    names = ((6, "at night"), (12, "in the morning"), (18, "in the afternoon"), (21, "in the evening"))
    return next((name for end, name in names if hour < end), "at night")


def _year(letter: str, count: int, days: int) -> str:
    year = GREGORIAN.week_of(days)[0] if letter == "Y" else gregorian_date(days)[0]
    if letter == "y" and year < 1:
        year = 1 - year  # The letter y is the year of the era: 1 BC for 0.
    if count == 2:
        return f"{year % 100:02d}"
    sign = "+" if count >= 4 and year >= 10**count else ""
    return sign + str(year).zfill(count)


def _number(letter: str, days: int, nanos: int) -> int:
    if letter in "nNA":
        return {"n": nanos % 10**9, "N": nanos, "A": nanos // 10**6}[letter]
    if letter in "Qq":
        return (gregorian_date(days)[1] + 2) // 3
    if letter == "F":
        return (gregorian_date(days)[2] - 1) % 7 + 1
    return GREGORIAN.field("E" if letter in "ec" else letter, days, nanos // 10**9)
