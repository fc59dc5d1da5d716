"""Temporal join: find the version that is valid at each row's time, key by key, as watermarks pass.

A key fires at a watermark if a row waits for it, or if its timer is due. Then the rows that the watermark has
passed get their versions, and versions that no later row can need are dropped: all versions up to the
watermark but the newest. A version that arrives too late stays until its key fires again.

A key has one timer: the least time of the versions that came since the key last fired. If the key fires, its
timer is removed, even if some of its versions are later than the watermark. These versions get no new timer,
so they stay until the next row or version makes the key fire. A late row can join any version that is left.

The m watermarks of a batch are numbered from 0 to m - 1. A key's timer from before the batch is passed to the
kernel as the first of the key's new versions, without an id. New versions that are not late have no id
either: the caller has put them into the arrays of versions already.
"""

from __future__ import annotations

import numpy as np

from firesteel.kernels.compiler import compiled, inlined, part
from firesteel.kernels.types import Flags, Integers, given

NONE = -1
"""Value for a row without a version, and for a new version without an id."""

NEVER = (1 << 63) - 1
"""Time of a timer that is not set."""


@compiled
def join_versions(
    found: Integers, timers: Integers, firsts: Integers, sizes: Integers,
    times: Integers, versions: Integers, dropped: Flags, least: Integers,
    starts: Integers, row_starts: Integers, row_watermarks: Integers, row_times: Integers,
    new_starts: Integers, new_before: Integers, new_watermarks: Integers, new_times: Integers,
    new_ids: Integers, watermarks: Integers,
) -> None:  # fmt: skip
    """Join the rows of g keys with versions, as the m watermarks of a batch pass, by the module's rules.

    Args:
        found: int64[r], receives the id of the version that each row joins, NONE if it joins none.
        timers: int64[g], receives the timer of each key, NEVER if none is set.
        firsts, sizes: int64[g], position of each key's first version, number of its versions. Updated.
        times, versions: int64[v], times of the versions, ascending within a key, and their ids. Updated.
        dropped: bool array, by version id: whether the version was dropped. Updated.
        least: int64[n], work space.
        starts: int64[g], start of each key's section of `times`: its versions, then items for late ones.
        row_starts: int64[g + 1], where the rows of each key begin.
        row_watermarks: int64[r], number of the watermark that each row waits for, ascending within a key.
        row_times: int64[r], time of each row.
        new_starts: int64[g + 1], where the new versions of each key begin.
        new_before: int64[n], how many watermarks came before each new version, ascending within a key.
        new_watermarks: int64[n], for each new version, the number of the first watermark that comes after
            the version and is at or above its time; m if none is.
        new_times, new_ids: int64[n], times and ids of new versions. Id NONE: a timer, or a version not late.
        watermarks: int64[m], ascending watermarks.
    """
    for key in range(len(starts)):
        row, row_end = row_starts[key], row_starts[key + 1]
        new, new_end = new_starts[key], new_starts[key + 1]
        _suffix_least(least, new_watermarks, new, new_end)
        late = new
        while True:
            watermark = len(watermarks)
            if row < row_end:
                watermark = row_watermarks[row]
            if new < new_end and least[new] < watermark:
                watermark = least[new]
            if watermark >= len(watermarks):
                break
            late = _insert_late(
                times, versions, firsts, sizes, dropped,
                new_before, new_times, new_ids, key, late, new_end, watermark,
            )  # fmt: skip
            first, end = firsts[key], firsts[key] + sizes[key]
            while row < row_end and row_watermarks[row] == watermark:
                at = _above(times, first, end, row_times[row])
                found[row] = versions[at - 1] if at > first else NONE
                row += 1
            kept = _above(times, first, end, watermarks[watermark]) - 1
            while first < kept:
                dropped[versions[first]] = True
                first += 1
            firsts[key], sizes[key] = first, end - first
            while new < new_end and new_before[new] <= watermark:
                new += 1
        _insert_late(
            times, versions, firsts, sizes, dropped, new_before, new_times, new_ids, key, late, new_end, NEVER
        )  # fmt: skip
        timers[key] = _least(new_times, new, new_end)


@part
def _suffix_least(least: Integers, values: Integers, start: int, end: int) -> None:
    """Write, for each position from `start` to `end`, the least of the values from there to `end`."""
    at = end - 1
    while at >= start:
        least[at] = values[at]
        if at + 1 < end and least[at + 1] < least[at]:
            least[at] = least[at + 1]
        at -= 1


@part
def _least(times: Integers, start: int, end: int) -> int:
    """Return the least of times[start:end], NEVER if there are none."""
    found = NEVER
    for at in range(start, end):
        found = min(found, times[at])
    return found


@part
def _insert_late(
    times: Integers, versions: Integers, firsts: Integers, sizes: Integers, dropped: Flags,
    new_before: Integers, new_times: Integers, new_ids: Integers, key: int, late: int, end: int,
    watermark: int,
) -> int:  # fmt: skip
    """Insert new versions of a key, those that are late and came before a watermark, into the key's versions.

    Args:
        times, versions, firsts, sizes, dropped: As for `join_versions`. Updated.
        new_before, new_times, new_ids: As for `join_versions`.
        key: The key.
        late: Position of the first new version to insert. Versions with the id NONE are skipped.
        end: Position after the last new version of the key.
        watermark: Number of the watermark.

    Returns:
        The position of the first new version that came after the watermark.
    """
    while late < end and new_before[late] <= watermark:
        if new_ids[late] != NONE:
            _insert(times, versions, firsts, sizes, dropped, key, new_times[late], new_ids[late])
        late += 1
    return late


@part
def _insert(
    times: Integers, versions: Integers, firsts: Integers, sizes: Integers, dropped: Flags,
    key: int, time: int, version: int,
) -> None:  # fmt: skip
    """Add a version in the order of times. It replaces a version with the same time."""
    first, end = firsts[key], firsts[key] + sizes[key]
    at = _above(times, first, end, time)
    if at > first and times[at - 1] == time:
        dropped[versions[at - 1]] = True
        versions[at - 1] = version
        return
    place = end
    while place > at:
        times[place], versions[place] = times[place - 1], versions[place - 1]
        place -= 1
    times[at], versions[at] = time, version
    sizes[key] += 1


@inlined
def _above(times: Integers, first: int, end: int, time: int) -> int:
    """Return the position of the first time greater than `time`, in sorted times from `first` to `end`."""
    while first < end:
        middle = (first + end) >> 1
        if times[middle] <= time:
            first = middle + 1
        else:
            end = middle
    return first


def warm() -> None:
    """Load the kernel, or compile it."""
    none, flags = np.empty(0, np.int64), np.empty(0, np.bool_)
    ends = np.zeros(1, np.int64)
    updated = (none, none, none, none, none, none, flags, none)
    join_versions(*updated, *given(none, ends, none, none, ends, *[none] * 4, none))
