"""Find the greatest value of each key after each row, as values are added and removed.

The rows of key k begin at starts[k]. A row has a value. A pair is a key with one of its values, and has a
count, which each of its rows changes by moves[row]. The value exists for the key while the count is above 0.
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
    """Count the occurrences of p pairs of key and value, after each row.

    Args:
        after: int64[n], receives for each row the count of its pair after the row.
        last: int64[p], receives the count of each pair after all rows.
        least: int64[p], receives the least count that each pair has, before all rows or after one.
        order: int64[n], rows sorted by pair.
        starts: int64[p], where each pair begins in `order`.
        moves: int64[n], change of the count by each row.
        before: int64[p], counts before all rows.
    """
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
    """Count the distinct values that exist for each key, after each row.

    Args:
        sizes: int64[n], receives, for each row, the number of values of its key after the row.
        loses: bool[g], set to True for a key whose stored extreme may be wrong after the rows. There are
            three cases: (1) a row removes a value that is equal to the stored extreme or greater; (2) a row
            removes a value of a key without stored values; (3) after some row, the key has no value.
        starts: int64[g], first row of each key.
        moves: int64[n], change of the count by each row.
        after: int64[n], count of each row's pair after the row.
        pairs: int64[n], pair of each row.
        values: int64[p], value of each pair.
        known: int64[g], stored extreme of each key, its greatest value before all rows.
        stored: int64[g], number of stored values of each key.
    """
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
    """Write, for each row, the greatest value of its key after the row, at least the key's value in `others`.

    `words` and `begins` are the two arrays that places.no_places(p) returns: an empty set of pair numbers.

    Args:
        best: int64[n], receives the greatest value after each row.
        words: Work space for the set, in levels of 64-bit words. Level 0 has one bit for each pair number. A
            higher level has one bit for each word of the level below, set if that word is not 0. The kernel
            adds the pairs that exist.
        begins: Index in `words` where each level begins.
        starts: int64[g], first row of each key.
        moves: int64[n], change of the count by each row.
        after: int64[n], count of each row's pair after the row.
        places: int64[n], pair of each row.
        owners: int64[p], key of each pair. Pairs are sorted by key and value.
        values: int64[p], value of each pair.
        before: int64[p], count of each pair before all rows.
        others: int64[g], lower bound of the result of each key: the greatest of its values without a pair.
    """
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
    """Find how a bundle changes the values of each of g keys, from the counts of p pairs, sorted by key.

    A pair is a key with one of its values. The value exists for the key while the pair's count is above 0.

    Args:
        sizes: int64[g], number of existing values of each key. Updated.
        best: int64[g], receives for each key the pair with its greatest value that exists after the bundle,
            -1 if no pair of the key has a count above 0.
        loses: bool[g], set to True for a key if one of its values that is equal to the stored extreme, or
            greater, ceases to exist.
        odd: bool[g], set to True for a key if a count of one of its pairs is below 0.
        owners: int64[p], key of each pair.
        values: int64[p], value of each pair.
        before: int64[p], counts before the bundle.
        after: int64[p], counts after the bundle.
        known: int64[g], stored extreme of each key.
    """
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
    """Return the end of group `number` among the rows, given the start of each group."""
    return starts[number + 1] if number + 1 < len(starts) else rows


@inlined
def _comes(move: int, count: int) -> bool:
    """Return whether a row makes its value exist. `count` is the value's count after the row."""
    return move > 0 and count == 1


@inlined
def _goes(move: int, count: int) -> bool:
    """Return whether a row makes its value cease to exist. `count` is the value's count after the row."""
    return move < 0 and count == 0


def warm() -> None:
    """Load the kernels, or compile them."""
    out, flags = np.empty(0, np.int64), np.empty(0, np.bool_)
    count_pairs(out, out, out, *given(*[out] * 4))
    count_values(out, flags, *given(*[out] * 7))
    merge_counts(out, out, flags, flags, *given(*[out] * 5))
    greatest(out, *no_places(0), *given(*[out] * 8))
