"""java.text.SimpleDateFormat in English (US): lenient, and text after the pattern's end is ignored."""

from __future__ import annotations

import re
from calendar import day_abbr, day_name, month_abbr, month_name
from datetime import datetime, timedelta, timezone
from functools import lru_cache

from firesteel.errors import JobError, NotSupportedError
from firesteel.functions.java import calendar
from firesteel.functions.java.time_zones import legacy_offset
from firesteel.types.zones import zone_of

_LETTERS = "GyYMLwWDdFEuaHkKhmsSzZX"
_NUMERIC = frozenset("yYwWDdFuHkKhmsS")
_DAY = 86_400_000
_NUMBER = re.compile(r"[ \t]*(-?[0-9]+)")
_OFFSET = re.compile(r"[ \t]*(?:(GMT)?([+-])([0-9]{1,2})(:?)([0-9]{2})?|(GMT|UTC|Z))", re.IGNORECASE)
_MONTHS = {name.lower(): i for names in (month_abbr, month_name) for i, name in enumerate(names) if name}
_DAYS = {
    name.lower(): (i + 1) % 7 + 1 for names in (day_abbr, day_name) for i, name in enumerate(names) if name
}


@lru_cache(maxsize=512)
def _pieces(pattern: str) -> tuple[tuple[str, int], ...]:
    """Return (letter, count) or (literal character, 0) for each part of a pattern.

    Raises:
        JobError: The pattern is invalid.
    """
    found: list[tuple[str, int]] = []
    quoted, i = False, 0
    while i < len(pattern):
        letter = pattern[i]
        if letter == "'" and pattern[i + 1 : i + 2] == "'":
            found.append(("'", 0))
            i += 2
        elif letter == "'":
            quoted = not quoted
            i += 1
        elif quoted or not (letter.isascii() and letter.isalpha()):
            found.append((letter, 0))
            i += 1
        else:
            count = len(pattern[i:]) - len(pattern[i:].lstrip(letter))
            found.append(_checked(letter, count))
            i += count
    if quoted:
        raise JobError("Unterminated quote")
    return tuple(found)


def _checked(letter: str, count: int) -> tuple[str, int]:
    if letter not in _LETTERS:
        raise JobError(f"Illegal pattern character '{letter}'")
    if letter == "X" and count > 3:
        raise JobError(f"invalid ISO 8601 format: length={count}")
    return letter, count


