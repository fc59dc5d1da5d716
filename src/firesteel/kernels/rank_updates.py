"""Compute the Top-N of each key, row by row, for an input that updates rows by a row key.

An update must not make a row's rank worse, so only the Top-N is kept. Places, sets and sent changes are those
of kernels/rank.py. An update with another sort key gives a row a new place. With the same sort key, the row
keeps its place, and only its content changes.

The kinds and their sequence are Flink's: UpdatableTopNFunction, and FastTop1Function for N = 1.
"""

from __future__ import annotations

import numpy as np

from firesteel.kernels.compiler import compiled, inlined, part
from firesteel.kernels.places import above, below, no_places, put, remove
from firesteel.kernels.rank import (
    DROPS,
    NUMBERED,
    ROOM,
    ROW,
    START,
    UPDATE_BEFORE,
    emit,
    enter,
    place_of_rank,
    rank_of,
    room_for,
    settings_of,
)
from firesteel.kernels.types import Integers, Words, given

_INSERT, _UPDATE_BEFORE, _UPDATE_AFTER, _DELETE = 0, 1, 2, 3
"""Row kinds (changelog.RowKind)."""


@compiled
def process_updates(
    out: Integers, progress: Integers, words: Words, levels: Integers, last: Integers, sizes: Integers,
    rows: Integers, current: Integers,
    slots: Integers, owners: Integers, ends: Integers, codes: Integers, identities: Integers,
    settings: Integers,
) -> None:  # fmt: skip
    """Process input rows until `out` has no room for the changes of another row.

    Args:
        out, progress, words, levels, last, sizes: As in kernels/rank.py.
        rows: int64[s], number of the row whose content is current at each place. Updated.
        current: int64[v], place of the current row of each row key, -1 if it is not in the Top-N. Updated.
        slots: int64[n], place of each input row by its sort key. If the current row of its row key has the
            same sort key, the current row's place is kept. -1: the input row is skipped.
        owners: int64[n], key of each input row.
        ends: int64[g], N of each key.
        codes: int64[s], a number for each place. Two places of a key have equal numbers if their rows have
            equal sort keys.
        identities: int64[s], number of the row key of the row at each place, an index of `current`.
        settings: int64[6], as in kernels/rank.py.
    """
    row, at = progress[ROW], 0
    while row < len(slots):
        key, place = owners[row], slots[row]
        if at + room_for(settings, ends[key], sizes[key]) > len(out):
            break
        if place >= 0:
            old, top = current[identities[place]], last[key]
            if old >= 0:
                at = _update(
                    out, at, row, key, place, old, words, levels, last, sizes, rows, current, codes,
                    identities, settings,
                )  # fmt: skip
            elif sizes[key] < ends[key] or place < top:
                put(words, levels, place)
                sizes[key] += 1
                current[identities[place]] = place
                at = enter(out, at, row, place, top, words, levels, rows, sizes[key], ends[key], settings)
                last[key] = max(top, place)
                if sizes[key] > ends[key]:
                    current[identities[top]] = -1
                    last[key] = below(words, levels, top)
                    remove(words, levels, top)
                    sizes[key] -= 1
        row += 1
    progress[ROW], progress[ROOM] = row, at


@part
def _update(
    out: Integers, at: int, row: int, key: int, place: int, old: int, words: Words, levels: Integers,
    last: Integers, sizes: Integers, rows: Integers, current: Integers, codes: Integers, identities: Integers,
    settings: Integers,
) -> int:  # fmt: skip
    """Update the row at the place `old`, which is in the Top-N. Return the position after the changes."""
    top, rank = last[key], settings[START]
    if settings[NUMBERED]:
        rank = rank_of(words, levels, old, top, sizes[key])
    if codes[old] == codes[place]:
        at = _replace(out, at, row, rows[old], rank, settings)
        rows[old] = row
        return at
    remove(words, levels, old)
    put(words, levels, place)
    current[identities[place]] = place
    if not settings[NUMBERED]:
        at = _replace(out, at, row, rows[old], rank, settings)
    elif place < old:
        at = _move_up(out, at, row, words, levels, rows, place, old, rank, settings)
    else:
        at = _move_down(out, at, row, words, levels, rows, place, old, rank, settings)
    if place > top:
        last[key] = place
    elif old == top:
        last[key] = below(words, levels, top)
    return at


@inlined
def _replace(out: Integers, at: int, row: int, old: int, rank: int, settings: Integers) -> int:
    """Send the update of a row that keeps its rank. Return the position after the changes."""
    if rank >= settings[START]:
        if settings[UPDATE_BEFORE]:
            at = emit(out, at, row, _UPDATE_BEFORE, old, rank)
        at = emit(out, at, row, _UPDATE_AFTER, row, rank)
    return at


