"""Time zones: the names that Flink accepts, the machine's own zone, and offsets from UTC.

Flink: TableConfigValidation (names), Java's ZoneRules (offsets). A zone is represented by its name. Fixed
offsets are GMT+hh:mm.
"""

from __future__ import annotations

import os
import re
import time
from datetime import datetime, timedelta, timezone, tzinfo
from functools import lru_cache
from pathlib import Path
from zoneinfo import ZoneInfo

from firesteel.errors import ValidationError

_CUSTOM = re.compile(r"GMT([+-])(\d{1,2})(?::?(\d{2}))?")
_NOT_IN_JAVA = frozenset(["EST", "MST", "HST", "ROC", "Factory", "localtime", "posixrules"])
_EPOCH = datetime(1970, 1, 1)
_CYCLE = 146_097 * 86_400  # seconds of 400 years, after which the calendar and zone rules repeat
_FIRST, _LAST = -62_135_510_400, 253_370_764_800
"""0001-01-02 and 9999-01-01 in seconds since 1970. With any zone's offset added, both fit datetime."""
_A_YEAR_TO_COME = 2_524_608_000
"""2050-01-01 in seconds since 1970. In this year, a zone has the offsets of its latest rules."""
_ZONEINFO = "zoneinfo/"


@lru_cache(maxsize=256)
def zone_of(name: str) -> tzinfo:
    """Return the time zone of a name.

    Raises:
        KeyError, ValueError or OSError: There is no such zone.
    """
    custom = _CUSTOM.fullmatch(name)
    if custom is None:
        return ZoneInfo(name)
    minutes = int(custom[2]) * 60 + int(custom[3] or 0)
    return timezone(timedelta(minutes=-minutes if custom[1] == "-" else minutes))


def is_region(name: str) -> bool:
    """Return whether Java has a time zone of this name in the time zone database.

    Return False for names that exist only as files of this machine (`localtime`, `posix/...`, `right/...`),
    and for names of the database that Java lacks, such as `EST`.
    """
    if name in _NOT_IN_JAVA or name.startswith(("posix/", "right/")):
        return False
    try:
        ZoneInfo(name)
    except (KeyError, ValueError, OSError):
        return False
    return True


def custom_zone(name: str) -> str | None:
    """Return the name that java.time has for a fixed offset from GMT; None for any other name.

    Examples: `GMT+5` gives GMT+05:00, `GMT+0530` gives GMT+05:30, `GMT+00:00` gives GMT. None, too, if the
    offset is larger than 18 hours or its minutes are above 59.
    """
    custom = _CUSTOM.fullmatch(name)
    if custom is None or (custom[3] and len(custom[2]) == 1):
        return None
    hours, minutes = int(custom[2]), int(custom[3] or 0)
    if minutes > 59 or hours * 60 + minutes > 18 * 60:
        return None
    return f"GMT{custom[1]}{hours:02d}:{minutes:02d}" if hours or minutes else "GMT"


def zone_id(name: str) -> str | None:
    """Return the zone that a name stands for in java.time's ZoneId.of; None for an unknown name.

    Examples: `Z` gives UTC, `+08:00` and `UTC+8` give GMT+08:00, a region such as `Europe/Paris` itself.
    """
    if name in ("Z", "UTC", "GMT", "UT"):
        return "UTC"
    offset = re.fullmatch(r"(?:UTC|GMT|UT)?([+-])(\d|\d\d(?::?\d\d)?)", name, re.ASCII)
    if offset is not None:
        return custom_zone(f"GMT{offset[1]}{offset[2]}")
    return name if is_region(name) else None


def session_zone(name: str) -> str:
    """Return the zone of `table.local-time-zone`; the machine's for `default`.

    Raises:
        ValidationError: The zone is unknown.
    """
    if name == "default":
        return machine_zone()
    found = custom_zone(name) or (name if is_region(name) else None)
    if found is None:
        raise ValidationError(
            "Invalid time zone. The value should be a Time Zone Database (TZDB) ID such as "
            "'America/Los_Angeles' to include daylight saving time. Fixed offsets are supported using "
            "'GMT-03:00' or 'GMT+03:00'. Or use 'UTC' without time zone and daylight saving time.",
            hint=f"table.local-time-zone is '{name}'.",
        )
    return found


