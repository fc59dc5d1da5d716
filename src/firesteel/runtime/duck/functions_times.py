"""Wall clocks and instants. Java: LocalDateTime.atZone."""

from __future__ import annotations

from firesteel.types.zones import offset_of_local


def instant_of(nanos: int, zone: str) -> int:
    """The instant of a wall clock, in nanoseconds.

    A clock that a zone shows twice is the earlier instant; one in a gap is moved on by the gap.
    """
    return nanos - offset_of_local(nanos // 10**9, zone) * 10**9
