"""Definition and parsing of options: Flink's durations, memory sizes, booleans and enums."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from enum import Enum
from typing import Any

from firesteel.errors import ValidationError
from firesteel.sensitive import is_sensitive


class Kind(Enum):
    """Type of an option's value. Durations are held in milliseconds, memory sizes in bytes."""

    BOOLEAN = "Boolean"
    INTEGER = "Integer"
    LONG = "Long"
    DOUBLE = "Double"
    DURATION = "Duration"
    MEMORY = "MemorySize"
    STRING = "String"
    ENUM = "Enum"
    ZONE = "Time zone"


@dataclass(frozen=True)
class Option:
    """Definition of an option of the session, a connector or a format."""

    key: str
    """Name, as in SET or WITH."""
    kind: Kind
    default: str | None
    """Default value as written in a script, or None if there is none."""
    doc: str
    """Description for the documentation."""
    choices: tuple[str, ...] = ()
    """Allowed values of an ENUM."""
    required: bool = False
    """Whether a table must set it. Only for connectors and formats."""
    secret: bool = False
    """Whether the value is never shown. If False, a key such as `password` makes it a secret (`is_secret`).

    Only for connectors and formats.
    """
    decides_offsets: bool = False
    """Whether another value of the option changes which rows an offset of a checkpoint means.

    An example is `topic`. A job that continues from its checkpoint must not change such an option. Only for
    connectors and formats.
    """
    cuts_files: bool = False
    """Whether the value decides where a record of a file ends, such as the quote of csv. Only for formats."""
    check: Callable[[Any], str | None] | None = None
    """Function from a parsed value to Flink's error message, or to None if the value is valid.

    None if any value of the type is valid.
    """

    @property
    def is_secret(self) -> bool:
        """Whether the value is a secret: declared with `secret`, or recognized by the key."""
        return self.secret or is_sensitive(self.key)

    def parse(self, text: str) -> Any:
        """Return the value in the option's type.

        Raises:
            ValidationError: The text is not a valid value. The message is Flink's.
        """
        try:
            value = _PARSERS[self.kind](text, self)
        except ValueError as error:
            raise ValidationError(
                f"Could not parse value '{text}' for key '{self.key}'.", hint=str(error)
            ) from None
        wrong = None if self.check is None else self.check(value)
        if wrong is not None:
            raise ValidationError(wrong, hint=f"'{self.key}' is '{text}'")
        return value


_UNITS = {
    "d": 86_400_000, "day": 86_400_000, "days": 86_400_000,
    "h": 3_600_000, "hour": 3_600_000, "hours": 3_600_000,
    "m": 60_000, "min": 60_000, "minute": 60_000, "minutes": 60_000,
    "s": 1000, "sec": 1000, "secs": 1000, "second": 1000, "seconds": 1000,
    "ms": 1, "milli": 1, "millis": 1, "millisecond": 1, "milliseconds": 1, "": 1,
    "µs": 1e-3, "micro": 1e-3, "micros": 1e-3, "microsecond": 1e-3, "microseconds": 1e-3,
    "ns": 1e-6, "nano": 1e-6, "nanos": 1e-6, "nanosecond": 1e-6, "nanoseconds": 1e-6,
}  # fmt: skip
_SIZES = {
    "": 1, "b": 1, "bytes": 1,
    "k": 1 << 10, "kb": 1 << 10, "kibibytes": 1 << 10,
    "m": 1 << 20, "mb": 1 << 20, "mebibytes": 1 << 20,
    "g": 1 << 30, "gb": 1 << 30, "gibibytes": 1 << 30,
    "t": 1 << 40, "tb": 1 << 40, "tebibytes": 1 << 40,
}  # fmt: skip


_BLANKS = "".join(map(chr, range(33)))
"""Characters that Java's `String.trim` removes."""
_ISO_DURATION = re.compile(
    r"([-+]?)P(?=T?[-+0-9])(?:([-+]?[0-9]+)D)?"
    r"(?:T(?=[-+0-9])(?:([-+]?[0-9]+)H)?(?:([-+]?[0-9]+)M)?(?:([-+]?[0-9]+(?:[.,][0-9]{0,9})?)S)?)?",
    re.IGNORECASE | re.ASCII,
)


def parse_duration(text: str) -> int:
    """Return the milliseconds of a duration such as `5 s`, `1 d`, `500 ms`, `3min` or `PT1M`.

    A number without a unit is in milliseconds. Flink: TimeUtils.parseDuration.

    Raises:
        ValueError: The text is not a duration, or the duration is negative.
    """
    if iso := _ISO_DURATION.fullmatch(text.strip(_BLANKS)):
        parts = ((part or "0").replace(",", ".") for part in iso.groups()[1:])
        days, hours, minutes, seconds = map(Decimal, parts)
        whole = ((days * 24 + hours) * 60 + minutes) * 60 + seconds
        if (-whole if iso[1] == "-" else whole) < 0:
            raise ValueError("negative duration is not supported")
        return int(abs(whole) * 1000)
    number, unit = _number_and_unit(text, ", and is not a valid ISO-8601 duration format")
    if unit not in _UNITS:
        raise ValueError(
            f"Time interval unit label '{unit}' does not match any of the recognized units: d, h, min, s, ms"
        )
    return int(number * _UNITS[unit])


