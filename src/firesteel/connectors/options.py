"""Checks of a table's options, with Flink's error texts (FactoryUtil)."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Iterable, Mapping
from difflib import get_close_matches
from functools import partial
from typing import TypeVar

from firesteel.config.option import (
    Kind,
    Option,
    TypedOptions,
    invalid,
    parse_boolean,
    parse_duration,
    parse_integer,
)
from firesteel.errors import FiresteelWarning, ValidationError
from firesteel.functions.java.regular_expressions import parsed

T = TypeVar("T")

CONNECTOR = Option(
    "connector", Kind.STRING, None, "Name of the connector.", required=True, decides_offsets=True
)
VERSION = Option("property-version", Kind.INTEGER, "1", "Has no effect.")
PARALLELISM = Option("sink.parallelism", Kind.INTEGER, None, "Writers of the sink.")
IDLE_TIMEOUT = "scan.watermark.idle-timeout"
EMIT_STRATEGY = "scan.watermark.emit.strategy"
ON_EVENT = "on-event"
_GROUP, _DRIFT, _UPDATES = (
    f"scan.watermark.alignment.{each}" for each in ("group", "max-drift", "update-interval")
)
WATERMARKS = (
    Option(_GROUP, Kind.STRING, None, "Has no effect: what is far ahead waits in the state."),
    Option(_DRIFT, Kind.DURATION, None, "Has no effect: what is far ahead waits in the state."),
    Option(_UPDATES, Kind.DURATION, "1 s", "Has no effect: what is far ahead waits in the state."),
    Option(
        EMIT_STRATEGY,
        Kind.ENUM,
        "on-periodic",
        "With `on-event` a watermark stands behind each row of Kafka that moves it.",
        (ON_EVENT, "on-periodic"),
    ),
    Option(
        IDLE_TIMEOUT,
        Kind.DURATION,
        None,
        "After it a silent table no longer holds time back; else table.exec.source.idle-timeout.",
    ),
)
"""Watermark options that Flink's FactoryUtil accepts for nearly every connector."""


def check_watermarks(connector: str, options: Mapping[str, str]) -> None:
    """Raise ValidationError if a watermark option is invalid (Flink: FactoryUtil.checkWatermarkOptions)."""
    given = TypedOptions(WATERMARKS, options)
    for option in WATERMARKS:
        given[option.key]
    if {_GROUP, _DRIFT, _UPDATES} & options.keys() and not options.keys() >= {_GROUP, _DRIFT}:
        raise ValidationError(
            f"Error configuring watermark for '{connector}', '{_GROUP}' and '{_DRIFT}' must be set when "
            "configuring watermark alignment"
        )


def check_required(options: Mapping[str, str], table: Iterable[Option]) -> None:
    """Raise ValidationError if a required option is missing."""
    known = {option.key: option for option in table}
    missing = sorted(key for key, option in known.items() if option.required and key not in options)
    if not missing:
        return
    other = [key for key in options if key not in known]
    near = {key: close[0] for key in missing if (close := get_close_matches(key, other, 1))}
    meant = " and ".join(f"'{key}' instead of '{given}'" for key, given in near.items())
    listed = "\n".join(missing)
    raise ValidationError(
        f"One or more required options are missing.\n\nMissing required options are:\n\n{listed}",
        hint=f"did you mean {meant}?" if meant else None,
        option=next(iter(near.values()), None),
    )


def keys(table: Iterable[Option]) -> list[str]:
    """Return the keys of the options."""
    return [option.key for option in table]


def check_unknown(name: str, options: Mapping[str, str], known: Iterable[str]) -> None:
    """Check that a table sets no option that its connector and formats do not know.

    Args:
        name: Name of the connector.
        options: Options of the table.
        known: Keys of all options that the connector and the table's formats have.

    Raises:
        ValidationError: `options` has a key that is not in `known`. The text is Flink's.
    """
    supported = sorted(known)
    unknown = sorted(key for key in options if key not in supported)
    if not unknown:
        return
    near = [close[0] for key in unknown if (close := get_close_matches(key, supported, 1))]
    listed, all_options = "\n".join(unknown), "\n".join(supported)
    raise ValidationError(
        f"Unsupported options found for '{name}'.\n\nUnsupported options:\n\n{listed}\n\n"
        f"Supported options:\n\n{all_options}",
        hint=f"did you mean {', '.join(near)}?" if near else None,
        option=unknown[0],
    )


def warn_of_unknown(options: Iterable[str], prefix: str, known: Iterable[str]) -> None:
    """Warn of each unknown option that begins with `prefix`, and suggest a known one.

    A connector calls this function for the options of a format if Flink accepts unknown ones silently.
    """
    supported = sorted(f"{prefix}{key}" for key in known)
    for key in sorted(options):
        if key.startswith(prefix) and key not in supported:
            near = get_close_matches(key, supported, 1)
            meant = f": did you mean '{near[0]}'?" if near else "."
            warnings.warn(f"'{key}' is no option and has no effect{meant}", FiresteelWarning, stacklevel=2)


def flag(options: Mapping[str, str], key: str, *, default: bool) -> bool:
    """Return a boolean option.

    Raises:
        ValidationError: The value is not a boolean.
    """
    return _parsed(options, key, default, parse_boolean)


def integer(options: Mapping[str, str], key: str, default: int, *, least: int | None = None) -> int:
    """Return a LONG option.

    Raises:
        ValidationError: The value is not an integer or is below `least`.
    """
    value = _parsed(options, key, default, partial(parse_integer, kind=Kind.LONG))
    if least is not None and value < least:
        raise invalid(key, f"it must be at least {least}, not {value}")
    return value


def duration(options: Mapping[str, str], key: str, default: int) -> int:
    """Return a duration option in milliseconds.

    Raises:
        ValidationError: The value is not a duration.
    """
    return _parsed(options, key, default, parse_duration)


def _parsed(options: Mapping[str, str], key: str, default: T, parse: Callable[[str], T]) -> T:
    if key not in options:
        return default
    try:
        return parse(options[key])
    except ValueError as error:
        raise invalid(key, f"Could not parse value '{options[key]}' for key '{key}': {error}") from None


def check_expression(options: Mapping[str, str], key: str) -> None:
    """Raise ValidationError if the option is set and is not a valid Java regular expression."""
    try:
        parsed(options.get(key, ""))
    except re.error as error:
        raise invalid(key, f"it is no regular expression: {error}") from None