def simple_format(pattern: str, millis: int, zone: str) -> str:
    """Return the text of an instant, in milliseconds since the epoch, by a pattern and a zone's calendar."""
    pieces = _pieces(pattern)
    offset = legacy_offset(millis // 1000, zone)
    days, clock = divmod(millis + offset * 1000, _DAY)
    return "".join(
        text if not count else _field(text, count, days, clock, offset, millis, zone)
        for text, count in pieces
    )


def _field(letter: str, count: int, days: int, clock: int, offset: int, millis: int, zone: str) -> str:
    year, month, day = calendar.date_of(days)
    if letter in "yY":
        year = calendar.SINCE_1582.week_of(days)[0] if letter == "Y" else year
        year = year if year > 0 else 1 - year
        return f"{year % 100:02d}" if count == 2 else str(year).zfill(count)
    if letter in "ML" and count > 2:
        return (month_name if count > 3 else month_abbr)[month]
    if letter == "E":
        names = day_name if count > 3 else day_abbr
        return names[(calendar.weekday(days) + 5) % 7]
    if letter == "a":
        return "PM" if clock >= _DAY // 2 else "AM"
    if letter == "G":
        return "AD" if year > 0 else "BC"
    if letter == "z":
        return _zone_name(count, millis // 1000, zone)
    if letter in "ZX":
        return _offset_text(letter, count, offset)
    return str(_number(letter, days, clock, day)).zfill(count)


def _number(letter: str, days: int, clock: int, day: int) -> int:
    if letter == "S":
        return clock % 1000
    if letter == "F":
        return (day - 1) // 7 + 1
    if letter == "u":
        return (calendar.weekday(days) + 5) % 7 + 1
    return calendar.SINCE_1582.field(letter, days, clock // 1000)


def _offset_text(letter: str, count: int, offset: int) -> str:
    if letter == "X" and offset == 0:
        return "Z"
    sign, minutes = ("-" if offset < 0 else "+"), abs(offset) // 60
    hours = f"{sign}{minutes // 60:02d}"
    if letter == "X" and count == 1:
        return hours
    return f"{hours}{':' if letter == 'X' and count == 3 else ''}{minutes % 60:02d}"


def _zone_name(count: int, seconds: int, zone: str) -> str:
    """Return a zone's name at an instant: long if the pattern has more than 3 letters z, else short.

    For a region such as Europe/Paris, Python knows only abbreviations such as CET, and no long names.

    Raises:
        NotSupportedError: The zone is a region, and a long name is wanted or its abbreviation is no word.
    """
    if zone.startswith(("GMT+", "GMT-")):
        return zone
    if zone in ("UTC", "GMT"):
        long = "Coordinated Universal Time" if zone == "UTC" else "Greenwich Mean Time"
        return long if count > 3 else zone
    moment = datetime(1970, 1, 1, tzinfo=timezone.utc) + timedelta(seconds=seconds)
    name = moment.astimezone(zone_of(zone)).tzname() or ""
    if count > 3 or not name.isalpha():
        raise NotSupportedError(f"The name of the time zone {zone} in a date pattern is not supported")
    return name


def simple_parse(pattern: str, text: str, zone: str) -> int | None:
    """Return milliseconds since the epoch, or None if the start of the text does not match the pattern."""
    pieces = _pieces(pattern)
    fields: dict[str, int] = {}
    at, short_year = 0, False
    for i, (piece, count) in enumerate(pieces):
        if not count:
            if not text.startswith(piece, at):
                return None
            at += 1
            continue
        found = _read(piece, count, pieces[i + 1] if i + 1 < len(pieces) else ("", 0), text, at)
        if found is None:
            return None
        letter, value, end = found
        short_year |= letter in "yY" and count <= 2 and len(text[at:end].strip(" \t")) == 2
        at = end
        fields.pop(letter, None)
        fields[letter] = value
    if not at:
        return None
    millis = _instant_of(fields, zone)
    if short_year and millis < _century_start() and fields.get("y", fields.get("Y")) == _now().year - 80:
        letter = "y" if "y" in fields else "Y"
        millis = _instant_of({**fields, letter: fields[letter] + 100}, zone)
    return millis


def _read(
    letter: str, count: int, following: tuple[str, int], text: str, at: int
) -> tuple[str, int, int] | None:
    """Read a field of a text at `at`, for the piece (letter, count) of a pattern.

    `following` is the next piece of the pattern. If both pieces are numbers, the field has at most `count`
    digits.

    Returns:
        The letter of the field that is set, which may differ from `letter`; its value; and the position after
        it. None if the text does not match.
    """
    if letter in _NUMERIC or (letter in "ML" and count <= 2):
        obeys = following[1] and (following[0] in _NUMERIC or (following[0] in "ML" and following[1] <= 2))
        end = at + count if obeys else len(text)
        match = _NUMBER.match(text, at, end) if end <= len(text) else None
        if match is None:
            return None
        value = _wrapped(int(match[1]))
        if letter in "yY" and count <= 2 and re.fullmatch("[0-9]{2}", match[1]):
            value = _in_this_century(value)
        letter, value = _plain(letter, value)
        return letter, value, match.end()
    if letter in "zZX":
        return _read_offset(letter, count, text, at)
    names = {"E": _DAYS, "a": {"am": 0, "pm": 1}, "G": {"bc": 0, "ad": 1}}.get(letter, _MONTHS)
    rest = text[at : at + 16].lower()
    name = max((n for n in names if rest.startswith(n)), key=len, default=None)
    return None if name is None else ("M" if letter == "L" else letter, names[name], at + len(name))


def _plain(letter: str, value: int) -> tuple[str, int]:
    if letter == "L":
        return "M", value
    if letter == "u":
        return "E", value % 7 + 1 if 1 <= value <= 7 else value
    if letter == "k":
        return "H", 0 if value == 24 else value
    if letter in "hK":
        return "h", 0 if letter == "h" and value == 12 else value
    return letter, value


def _wrapped(value: int) -> int:
    """Return a Java long wrapped to an int."""
    return (value + (1 << 31)) % (1 << 32) - (1 << 31)


def _in_this_century(value: int) -> int:
    """Return the full year for a year of two digits: from 80 years ago to 20 years ahead."""
    start = _now().year - 80
    year = start // 100 * 100 + value
    return year + 100 if value < start % 100 else year


def _now() -> datetime:
    return datetime.now(timezone.utc)


def _century_start() -> int:
    now = _now()
    days = calendar.gregorian_day(now.year - 80, now.month, now.day)
    return days * _DAY + (now.hour * 3600 + now.minute * 60 + now.second) * 1000


def _read_offset(letter: str, count: int, text: str, at: int) -> tuple[str, int, int] | None:
    match = _OFFSET.match(text, at)
    if match is None:
        return None
    prefix, sign, hours, colon, minutes, name = match.groups()
    if name is not None:
        if (letter == "X") != (name == "Z"):
            return None
        return "Z", 0, match.end()
    end = match.end()
    if letter == "X" and count == 1:
        end, minutes, colon = match.end(3), None, ""
    wanted = (letter == "X" and count == 3) or bool(prefix)
    short = letter == "X" and count == 1
    if (not prefix and len(hours) < 2) or (minutes is None) != short or bool(colon) != wanted:
        return None
    if int(hours) > 23 or int(minutes or 0) > 59:
        return None
    total = (int(hours) * 60 + int(minutes or 0)) * 60_000
    return "Z", -total if sign == "-" else total, end


def _instant_of(fields: dict[str, int], zone: str) -> int:
    if "G" in fields and fields["G"] == 0:
        fields = {**fields, "y": 1 - fields.get("y", 1970)}
    order = list(fields)
    hour = fields.get("H", 0)
    if "H" not in fields or ("a" in fields and "h" in fields and order.index("h") > order.index("H")):
        hour = fields.get("h", 0) + 12 * fields.get("a", 0)
    clock = hour * 3_600_000 + fields.get("m", 0) * 60_000 + fields.get("s", 0) * 1000 + fields.get("S", 0)
    local = calendar.resolved_day(fields) * _DAY + clock
    if "Z" in fields:
        return local - fields["Z"]
    seconds, rest = divmod(local, 1000)
    return instant(seconds, zone) * 1000 + rest


def instant(local: int, zone: str) -> int:
    """Return the instant at which a zone shows a wall clock, both in seconds.

    If the zone shows the wall clock twice, as at the end of daylight saving time, the result is the later
    instant. If the zone skips the wall clock, as at the start of daylight saving time, the clock moves
    forward by the length of the skipped time.
    """
    if zone == "UTC":
        return local
    day = _DAY // 1000
    after, before = (local - legacy_offset(local + d, zone) for d in (day, -day))
    if before == after:
        return before
    valid = [s for s in (before, after) if s + legacy_offset(s, zone) == local]
    return max(valid, default=before)
