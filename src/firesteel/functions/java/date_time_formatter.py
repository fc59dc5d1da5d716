"""java.time.format.DateTimeFormatter.parse, with the SMART resolver style, in English (US).

A pattern is compiled to steps: literal texts, names, and numbers. If numbers follow each other without a text
between, the first one leaves digits to the others: `yyyyMMdd` reads 20240520 as 2024, 05 and 20.
"""

from __future__ import annotations

import re
from calendar import day_abbr, day_name, month_abbr, month_name, monthrange
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache

from firesteel.errors import JobError, NotSupportedError
from firesteel.functions.java.calendar import gregorian_day, on_or_before
from firesteel.functions.java.date_patterns import pieces_of

_DAY = 86_400 * 10**9
_SHORT_QUARTERS = {f"Q{i}": i for i in range(1, 5)}
_LONG_QUARTERS = {f"{i}{e} quarter": i for i, e in enumerate(("st", "nd", "rd", "th"), 1)}
_OFFSETS = {
    ("X", 1): r"Z|[+-]\d\d(?:\d\d)?",
    ("X", 2): r"Z|[+-]\d{4}",
    ("X", 3): r"Z|[+-]\d\d:\d\d",
    ("x", 1): r"[+-]\d\d(?:\d\d)?",
    ("x", 2): r"[+-]\d{4}",
    ("x", 3): r"[+-]\d\d:\d\d",
    ("Z", 1): r"[+-]\d{4}",
    ("Z", 2): r"[+-]\d{4}",
    ("Z", 3): r"[+-]\d{4}",
    ("Z", 5): r"Z|[+-]\d\d:\d\d(?::\d\d)?",
}


@dataclass(frozen=True)
class Number:
    """Step that reads a number of `least` to `most` digits.

    Attributes:
        field: Pattern letter of the field.
        sign: Java's SignStyle: EXCEEDS_PAD, NORMAL or NOT_NEGATIVE.
        following: For the first of adjacent numbers, how many digits it leaves to those after it: 4 for the
            year in `yyyyMMdd`. For the numbers after it, such as MM and dd, -1. For a single number, 0.
        base: Number that is added to the digits' value: 2000 for a year of two digits.
        unit: Factor of the digits' value: 1,000,000 for milliseconds, if the field counts nanoseconds.
    """

    field: str
    least: int
    most: int
    sign: str
    following: int = 0
    base: int = 0
    unit: int = 1

    @property
    def is_fixed(self) -> bool:
        return self.least == self.most and self.sign == "NOT_NEGATIVE"

    def read(self, text: str, at: int) -> tuple[int, int] | None:
        """Return the field's value and the offset after the number at `at`.

        None if the text there does not match. The value is `base` plus the number times `unit`.
        """
        negative = text.startswith("-", at)
        plus = text.startswith("+", at)
        if (negative and self.sign == "NOT_NEGATIVE") or (plus and self.sign != "EXCEEDS_PAD"):
            return None
        start = at + (negative or plus)
        digits = re.compile(r"[0-9]*").match(text, start, start + self.most + max(self.following, 0))
        count = len(digits[0]) if digits else 0
        if self.following > 0:
            count = max(self.least, count - self.following)
        if count < self.least or start + count > len(text) or not digits:
            return None
        count = min(count, self.most)
        value = int(digits[0][:count] or 0)
        if negative:
            return None if value == 0 else (-value, start + count)
        if self.sign == "EXCEEDS_PAD" and (count > self.least) != plus:
            return None
        return self.base + value * self.unit, start + count


@dataclass(frozen=True)
class Names:
    """Step that reads a name, such as a month's, and returns its number."""

    field: str
    values: Mapping[str, int]

    def read(self, text: str, at: int) -> tuple[int, int] | None:
        found = max((n for n in self.values if n and text.startswith(n, at)), key=len, default=None)
        return None if found is None else (self.values[found], at + len(found))


@dataclass(frozen=True)
class Matching:
    """Step that reads a literal text or an offset from UTC. The value of the offset is ignored."""

    expression: re.Pattern[str]
    field: str = ""

    def read(self, text: str, at: int) -> tuple[int, int] | None:
        match = self.expression.match(text, at)
        return None if match is None else (0, match.end())


