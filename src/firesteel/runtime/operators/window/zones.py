"""Convert between event time and the wall clock of a zone, which cuts windows over TIMESTAMP_LTZ.

Flink: TimeWindowUtil. Times are int64 milliseconds: instants since 1970, or wall clocks as if in UTC. Java's
Long.MAX_VALUE, the end of time, stays unchanged. Windows over TIMESTAMP have the zone UTC.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from firesteel.types.zones import has_daylight_time, offset_at, offset_of_local

Times = NDArray[np.int64]

END_OF_TIME = (1 << 63) - 1
_HOUR = 3_600_000
_STRETCH = 900
"""Seconds. Zones change their offsets at multiples of this number, except for a few changes long ago."""
_SPARSE = 64


def to_wall_clock(instants: Times, zone: str) -> Times:
    """Return the wall clock at instants (toUtcTimestampMills)."""
    if zone == "UTC":
        return instants
    return _moved(instants, zone, offset_at, 1)


def to_instants(clocks: Times, zone: str) -> Times:
    """Return the instants of wall clocks (toEpochMills).

    A wall clock that is shown twice, at the end of summer time, gives its first instant. A wall clock that is
    skipped, at the beginning of summer time, is moved forward by the skipped time.
    """
    if zone == "UTC":
        return clocks
    return _moved(clocks, zone, offset_of_local, -1)


def to_timers(clocks: Times, zone: str) -> Times:
    """Return the instants at which windows fire, given their last milliseconds as wall clock.

    At a wall clock that is shown twice, windows fire the second time. At a wall clock that is skipped, they
    fire when the skipped time begins. Flink: toEpochMillsForTimer.
    """
    first = to_instants(clocks, zone)
    if zone == "UTC" or not has_daylight_time(zone):
        return first
    later = to_instants(np.where(clocks > END_OF_TIME - _HOUR, clocks, clocks + _HOUR), zone)
    fired = np.where(later - first > _HOUR, first + _HOUR, first)
    fired = np.where(later == first, first - np.fmod(first, _HOUR), fired)
    return np.where(clocks == END_OF_TIME, clocks, fired)


def _moved(times: Times, zone: str, offset: Callable[[int, str], int], sign: int) -> Times:
    """Return times with the offset of the zone at each time added (`sign` 1) or subtracted (-1).

    `offset`: function from a time in seconds and the zone to the offset in seconds.
    """
    if not len(times):
        return times
    seconds = times // 1000
    stretches, which = _distinct(seconds // _STRETCH)
    ends = ([offset(s, zone), offset(s + _STRETCH - 1, zone)] for s in (stretches * _STRETCH).tolist())
    known = np.array(list(ends), np.int64)
    if (known == known[0, 0]).all():
        return np.where(times == END_OF_TIME, times, times + sign * 1000 * known[0, 0])
    offsets = known[which, 0]
    for row in np.flatnonzero((known[:, 0] != known[:, 1])[which]).tolist():
        offsets[row] = offset(int(seconds[row]), zone)
    return np.where(times == END_OF_TIME, times, times + sign * 1000 * offsets)


def _distinct(numbers: Times) -> tuple[Times, Times]:
    """Return numbers that include all given numbers, and the index of each given number among them.

    Numbers of a batch are usually close together. Then all numbers between the least and the greatest are
    returned, without a sort.
    """
    least = int(numbers.min())
    span = int(numbers.max()) - least + 1
    if span <= max(len(numbers) // _SPARSE, 1):
        return np.arange(least, least + span), numbers - least
    distinct, which = np.unique(numbers, return_inverse=True)
    return distinct, which
