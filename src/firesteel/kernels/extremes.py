"""The greatest value of each key after each row, where values come and go.

Rows stand by key, and key k has those from starts[k] on. They add `moves` to the counts of pairs of a key and
a value; a value is there while its count is above 0.
"""

from __future__ import annotations

import numpy as np

from firesteel.kernels.compiler import compiled, inlined
from firesteel.kernels.places import below, no_places, put, remove
from firesteel.kernels.types import Flags, Integers, Words, given


@compiled
def count_pairs(
    after: Integers, last: Integers, least: Integers,
    order: Integers, starts: Integers, moves: Integers, before: Integers,
) -> None:  # fmt: skip
    """Count pairs. order: int64[n], rows by pair, and by `starts` where each of p pairs begins there. before:
    int64[p]. after: int64[n], the count of its pair after each row. last, least: int64[p], of all counts."""
    for pair in range(len(starts)):
        count = before[pair]
        lowest = count
        for at in range(starts[pair], _end(starts, pair, len(order))):
            row = order[at]
            count += moves[row]
            after[row] = count
            lowest = min(lowest, count)
        last[pair], least[pair] = count, lowest


@compiled
def count_values(
    sizes: Integers, loses: Flags, starts: Integers, moves: Integers, after: Integers, pairs: Integers,
    values: Integers, known: Integers, stored: Integers,
) -> None:  # fmt: skip
    """Count the values that are there. pairs: int64[n], of each row; `values` are theirs. known: int64[g],
    the stored extremes, of `stored` values each. sizes: int64[n], after each row. loses: bool[g], which keys
    may lose the stored extreme: a value that is no less goes, or there are none for a moment."""
    for key in range(len(starts)):
        size = stored[key]
        for row in range(starts[key], _end(starts, key, len(moves))):
            if _comes(moves[row], after[row]):
                size += 1
            elif _goes(moves[row], after[row]):
                size -= 1
                loses[key] |= stored[key] == 0 or values[pairs[row]] >= known[key]
            loses[key] |= size == 0
            sizes[row] = size


@compiled
def greatest(
    best: Integers, words: Words, begins: Integers, starts: Integers, moves: Integers, after: Integers,
    places: Integers, owners: Integers, values: Integers, before: Integers, others: Integers,
) -> None:  # fmt: skip
    """The greatest value that is there after each row, or of `others`, one for each key. Of the pairs, by key
    and ascending value: owners, values, before: int64[p], the counts; places: int64[n], where each row's
    stands. words, begins: a set of so many places, empty."""
    pair = 0
    for key in range(len(starts)):
        first, top = pair, -1
        while pair < len(owners) and owners[pair] == key:
            if before[pair] > 0:
                put(words, begins, pair)
                top = pair
            pair += 1
        for row in range(starts[key], _end(starts, key, len(moves))):
            place = places[row]
            if _comes(moves[row], after[row]):
                put(words, begins, place)
                top = max(top, place)
            elif _goes(moves[row], after[row]):
                remove(words, begins, place)
                if place == top:
                    top = below(words, begins, place)
            best[row] = others[key] if top < first else max(others[key], values[top])


@compiled
def merge_counts(
    sizes: Integers, best: Integers, loses: Flags, odd: Flags, owners: Integers, values: Integers,
    before: Integers, after: Integers, known: Integers,
) -> None:  # fmt: skip
    """Of a bundle, whose p pairs stand by owner and have so many rows before and after it. sizes: int64[g],
    to which the values that come to be there are added, and from which those that go are taken. best:
    int64[g], the pair of the greatest value that is there, -1 for none. loses: bool[g], where a value goes
    that is no less than the known extreme. odd: bool[g], where a count is below 0."""
    best[:] = -1
    for pair in range(len(owners)):
        key = owners[pair]
        was, there = before[pair] > 0, after[pair] > 0
        odd[key] |= before[pair] < 0 or after[pair] < 0
        if there:
            if best[key] < 0 or values[pair] > values[best[key]]:
                best[key] = pair
            if not was:
                sizes[key] += 1
        elif was:
            sizes[key] -= 1
            loses[key] |= values[pair] >= known[key]


@inlined
def _end(starts: Integers, number: int, rows: int) -> int:
    """Where a stretch of rows ends."""
    return starts[number + 1] if number + 1 < len(starts) else rows


@inlined
def _comes(move: int, count: int) -> bool:
    """Whether a value comes to be there with a row."""
    return move > 0 and count == 1


@inlined
def _goes(move: int, count: int) -> bool:
    """Whether a value goes with a row."""
    return move < 0 and count == 0


def warm() -> None:
    """Have the kernels loaded, or compiled: no rows at all."""
    out, flags = np.empty(0, np.int64), np.empty(0, np.bool_)
    count_pairs(out, out, out, *given(*[out] * 4))
    count_values(out, flags, *given(*[out] * 7))
    merge_counts(out, out, flags, flags, *given(*[out] * 5))
    greatest(out, *no_places(0), *given(*[out] * 8))