@dataclass(frozen=True)
class Optional:
    """Steps that may be missing."""

    steps: tuple[Step, ...]


Step = Number | Names | Matching | Optional


class BadPattern(ValueError):
    """Pattern that DateTimeFormatter rejects."""


def parsed(pattern: str, text: str) -> int | None:
    """Return the nanoseconds of the wall clock that a text names, None if the text does not match.

    Missing fields have the values of 1970-01-01.

    Raises:
        JobError: Flink fails to build the date, which happens after parsing.
    """
    steps = steps_of(pattern)
    fields: dict[str, int] = {}
    if steps is None or _read_all(steps, text, 0, fields) != len(text):
        return None
    try:
        return _resolved(fields)
    except ValueError:
        return None


def _read_all(steps: tuple[Step, ...], text: str, at: int, fields: dict[str, int]) -> int:
    """Read the steps of a pattern into `fields`.

    Return the offset after them, or -1 if the text does not match.
    """
    for step in steps:
        if isinstance(step, Optional):
            inner = dict(fields)
            after = _read_all(step.steps, text, at, inner)
            if after >= 0:
                at = after
                fields.update(inner)
            continue
        found = step.read(text, at)
        if found is None or fields.get(step.field, found[0]) != found[0]:
            return -1
        if step.field:
            fields[step.field] = found[0]
        at = found[1]
    return at


@lru_cache(maxsize=512)
def steps_of(pattern: str) -> tuple[Step, ...] | None:
    """Return the steps that read a text by a pattern, or None if the pattern is invalid."""
    try:
        pieces = list(pieces_of(pattern))
        return _compiled(pieces)
    except (BadPattern, JobError):
        return None


def _compiled(pieces: list[tuple[str, int]]) -> tuple[Step, ...]:
    # Steps of the whole pattern, then of each optional section `[...]` that is open, the innermost one last.
    open_groups: list[list[Step]] = [[]]
    # Index in `group` of the first number of a sequence of adjacent numbers, such as the year in `yyyyMMdd`.
    # Each further number adds its digits to the first one's `following`. -1 if no number is before.
    base = -1
    for text, count in pieces:
        group = open_groups[-1]
        if count < 0:
            base = -1
            if text == "[":
                open_groups.append([])
            elif len(open_groups) == 1:
                raise BadPattern("unmatched ]")
            else:
                inner = open_groups.pop()
                open_groups[-1].append(Optional(tuple(inner)))
            continue
        step = _step(text, count) if count else Matching(re.compile(re.escape(text)))
        if not isinstance(step, Number):
            base = -1
        elif base < 0:
            base = len(group)
        elif step.is_fixed:
            before = group[base]
            assert isinstance(before, Number)
            group[base] = replace(before, following=max(before.following, 0) + step.most)
            step = replace(step, following=-1)
        else:
            base = len(group)
        group.append(step)
    while len(open_groups) > 1:
        inner = open_groups.pop()
        open_groups[-1].append(Optional(tuple(inner)))
    return tuple(open_groups[0])


