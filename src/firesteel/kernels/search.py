"""Look up many words in sorted arrays of words.

If the wanted words also ascend, each search continues where the last one ended.
"""

from __future__ import annotations

import numpy as np

from firesteel.kernels.compiler import compiled, inlined
from firesteel.kernels.types import Integers, Words, given


@compiled
def find_entries(
    found: Integers, by_two: bool, words1: Words, words2: Words, words3: Words, words4: Words,
    wanted1: Words, wanted2: Words, wanted3: Words, wanted4: Words,
) -> None:  # fmt: skip
    """Write the position of each wanted entry among the sorted entries to `found`, -1 if it is missing.

    An entry is four words, one of each array. Entries are sorted by the first word, or with `by_two` by the
    first two words.
    """
    rows = len(words1)
    start, end, place = 0, rows, 0
    for i in range(len(wanted1)):
        one, two = wanted1[i], wanted2[i]
        if i == 0 or one != wanted1[i - 1]:
            start = _first(words1, one, start if i and one > wanted1[i - 1] else 0, rows, False)
            end = _first(words1, one, start, rows, True) if by_two else rows
            place = start
        elif two < wanted2[i - 1]:
            place = start
        if by_two:
            place = _first(words2, two, place, end, False)
        found[i], at = -1, place
        while at < end and words1[at] == one and (words2[at] == two or not by_two):
            if words2[at] == two and words3[at] == wanted3[i] and words4[at] == wanted4[i]:
                found[i] = at
                break
            at += 1


@compiled
def find_stretches(start: Integers, stop: Integers, words: Words, wanted: Words) -> None:
    """Write, for each wanted word, the range start[i]:stop[i] of equal words in the sorted `words`."""
    for i in range(len(wanted)):
        if i and wanted[i] == wanted[i - 1]:
            start[i], stop[i] = start[i - 1], stop[i - 1]
            continue
        low = stop[i - 1] if i and wanted[i] > wanted[i - 1] else 0
        start[i] = _first(words, wanted[i], low, len(words), False)
        stop[i] = _first(words, wanted[i], start[i], len(words), True)


@compiled
def find_between(
    found: Integers, behind: bool, words: Words, wanted: Words, low: Integers, high: Integers
) -> None:
    """Write to `found`, for each i, where wanted[i] would be inserted into the sorted words[low[i]:high[i]].

    If `behind` is False, found[i] is the position of the first word that is at least wanted[i] (bisect_left).
    If `behind` is True, found[i] is the position of the first word greater than wanted[i] (bisect_right).
    Positions count from the start of `words`. If there is no such word in the range, found[i] is high[i].
    """
    for i in range(len(wanted)):
        found[i] = _first(words, wanted[i], low[i], max(low[i], high[i]), behind)


@inlined
def _first(words: Words, word: np.uint64, low: int, high: int, behind: bool) -> int:
    """Return the first position in [low, high) of a word that is at least `word`, or with `behind` above it.

    If there is no such position, return `high`. The search doubles its steps, then halves them.
    """
    step = 1
    at = low
    while at < high and (words[at] < word or (behind and words[at] == word)):
        low = at + 1
        at += step
        step *= 2
    high = min(at, high)
    while low < high:
        middle = (low + high) >> 1
        if words[middle] < word or (behind and words[middle] == word):
            low = middle + 1
        else:
            high = middle
    return low


def warm() -> None:
    """Load the kernels, or compile them."""
    out, words = np.empty(0, np.int64), np.empty(0, np.uint64)
    find_entries(out, True, *given(*[words] * 8))
    find_stretches(out, out, *given(words, words))
    find_between(out, True, *given(words, words, out, out))
