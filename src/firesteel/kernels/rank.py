"""Compute the Top-N of each key, row by row: which rows are sent, with which kind and rank.

Every row that is added has a place: its position when all rows are sorted by key, then by sort key, then by
arrival. A set (places.py) holds the places of the current rows. So counting places gives a rank. If a row
goes, the next row in the set takes its rank.

Row numbers below `len(slots)` are input rows. Higher numbers are rows that were stored. A sent change has
four numbers: the input row that causes it, its kind, the row with its content, and its rank.

The kinds and their sequence are Flink's: AppendOnlyTopNFunction and RetractableTopNFunction.
"""

from __future__ import annotations

import numpy as np

from firesteel.kernels.compiler import compiled, inlined, part
from firesteel.kernels.places import above, below, no_places, put, remove
from firesteel.kernels.types import Integers, Words, given

_INSERT, _UPDATE_BEFORE, _UPDATE_AFTER, _DELETE = 0, 1, 2, 3
"""Row kinds (changelog.RowKind)."""

ROW, ROOM = 0, 1
"""Indexes of `progress`: the next input row, and the number of written changes."""

START, APPEND, NUMBERED, UPDATE_BEFORE, REPLACES, DROPS = range(6)
"""Indexes of `settings`, described in `settings_of`."""


def settings_of(
    start: int, append: bool, numbered: bool, update_before: bool, replaces: bool, drops: bool
) -> Integers:
    """Return the settings of a kernel.

    Args:
        start: First rank that is sent.
        append: True: the input has only +I. A row that is pushed out of the Top-N is forgotten, since no row
            can bring it back. False: rows after the Top-N are kept, too.
        numbered: Whether rows whose rank changes are sent.
        update_before: Whether -U is sent.
        replaces: Whether a row that pushes another row out of the Top-N is sent as an update of that row.
        drops: Read if `numbered` is True. True: send only the row that enters the range of the ranks `start`
            to N, and the row that leaves this range. False: also send the rows that move within the range.
    """
    return np.array([start, append, numbered, update_before, replaces, drops], np.int64)


@compiled
def process_rows(
    out: Integers, progress: Integers, words: Words, levels: Integers, last: Integers, sizes: Integers,
    heads: Integers, tails: Integers,
    slots: Integers, rows: Integers, owners: Integers, ends: Integers, alike: Integers, members: Integers,
    settings: Integers,
) -> None:  # fmt: skip
    """Process input rows until `out` has no room for the changes of another row.

    A place is the position of a row when all rows are sorted by key, sort key and arrival. A value is the
    number that equal rows share. A retraction takes back the oldest current row with its value.

    Args:
        out: int64[r, 4], receives changes.
        progress: int64[2], the next input row and the number of written changes. Updated.
        words, levels: Set of the places of the current rows. Updated.
        last: int64[g], place of the last row of the Top-N of each key, -1 for none. Updated.
        sizes: int64[g], number of current rows of each key. Updated.
        heads, tails: int64[v]. The current rows with the value i are members[heads[i]:tails[i]]. Updated.
        slots: int64[n], place of each input row, -1 for a retraction.
        rows: int64[s], number of the row at each place.
        owners: int64[n], key of each input row.
        ends: int64[g], N of each key.
        alike: int64[n], value of each input row. Empty if the input has no retractions.
        members: int64[s], all places, sorted by the value of their row, then by arrival.
        settings: int64[6], see `settings_of`.
    """
    row, at = progress[ROW], 0
    while row < len(slots):
        key, place = owners[row], slots[row]
        if at + room_for(settings, ends[key], sizes[key]) > len(out):
            break
        if place >= 0:
            if len(alike):
                tails[alike[row]] += 1
            at = _add(out, at, row, key, place, words, levels, last, sizes, rows, ends[key], settings)
        elif heads[alike[row]] < tails[alike[row]]:
            place = members[heads[alike[row]]]
            heads[alike[row]] += 1
            at = _take(out, at, row, key, place, words, levels, last, sizes, rows, ends[key], settings)
        row += 1
    progress[ROW], progress[ROOM] = row, at