def _step(letter: str, count: int) -> Step:
    if letter in "uyY":
        if count == 2:
            return Number(letter, 2, 2, "NOT_NEGATIVE", base=2000)
        return Number(letter, count, 19, "NORMAL" if count < 4 else "EXCEEDS_PAD")
    if letter in "MLQqEec" and (count > 2 or letter == "E"):
        return _names(letter, count)
    if letter in "MLQqec" and count <= 2 and (letter, count) != ("c", 2):
        field = {"L": "M", "q": "Q", "c": "e"}.get(letter, letter)
        if count == 2 or field == "e":
            return Number(field, count, count, "NOT_NEGATIVE")
        return Number(field, 1, 19, "NORMAL")
    if (letter, count) in (("W", 1), ("w", 1), ("w", 2)):
        return Number(letter, count, 1 if letter == "W" else 2, "NOT_NEGATIVE")
    if letter in "dhHkKms" and count <= 2:
        return Number(letter, 2, 2, "NOT_NEGATIVE") if count == 2 else Number(letter, 1, 19, "NORMAL")
    if letter == "F" and count == 1:
        return Number("F", 1, 19, "NORMAL")
    if letter == "D" and count <= 3:
        return Number("D", 1, 19, "NORMAL") if count == 1 else Number("D", count, 3, "NOT_NEGATIVE")
    if letter == "S" and count <= 9:
        return Number("S", count, count, "NOT_NEGATIVE", unit=10 ** (9 - count))
    if letter in "AnN" and count <= 19:
        return Number("S" if letter == "n" else letter, count, 19, "NOT_NEGATIVE")
    if letter == "a" and count == 1:
        return Names("a", {"AM": 0, "PM": 1})
    if letter == "G" and count <= 5:
        return Names(
            "G",
            {4: {"Before Christ": 0, "Anno Domini": 1}, 5: {"B": 0, "A": 1}}.get(count, {"BC": 0, "AD": 1}),
        )
    if letter == "B":
        raise NotSupportedError("Reading the period of a day (B) is not supported")
    if (letter, count) in _OFFSETS:
        return Matching(re.compile(_OFFSETS[letter, count]))
    raise BadPattern(f"{letter} {count}")


def _names(letter: str, count: int) -> Step:
    if count > 5 or (letter == "c" and count == 2):
        raise BadPattern(f"Too many pattern letters: {letter}")
    if letter in "Qq":
        names = {4: _LONG_QUARTERS, 5: {str(i): i for i in range(1, 5)}}.get(count, _SHORT_QUARTERS)
        return Names("Q", names)
    months = letter in "ML"
    listed = list(
        (month_name if count == 4 else month_abbr) if months else day_name if count == 4 else day_abbr
    )
    found = {name: i if months else (i + 1) % 7 + 1 for i, name in enumerate(listed) if name}
    if count == 5:
        found = {name[0]: value for name, value in found.items()}
    return Names("M" if months else "e", found)


_WHOLE_DATES = (*(frozenset(names) for names in ("uMd", "uD", "uMWe", "Ywe")),)
"""Sets of fields from which Java builds a date."""


def _resolved(fields: dict[str, int]) -> int:
    """Return the nanoseconds of the wall clock that parsed fields describe.

    Raises:
        ValueError: Fields contradict each other or are out of range.
        JobError: Java parses the fields, but Flink then fails to build a date from them.
    """
    if "G" in fields and "y" in fields:
        fields["u"] = fields.pop("y") if fields["G"] else 1 - fields.pop("y")
    elif "y" in fields:
        year = fields.pop("y")
        if year < 1 or fields.get("u", year) != year:
            raise ValueError(year)
        fields["u"] = year
    clock = _clock(fields)
    year, month, day = fields.get("u", 1970), fields.get("M", 1), fields.get("d", 1)
    if not -999_999_999 <= year <= 999_999_999:
        raise ValueError(year)
    _check_month_and_day(fields, month, day)
    length = monthrange(2000 + year % 400, month)[1]
    if "u" in fields and "M" in fields and "d" in fields:
        days = gregorian_day(year, month, min(day, length))
        if "D" in fields and gregorian_day(year, 1, 1) + fields["D"] - 1 != days:
            raise ValueError(fields["D"])
        _same_weekday(fields, days)
    elif "u" in fields and "D" in fields:
        days = gregorian_day(year, 1, 1) + fields["D"] - 1
        if not 1 <= fields["D"] <= gregorian_day(year + 1, 1, 1) - gregorian_day(year, 1, 1):
            raise ValueError(fields["D"])
        _same_weekday(fields, days)
    elif {"u", "M", "W", "e"} <= fields.keys():
        days = _week_of_month(gregorian_day(year, month, 1), _ranged(fields, "W", 0, 6), fields["e"])
    elif {"Y", "w", "e"} <= fields.keys() and "u" not in fields:
        days = _week_day(fields["Y"], fields["w"], fields["e"])
    elif day > length:
        raise JobError(f"Invalid date '{month_name[month].upper()} {day}'")
    else:
        days = gregorian_day(year, month, day)
    return days * _DAY + clock


