"""Time zones: wall clocks and instants. Java: LocalDateTime.atZone, Instant.atZone."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone

from firesteel.types.text import local_nanos, zone_of

_EPOCH = datetime(1970, 1, 1)


def to_local(micros: int, zone: str) -> int:
    """The wall clock of an instant."""
    return local_nanos(micros * 1000, zone) // 1000


def to_instant(micros: int, zone: str) -> int:
    """The instant of a wall clock."""
    return instant_of(micros * 1000, zone) // 1000


def instant_of(nanos: int, zone: str) -> int:
    """The instant of a wall clock, in nanoseconds.

    A clock that a zone shows twice is the earlier instant; one in a gap is moved on by the gap.
    """
    moment = (_EPOCH + timedelta(seconds=nanos // 10**9)).replace(tzinfo=zone_of(zone))
    offset = moment.replace(fold=0).utcoffset() or timedelta()
    return nanos - round(offset.total_seconds()) * 10**9


def offset_seconds(seconds: int, zone: str) -> int:
    """The offset from UTC, in seconds, that a zone has at an instant."""
    moment = datetime.fromtimestamp(0, timezone.utc) + timedelta(seconds=seconds)
    offset = moment.astimezone(zone_of(zone)).utcoffset() or timedelta()
    return round(offset.total_seconds())