@inlined
def room_for(settings: Integers, end: int, size: int) -> int:
    """Return the maximum number of changes by an input row, for a key with `size` rows and N = `end`."""
    return 2 * min(end, size + 1) + 4 if settings[NUMBERED] else 2


@part
def _add(
    out: Integers, at: int, row: int, key: int, place: int, words: Words, levels: Integers, last: Integers,
    sizes: Integers, rows: Integers, end: int, settings: Integers,
) -> int:  # fmt: skip
    """Add an input row at its place, write the changes, and return the position after them."""
    top = last[key]
    if settings[APPEND] and sizes[key] >= end and place > top:
        return at
    put(words, levels, place)
    sizes[key] += 1
    if sizes[key] > end and place > top:
        return at
    at = enter(out, at, row, place, top, words, levels, rows, sizes[key], end, settings)
    if sizes[key] <= end:
        last[key] = max(top, place)
    else:
        last[key] = below(words, levels, top)
        if settings[APPEND]:
            remove(words, levels, top)
            sizes[key] -= 1
    return at


@part
def enter(
    out: Integers, at: int, row: int, place: int, top: int, words: Words, levels: Integers, rows: Integers,
    size: int, end: int, settings: Integers,
) -> int:  # fmt: skip
    """Write the changes that an input row causes by entering the Top-N, and return the position after them.

    Args:
        out, at: Output array, and the position at which to write.
        row: The input row.
        place: Place of the input row, which is in the set already.
        top: Last place of the Top-N before this row.
        words, levels, rows, settings: As for `process_rows`.
        size: Number of rows of the key, including this row.
        end: N, the last rank.
    """
    if settings[NUMBERED]:
        rank = rank_of(words, levels, place, top, min(size - 1, end) + 1)
        if settings[DROPS]:
            return _enter_range(out, at, row, words, levels, rows, place, rank, top, size, end, settings)
        return _shift_down(out, at, row, words, levels, rows, place, rank, top, end, settings)
    if size <= end:
        return emit(out, at, row, _INSERT, row, 1)
    if not settings[REPLACES]:
        at = emit(out, at, row, _DELETE, rows[top], 1)
        return emit(out, at, row, _INSERT, row, 1)
    if settings[UPDATE_BEFORE]:
        at = emit(out, at, row, _UPDATE_BEFORE, rows[top], 1)
    return emit(out, at, row, _UPDATE_AFTER, row, 1)


@part
def _take(
    out: Integers, at: int, row: int, key: int, place: int, words: Words, levels: Integers, last: Integers,
    sizes: Integers, rows: Integers, end: int, settings: Integers,
) -> int:  # fmt: skip
    """Remove the row at a place, write the changes, and return the position after them."""
    top, size = last[key], sizes[key]
    if place <= top:
        if settings[NUMBERED]:
            rank = rank_of(words, levels, place, top, min(size, end))
            if settings[DROPS]:
                at = _leave_range(out, at, row, words, levels, rows, place, rank, top, size, end, settings)
            else:
                at = _shift_up(out, at, row, words, levels, rows, place, rank, top, size, end, settings)
        else:
            at = emit(out, at, row, _DELETE, rows[place], 1)
            if size > end:
                at = emit(out, at, row, _INSERT, rows[above(words, levels, top)], 1)
        if size > end:
            last[key] = above(words, levels, top)
        elif place == top:
            last[key] = below(words, levels, top) if size > 1 else -1
    remove(words, levels, place)
    sizes[key] -= 1
    return at


@part
def rank_of(words: Words, levels: Integers, place: int, top: int, rank: int) -> int:
    """Return the rank of the row at `place`. Count back from the place `top`, which has the rank `rank`.

    If `place` is after `top`, return `rank`: the caller passes the rank that a row behind the Top-N gets.

    Args:
        words, levels: Set of the places of the current rows.
        place: A place in the set, of the same key as `top`.
        top: Place with the known rank.
        rank: The known rank.
    """
    while top > place:
        top = below(words, levels, top)
        rank -= 1
    return rank


