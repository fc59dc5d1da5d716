"""Interval qualifiers and literals. Calcite: SqlIntervalQualifier.evaluateIntervalLiteral."""

from __future__ import annotations

import re
from dataclasses import dataclass

from firesteel.errors import SourceRange, ValidationError
from firesteel.types.sql import SqlType, TypeRoot

MILLIS = {
    "WEEK": 604_800_000,
    "DAY": 86_400_000,
    "HOUR": 3_600_000,
    "MINUTE": 60_000,
    "SECOND": 1_000,
    "MILLISECOND": 1,
}
MONTHS = {
    "YEAR": 12,
    "QUARTER": 3,
    "MONTH": 1,
    "ISOYEAR": 12,
    "DECADE": 120,
    "CENTURY": 1200,
    "MILLENNIUM": 12000,
}
_UNITS = ("YEAR", "QUARTER", "MONTH", "WEEK", "DAY", "HOUR", "MINUTE", "SECOND")
_LAST = {"MONTH": 11, "HOUR": 23, "MINUTE": 59, "SECOND": 59}
_BEFORE = {"MONTH": "-", "HOUR": " "}
_QUALIFIER = re.compile(r"(\w+)(?:\((\d+)(?:, (\d+))?\))?(?: TO (\w+)(?:\((\d+)\))?)?")
_MAX_PRECISION, _MAX_DAY_PRECISION, _MAX_FRACTION = 10, 3, 9


@dataclass(frozen=True)
class Qualifier:
    """Qualifier of an interval, such as `DAY(3) TO SECOND(2)`.

    `digits` is the precision of the first unit, `fraction` the number of decimals of SECOND.
    """

    text: str
    units: tuple[str, ...]
    digits: int = 2
    fraction: int = 6

    @property
    def first(self) -> str:
        return self.units[0]


def qualifier(text: str, place: SourceRange | None = None) -> Qualifier:
    """Return the parsed qualifier of an interval.

    Raises:
        ValidationError: A precision is out of Flink's range.
    """
    match = _QUALIFIER.fullmatch(text)
    first, digits, fraction, last, last_fraction = match.groups() if match else (text, None, None, None, None)
    fraction = fraction or last_fraction
    if digits and not 1 <= int(digits) <= _MAX_PRECISION:
        raise ValidationError(
            f"Interval leading field precision '{digits}' out of range for INTERVAL {text}", range=place
        )
    if fraction and not 1 <= int(fraction) <= _MAX_FRACTION:
        raise ValidationError(
            f"Interval fractional second precision '{fraction}' out of range for INTERVAL {text}", range=place
        )
    if digits and int(digits) > _MAX_DAY_PRECISION and first not in MONTHS:
        raise ValidationError(f"DAY_INTERVAL_TYPES precision is not supported: {digits}", range=place)
    units = (first,) if last is None else _between(first, last)
    return Qualifier(text, units, int(digits or 2), int(fraction or 6))


def _between(first: str, last: str) -> tuple[str, ...]:
    """Return the units in a literal of `first TO last`."""
    span = _UNITS[_UNITS.index(first) : _UNITS.index(last) + 1]
    return tuple(unit for unit in span if unit not in ("QUARTER", "WEEK"))


def interval_type(unit: str) -> SqlType:
    """Return the type of an interval with a qualifier such as `DAY TO SECOND`, NOT NULL."""
    names = tuple(unit.split(" TO "))
    months = names[0].partition("(")[0] in MONTHS
    root = TypeRoot.INTERVAL_YEAR_MONTH if months else TypeRoot.INTERVAL_DAY_TIME
    return SqlType(root, False, names=names)


def interval_count(text: str, unit: str, place: SourceRange | None = None) -> int:
    """Return the length of an interval: in months for units such as YEAR TO MONTH, else in milliseconds.

    Args:
        text: Text of the interval literal, such as `2-6`.
        unit: Qualifier, such as `YEAR TO MONTH`.
        place: Position in the statement.

    Raises:
        ValidationError: The text does not fit the qualifier.
    """
    wanted = qualifier(unit, place)
    trimmed = text.strip()
    if not trimmed:
        raise ValidationError(f"Illegal INTERVAL literal {text} {unit}", range=place)
    negative = trimmed.startswith("-")
    match = re.fullmatch(_shape(wanted), trimmed.removeprefix("-") if negative else trimmed.removeprefix("+"))
    numbers = [int(n or 0) for n in match.groups()[: len(wanted.units)]] if match else []
    if match is None or any(n > _LAST[u] for u, n in zip(wanted.units[1:], numbers[1:], strict=True)):
        raise ValidationError(f"Illegal interval literal format '{text}' for INTERVAL {unit}", range=place)
    if numbers[0] >= min(10**wanted.digits, 1 << 31):
        value = -numbers[0] if negative else numbers[0]
        raise ValidationError(
            f"Interval field value {value:,} exceeds precision of {wanted.first}({wanted.digits}) field",
            range=place,
        )
    sizes = MONTHS if wanted.first in MONTHS else MILLIS
    total = sum(n * sizes[u] for u, n in zip(wanted.units, numbers, strict=True))
    if wanted.units[-1] == "SECOND":
        total += int((match[len(numbers) + 1] or "").ljust(3, "0")[:3])
    return -total if negative else total


def _shape(wanted: Qualifier) -> str:
    parts = ["([0-9]+)"]
    parts += [f"{_BEFORE.get(unit, ':')}([0-9]{{1,2}})" for unit in wanted.units[1:]]
    if wanted.units[-1] == "SECOND":
        parts.append(rf"(?:\.([0-9]{{1,{wanted.fraction}}}))?")
    return "".join(parts)