def parse_memory(text: str) -> int:
    """Return the bytes of a memory size such as `64 mb` or `1g`.

    A number without a unit is in bytes.

    Raises:
        ValueError: The text is not a memory size.
    """
    number, unit = _number_and_unit(text)
    if unit not in _SIZES:
        raise ValueError(
            f"Memory size unit '{unit}' does not match any of the recognized units: b, kb, mb, gb, tb"
        )
    return number * _SIZES[unit]


def _number_and_unit(text: str, otherwise: str = "") -> tuple[int, str]:
    trimmed = text.strip(_BLANKS)
    if not trimmed:
        raise ValueError("argument is an empty- or whitespace-only string")
    match = re.match("[0-9]+", trimmed)
    if match is None:
        raise ValueError(f"text does not start with a number{otherwise}")
    return int(match.group()), trimmed[match.end() :].strip(_BLANKS).lower()


def parse_boolean(text: str) -> bool:
    """Return the boolean of `true` or `false` in any case.

    Raises:
        ValueError: The text is neither.
    """
    if text.lower() not in ("true", "false"):
        raise ValueError(
            f"Unrecognized option for boolean: {text}. Expected either true or false(case insensitive)"
        )
    return text.lower() == "true"


def parse_integer(text: str, kind: Kind = Kind.INTEGER) -> int:
    """Return the integer of an INTEGER or LONG option.

    Raises:
        ValueError: The text is not an integer, has blanks around it (as in Java's parseInt), or is outside
            the range of the type.
    """
    if not re.fullmatch(r"[+-]?\d+", text):
        raise ValueError(f"'{text}' is no whole number")
    value, bits = int(text), 31 if kind is Kind.INTEGER else 63
    if not -(1 << bits) <= value < 1 << bits:
        raise ValueError(f"Configuration value {value} overflows/underflows the {kind.value.lower()} type.")
    return value


def parse_double(text: str) -> float:
    """Return the number of a DOUBLE option.

    Raises:
        ValueError: The text is not a finite number.
    """
    value = float(text)
    if not math.isfinite(value):
        raise ValueError(f"'{text}' is no finite number")
    return value


def _choice(text: str, option: Option) -> str:
    for choice in option.choices:
        if choice.upper() == text.upper():
            return choice
    raise ValueError(f"Could not parse value for enum. Expected one of: [{', '.join(option.choices)}]")


_PARSERS: dict[Kind, Any] = {
    Kind.BOOLEAN: lambda text, option: parse_boolean(text),
    Kind.INTEGER: lambda text, option: parse_integer(text),
    Kind.LONG: lambda text, option: parse_integer(text, Kind.LONG),
    Kind.DOUBLE: lambda text, option: parse_double(text),
    Kind.DURATION: lambda text, option: parse_duration(text),
    Kind.MEMORY: lambda text, option: parse_memory(text),
    Kind.STRING: lambda text, option: text,
    Kind.ENUM: _choice,
    Kind.ZONE: lambda text, option: text,  # like Flink, check a zone only when it is used
}


class TypedOptions:
    """Typed access to the options of one table, with defaults.

    Args:
        options: Definitions of the options.
        given: Values as written in WITH, by the keys of `options`.
        prefix: Text before each key in error messages, such as the format's name.
    """

    def __init__(self, options: Iterable[Option], given: Mapping[str, str], prefix: str = "") -> None:
        self._options = {option.key: option for option in options}
        self._given = given
        self._prefix = prefix

    def __getitem__(self, key: str) -> Any:
        """Return the value of an option, or its default; None if it has none.

        Raises:
            KeyError: The option is not defined.
            ValidationError: The value is not of the option's type.
        """
        option = self._options[key]
        text = self._given.get(key, option.default)
        try:
            return None if text is None else _PARSERS[option.kind](text, option)
        except ValueError as error:
            raise invalid(f"{self._prefix}{key}", f"'{text}': {error}", secret=option.is_secret) from None


def invalid(key: str, reason: str, *, secret: bool = False) -> ValidationError:
    """Return the error for an invalid option value.

    Args:
        key: Key of the option.
        reason: Hint of the error, which may quote the value. A secret option gets a hint without the value
            instead.
        secret: Whether the option is declared a secret. If False, the key may still make it one.
    """
    hint = "it is a secret and not shown" if secret or is_sensitive(key) else reason
    return ValidationError(f"Invalid value for option '{key}'.", hint=hint, option=key)