def _check_month_and_day(fields: dict[str, int], month: int, day: int) -> None:
    """Check the ranges of month and day.

    Raises:
        ValueError: A range is exceeded, and the fields are a set of `_WHOLE_DATES`: Java fails while parsing.
        JobError: A range is exceeded with other fields: Flink fails when it builds the date after parsing.
    """
    wrong = ""
    if not 1 <= month <= 12:
        wrong = f"Invalid value for MonthOfYear (valid values 1 - 12): {month}"
    elif not 1 <= day <= 31:
        wrong = f"Invalid value for DayOfMonth (valid values 1 - 28/31): {day}"
    if wrong and any(named <= fields.keys() for named in _WHOLE_DATES):
        raise ValueError(wrong)
    if wrong:
        raise JobError(wrong)


def _week_of_month(first: int, week: int, weekday: int) -> int:
    return on_or_before(first, 1) + 7 * (week - 1) + weekday - 1


def _week_day(year: int, week: int, weekday: int) -> int:
    """Return a day of a week-based year, in days since 1970-01-01.

    Weeks begin on Sunday, and week 1 contains January 1.
    """
    first, following = (on_or_before(gregorian_day(y, 1, 1), 1) for y in (year, year + 1))
    if not 1 <= weekday <= 7 or not 1 <= week <= (following - first) // 7:
        raise ValueError(week)
    return first + 7 * (week - 1) + weekday - 1


def _same_weekday(fields: dict[str, int], days: int) -> None:
    if fields.get("e", (days + 4) % 7 + 1) != (days + 4) % 7 + 1:
        raise ValueError(fields["e"])


def _ranged(fields: dict[str, int], letter: str, low: int, high: int) -> int:
    value = fields[letter]
    if not low <= value <= high:
        raise ValueError(value)
    return value


def _clock(fields: dict[str, int]) -> int:
    """Return the nanoseconds of the day that parsed fields describe, a whole day for 24:00:00.

    An hour of a 12-hour clock without AM or PM does not set the hour, but must agree with it.
    """
    for letter, unit in (("N", 1), ("A", 10**6)):
        if letter in fields:
            nanos = _ranged(fields, letter, 0, _DAY // unit - 1) * unit
            _agree(fields, "H", nanos // (3600 * 10**9))
            _agree(fields, "m", nanos // (60 * 10**9) % 60)
            _agree(fields, "s", nanos // 10**9 % 60)
            _agree(fields, "S", nanos % 10**9 if unit == 1 else fields.get("S", nanos % 10**9))
    if "k" in fields:
        _agree(fields, "H", _ranged(fields, "k", 0, 24) % 24)
    for letter, low, high in (("h", 0, 12), ("K", 0, 11)):
        if letter in fields:
            half = _ranged(fields, letter, low, high) % 12
            if "a" in fields:
                _agree(fields, "H", half + 12 * fields["a"])
            elif "H" in fields and fields["H"] % 12 != half:
                raise ValueError(half)
    if "a" in fields and fields.get("H", 12 * fields["a"]) // 12 != fields["a"]:
        raise ValueError(fields["a"])
    if "a" in fields and not fields.keys() & set("HhKmsS"):
        fields["H"] = 12 * fields["a"] + 6  # As in Java, a mere AM is 6 o'clock, and a mere PM 18 o'clock.
    minute = _ranged(fields, "m", 0, 59) if "m" in fields else 0
    second = _ranged(fields, "s", 0, 59) if "s" in fields else 0
    nanos = _ranged(fields, "S", 0, 999_999_999) if "S" in fields else 0
    hour = fields.get("H", 0)
    if not 0 <= hour <= 23 and (hour, minute, second, nanos) != (24, 0, 0, 0):
        raise ValueError(hour)
    return ((hour * 60 + minute) * 60 + second) * 10**9 + nanos


def _agree(fields: dict[str, int], letter: str, value: int) -> None:
    """Set a field.

    Raises:
        ValueError: The field already has another value.
    """
    if fields.setdefault(letter, value) != value:
        raise ValueError(value)