def machine_zone() -> str:
    """Return the zone of this machine as Java finds it: TZ, the link /etc/localtime, /etc/timezone.

    If TZ names no zone (`XYZ-3`), or if none of the three is set, return a fixed offset such as GMT+03:00.
    """
    written = os.environ.get("TZ", "").removeprefix(":")
    if written:
        name = written.rpartition(_ZONEINFO)[2]
        return name if is_region(name) else _by_offset()
    linked = os.path.realpath("/etc/localtime")
    if _ZONEINFO in linked and is_region(linked.rpartition(_ZONEINFO)[2]):
        return linked.rpartition(_ZONEINFO)[2]
    listed = Path("/etc/timezone")
    if listed.is_file():
        name = listed.read_text(encoding="utf-8", errors="replace").strip()
        if is_region(name):
            return name
    return _by_offset()


def _by_offset() -> str:
    minutes = -time.timezone // 60
    sign, minutes = ("-" if minutes < 0 else "+"), abs(minutes)
    return f"GMT{sign}{minutes // 60:02d}:{minutes % 60:02d}" if minutes else "UTC"


@lru_cache(maxsize=1 << 16)
def offset_at(seconds: int, zone: str) -> int:
    """Return the offset from UTC at an instant of any year, in seconds, positive in the east.

    Args:
        seconds: Instant in seconds since the epoch.
        zone: Name of the zone.
    """
    if zone == "UTC":
        return 0
    moment = datetime.fromtimestamp(0, timezone.utc) + timedelta(seconds=_within(seconds))
    return _seconds(moment.astimezone(zone_of(zone)).utcoffset())


@lru_cache(maxsize=1 << 16)
def offset_of_local(seconds: int, zone: str) -> int:
    """Return the offset from UTC of a wall clock, in seconds, positive in the east.

    A time that the zone's clocks show twice stands for the earlier instant. A time that they skip is moved
    forward by the length of the gap.

    Args:
        seconds: Wall clock in seconds since 1970-01-01 00:00:00.
        zone: Name of the zone.
    """
    if zone == "UTC":
        return 0
    moment = (_EPOCH + timedelta(seconds=_within(seconds))).replace(tzinfo=zone_of(zone), fold=0)
    return _seconds(moment.utcoffset())


@lru_cache(maxsize=256)
def has_daylight_time(zone: str) -> bool:
    """Return whether the zone's offset changes within the year 2050 (Java: TimeZone.useDaylightTime)."""
    return len({offset_at(_A_YEAR_TO_COME + month * 30 * 86_400, zone) for month in range(12)}) > 1


def is_aligned(zone: str, interval: int) -> bool:
    """Return whether Flink's window aggregates compute the right end of windows over local time.

    In a zone with daylight saving time, Flink computes the end of a window from the zone's local time, so the
    end is right. For any other zone, Flink computes the end of a window from UTC. That end is right only if
    the zone's offset from UTC is a multiple of `interval`. With a wrong end, a window can lose rows
    (rules/window/warn_of_window_zones.py).

    Args:
        zone: Name of the session's time zone.
        interval: Step of the windows, or their size if they have no step, in milliseconds.
    """
    return has_daylight_time(zone) or offset_at(_A_YEAR_TO_COME, zone) * 1000 % interval == 0


@lru_cache(maxsize=256)
def was_aligned(zone: str, interval: int) -> bool:
    """Return whether windows in the zone's local time start at the same instants as windows in UTC.

    This is so if all offsets of the zone from 1970 to 2050 are multiples of `interval`.

    Args:
        zone: Name of the zone.
        interval: Distance between the starts of two windows in milliseconds.
    """
    months = range(0, _A_YEAR_TO_COME, 30 * 86_400)
    offsets = {offset_at(month, zone) for month in months}
    return zone == "UTC" or not any(offset * 1000 % interval for offset in offsets)


def _within(seconds: int) -> int:
    """Return a time within datetime's range at which each zone has the same offset from UTC as at `seconds`.

    A time after 9999-01-01 moves back by multiples of 400 years, after which the calendar and zone rules
    repeat. A time before 0001-01-02 becomes 0001-01-02: zones keep their first offset until the 19th century.

    Args:
        seconds: Instant or wall clock in seconds since 1970-01-01 00:00:00.
    """
    if seconds > _LAST:
        seconds -= -(-(seconds - _LAST) // _CYCLE) * _CYCLE
    return max(seconds, _FIRST)


def _seconds(offset: timedelta | None) -> int:
    return round((offset or timedelta()).total_seconds())
