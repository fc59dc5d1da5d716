"""Options of lookups.

Flink: LookupOptions, DefaultLookupCache, PeriodicCacheReloadTrigger, TimedCacheReloadTrigger.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import time

from firesteel.config.option import Kind, Option, TypedOptions, invalid
from firesteel.errors import ValidationError

CACHE, RETRIES = "lookup.cache", "lookup.max-retries"
_PARTIAL, FULL = "lookup.partial-cache.", "lookup.full-cache."
ACCESS, WRITE = f"{_PARTIAL}expire-after-access", f"{_PARTIAL}expire-after-write"
MOST, MISSING = f"{_PARTIAL}max-rows", f"{_PARTIAL}cache-missing-key"
STRATEGY, INTERVAL = f"{FULL}reload-strategy", f"{FULL}periodic-reload.interval"
MODE = f"{FULL}periodic-reload.schedule-mode"
ISO_TIME, DAYS = f"{FULL}timed-reload.iso-time", f"{FULL}timed-reload.interval-in-days"

OPTIONS = (
    Option(
        CACHE,
        Kind.ENUM,
        "NONE",
        "What lookup joins keep of the table in memory.",
        ("NONE", "PARTIAL", "FULL"),
    ),
    Option(ACCESS, Kind.DURATION, None, "PARTIAL: a key is dropped so long after its last use."),
    Option(WRITE, Kind.DURATION, None, "PARTIAL: a key is dropped so long after it was read."),
    Option(MOST, Kind.LONG, None, "PARTIAL: the most keys; those unused for the longest time are dropped."),
    Option(MISSING, Kind.BOOLEAN, "true", "PARTIAL: whether keys without rows are kept, too."),
    Option(STRATEGY, Kind.ENUM, "PERIODIC", "FULL: when the table is read again.", ("PERIODIC", "TIMED")),
    Option(INTERVAL, Kind.DURATION, None, "FULL, PERIODIC: the time between two reads of the table."),
    Option(
        *(MODE, Kind.ENUM, "FIXED_DELAY"),
        "FULL, PERIODIC: whether the interval begins at the end or at the start of a read.",
        ("FIXED_DELAY", "FIXED_RATE"),
    ),
    Option(
        *(ISO_TIME, Kind.STRING, None),
        "FULL, TIMED: the time of day of a read, such as `10:15`, `10:15Z` or `10:15+07:00`.",
    ),
    Option(DAYS, Kind.INTEGER, "1", "FULL, TIMED: days between two reads."),
)
"""Options of caches, which every connector with lookups takes."""


@dataclass(frozen=True)
class PartialCache:
    """Settings of a cache of single keys.

    Attributes:
        after_access: Milliseconds from a key's last use until the key is dropped; None for never.
        after_write: Milliseconds from the read of a key's rows until the key is dropped; None for never.
        most: Maximum number of keys, None for no limit.
        keeps_missing: Whether keys without rows are cached.
    """

    after_access: int | None
    after_write: int | None
    most: int | None
    keeps_missing: bool = True


@dataclass(frozen=True)
class FullCache:
    """Settings of a cache of a whole table, which is read again periodically or at a time of day.

    Attributes:
        interval: Milliseconds between two periodic reads. Unused if `at` is set.
        from_start: Whether `interval` counts from the start of the last read, not from its end. Unused if
            `at` is set.
        at: Time of day of the timed reads; None if reads are periodic. A time without a zone is local time.
        days: Days between two timed reads. Unused if `at` is None.
    """

    interval: int = 0
    from_start: bool = False
    at: time | None = None
    days: int = 1


def cache_of(options: Mapping[str, str]) -> PartialCache | FullCache | None:
    """Return the cache that a table's options request, None for no cache.

    Raises:
        ValidationError: An option is missing or wrong. The text is Flink's.
    """
    typed = TypedOptions(OPTIONS, options)
    values = {option.key: typed[option.key] for option in OPTIONS}
    if values[CACHE] == "PARTIAL":
        return _partial(values)
    if values[CACHE] == "FULL":
        return _timed(values) if values[STRATEGY] == "TIMED" else _periodic(values)
    return None


def _partial(values: Mapping[str, object]) -> PartialCache:
    after_access, after_write, most = (_whole(values[key]) for key in (ACCESS, WRITE, MOST))
    if after_access is None and after_write is None and most is None:
        raise ValidationError(
            f"Missing '{ACCESS}', '{WRITE}' or '{MOST}' in the configuration. The cache will not have "
            "evictions under this configuration and could lead to potential memory issues as the cache size "
            "may grow indefinitely.",
            option=CACHE,
        )
    if most is not None and most < 0:
        raise ValidationError("maximum size must not be negative", option=MOST)
    return PartialCache(after_access, after_write, most, bool(values[MISSING]))


def _periodic(values: Mapping[str, object]) -> FullCache:
    interval = _whole(values[INTERVAL])
    if interval is None:
        raise ValidationError(
            f"Missing '{INTERVAL}' in the configuration. This option is required to build Periodic cache "
            "reload trigger.",
            option=CACHE,
        )
    return FullCache(interval, values[MODE] == "FIXED_RATE")


def _timed(values: Mapping[str, object]) -> FullCache:
    text, days = values[ISO_TIME], _whole(values[DAYS])
    if text is None:
        raise ValidationError(
            f"Missing '{ISO_TIME}' in the configuration. This option is required to build a Timed cache "
            "reload trigger.",
            option=CACHE,
        )
    if days is None or days <= 0:
        raise ValidationError(
            "Reload interval for Timed cache reload trigger must be at least 1 day.", option=DAYS
        )
    try:
        at = time.fromisoformat(str(text).replace("Z", "+00:00"))
    except ValueError as error:
        raise invalid(ISO_TIME, f"'{text}' is no time of day: {error}") from None
    return FullCache(at=at, days=days)


def _whole(value: object) -> int | None:
    assert value is None or isinstance(value, int)
    return value