@part
def place_of_rank(words: Words, levels: Integers, place: int, rank: int, wanted: int) -> int:
    """Return the place with the rank `wanted`, counted back from `place`, which has the rank `rank`."""
    while rank > wanted:
        place = below(words, levels, place)
        rank -= 1
    return place


@part
def _shift_down(
    out: Integers, at: int, row: int, words: Words, levels: Integers, rows: Integers, place: int, rank: int,
    top: int, end: int, settings: Integers,
) -> int:  # fmt: skip
    """Send an input row at its rank, and each later row up to the place `top` with its new rank.

    A later row moves one rank down, from r to r + 1. Return the position after the changes.
    """
    start, moving = settings[START], row
    while place < top and rank <= end:
        place = above(words, levels, place)
        if rank >= start:
            if settings[UPDATE_BEFORE]:
                at = emit(out, at, row, _UPDATE_BEFORE, rows[place], rank)
            at = emit(out, at, row, _UPDATE_AFTER, moving, rank)
        moving = rows[place]
        rank += 1
    if start <= rank <= end:
        at = emit(out, at, row, _INSERT, moving, rank)
    return at


@part
def _shift_up(
    out: Integers, at: int, row: int, words: Words, levels: Integers, rows: Integers, place: int, rank: int,
    top: int, size: int, end: int, settings: Integers,
) -> int:  # fmt: skip
    """Send each row after a removed row with its new rank: it moves one rank up, from r to r - 1.

    If a row enters the Top-N, it is sent at the rank N. If none does, a -D is sent for the last rank, which
    now has no row. Return the position after the changes.
    """
    start, leaving = settings[START], rows[place]
    while rank <= end and (place < top or size > end):
        place = above(words, levels, place)
        if rank >= start:
            if settings[UPDATE_BEFORE]:
                at = emit(out, at, row, _UPDATE_BEFORE, leaving, rank)
            at = emit(out, at, row, _UPDATE_AFTER, rows[place], rank)
        leaving = rows[place]
        rank += 1
    if start <= rank <= end:
        at = emit(out, at, row, _DELETE, leaving, rank)
    return at


@part
def _enter_range(
    out: Integers, at: int, row: int, words: Words, levels: Integers, rows: Integers, place: int, rank: int,
    top: int, size: int, end: int, settings: Integers,
) -> int:  # fmt: skip
    """Send the row that leaves the ranks `start` to N, and the one that enters them, as a row is added.

    Return the position after the changes.
    """
    start = settings[START]
    if size > end:
        at = emit(out, at, row, _DELETE, rows[top], end)
    if rank >= start:
        return emit(out, at, row, _INSERT, row, rank)
    if size >= start:
        first = place_of_rank(words, levels, top, min(size - 1, end) + 1, start)
        at = emit(out, at, row, _INSERT, rows[first], start)
    return at


@part
def _leave_range(
    out: Integers, at: int, row: int, words: Words, levels: Integers, rows: Integers, place: int, rank: int,
    top: int, size: int, end: int, settings: Integers,
) -> int:  # fmt: skip
    """Send the row that leaves the ranks `start` to N, and the one that enters them, as a row is removed.

    Return the position after the changes.
    """
    start = settings[START]
    if rank >= start:
        at = emit(out, at, row, _DELETE, rows[place], rank)
    elif size >= start:
        first = place_of_rank(words, levels, top, min(size, end), start)
        at = emit(out, at, row, _DELETE, rows[first], start)
    if size > end:
        at = emit(out, at, row, _INSERT, rows[above(words, levels, top)], end)
    return at


@inlined
def emit(out: Integers, at: int, row: int, kind: int, content: int, rank: int) -> int:
    """Write one change, and return the position after it."""
    out[at, 0] = row
    out[at, 1] = kind
    out[at, 2] = content
    out[at, 3] = rank
    return at + 1


def warm() -> None:
    """Load the kernels, or compile them."""
    none, out = np.empty(0, np.int64), np.empty((0, 4), np.int64)
    settings = settings_of(1, True, True, True, True, True)
    process_rows(
        out, np.zeros(2, np.int64), *no_places(0), none, none, none, none, *given(*[none] * 6, settings)
    )