@part
def _move_up(
    out: Integers, at: int, row: int, words: Words, levels: Integers, rows: Integers, place: int, old: int,
    rank: int, settings: Integers,
) -> int:  # fmt: skip
    """Send the changes for a row that moves from the place `old`, with rank `rank`, to an earlier place.

    The rows that it passes get the next rank and are sent, too. Example: c moves from rank 3 to 1, past a, b:

        -U a 1,  -U c 3,  +U c 1,  -U b 2,  +U a 2,  +U b 3

    Ranks below `start` are not sent. Return the position after the changes.
    """
    start, before = settings[START], settings[UPDATE_BEFORE] > 0
    now, moving, retracted = rank, row, not before
    other = above(words, levels, place)
    while 0 <= other < old:
        now -= 1
        other = above(words, levels, other)
    if settings[DROPS]:
        return _move_range(out, at, row, words, levels, rows, place, old, rank, now, settings)
    other = above(words, levels, place)
    while now < rank:
        if now >= start and before:
            at = emit(out, at, row, _UPDATE_BEFORE, rows[other], now)
        if not retracted and rank >= start:
            at = emit(out, at, row, _UPDATE_BEFORE, rows[old], rank)
        retracted = True
        if now >= start:
            at = emit(out, at, row, _UPDATE_AFTER, moving, now)
        moving = rows[other]
        now += 1
        other = above(words, levels, other)
    if rank >= start:
        if not retracted:
            at = emit(out, at, row, _UPDATE_BEFORE, rows[old], rank)
        at = emit(out, at, row, _UPDATE_AFTER, moving, rank)
    return at


@part
def _move_down(
    out: Integers, at: int, row: int, words: Words, levels: Integers, rows: Integers, place: int, old: int,
    rank: int, settings: Integers,
) -> int:  # fmt: skip
    """Send the changes for a row that moves from the place `old`, with rank `rank`, to a later place.

    The planner assumes that updates never make a rank worse. If an update does so anyway, Flink's changes are
    sent. Example: a moves from rank 1 to 3, past b and c:

        -U a 1,  -U b 2,  +U b 1,  -U c 3,  +U c 2,  +U a 3

    Ranks below `start` are not sent. Return the position after the changes.
    """
    start, before = settings[START], settings[UPDATE_BEFORE] > 0
    if settings[DROPS]:
        now, other = rank, above(words, levels, old)
        while other < place:
            now += 1
            other = above(words, levels, other)
        return _move_range(out, at, row, words, levels, rows, place, old, rank, now, settings)
    if before and rank >= start:
        at = emit(out, at, row, _UPDATE_BEFORE, rows[old], rank)
    other = above(words, levels, old)
    while other < place:
        if before and rank + 1 >= start:
            at = emit(out, at, row, _UPDATE_BEFORE, rows[other], rank + 1)
        if rank >= start:
            at = emit(out, at, row, _UPDATE_AFTER, rows[other], rank)
        rank += 1
        other = above(words, levels, other)
    if rank >= start:
        at = emit(out, at, row, _UPDATE_AFTER, row, rank)
    return at


@part
def _move_range(
    out: Integers, at: int, row: int, words: Words, levels: Integers, rows: Integers, place: int, old: int,
    rank: int, now: int, settings: Integers,
) -> int:  # fmt: skip
    """Send the rows that leave and enter the ranks `start` to N when a row moves from `rank` to `now`.

    Return the position after the changes.
    """
    start = settings[START]
    if rank >= start and now >= start:
        return emit(out, at, row, _UPDATE_AFTER, row, now)
    if rank >= start:  # The row that had the rank start - 1 moves to the rank `start`.
        first = place
        for _ in range(start - now):
            first = above(words, levels, first)
        at = emit(out, at, row, _DELETE, rows[old], rank)
        return emit(out, at, row, _INSERT, rows[first], start)
    if now >= start:
        first = place_of_rank(words, levels, place, now, start - 1)
        at = emit(out, at, row, _DELETE, rows[first], start)
        return emit(out, at, row, _INSERT, row, now)
    return at


def warm() -> None:
    """Load the kernels, or compile them."""
    none, out = np.empty(0, np.int64), np.empty((0, 4), np.int64)
    settings = settings_of(1, True, True, True, True, True)
    process_updates(out, np.zeros(2, np.int64), *no_places(0), *[none] * 4, *given(*[none] * 5, settings))
