"""Immutable sorted runs of state entries, and how entries are found in them.

An entry is ordered by its words, unsigned 64-bit numbers: of a value state (hash1, hash2) of the key;
of a map state (hash1, sub1, hash2[, sub2]), where sub1 is the sub-key's first word mixed with hash2.
The first two sort, all of them identify. A map's sub2 is there where one word does not tell all
sub-keys apart (strings, decimals).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from firesteel.runtime.hashing import U64

HASH_END = 1 << 64


@dataclass(frozen=True)
class Run:
    """n entries sorted by (words[0], words[1]), each there once.

    live: bool[n], false for a tombstone; None where all live. time: int64[n], when the entry was
    written, in milliseconds; None where there is no time to live. columns: n rows each.
    """

    words: tuple[U64, ...]
    columns: tuple[pa.Array, ...]
    live: NDArray[np.bool_] | None = None
    time: NDArray[np.int64] | None = None

    def __len__(self) -> int:
        return len(self.words[0])

    def slice(self, start: int, stop: int) -> Run:
        """Entries [start, stop), without a copy."""
        return Run(
            tuple(word[start:stop] for word in self.words),
            tuple(column.slice(start, stop - start) for column in self.columns),
            None if self.live is None else self.live[start:stop],
            None if self.time is None else self.time[start:stop],
        )

    def take(self, index: NDArray[np.int64]) -> Run:
        """The entries at `index`."""
        at = pa.array(index)
        return Run(
            tuple(word[index] for word in self.words),
            tuple(column.take(at) for column in self.columns),
            None if self.live is None else self.live[index],
            None if self.time is None else self.time[index],
        )

    def there(self, index: NDArray[np.int64], expiry: int | None) -> NDArray[np.bool_]:
        """Which of the entries at `index` live and were written after `expiry`."""
        there = np.ones(len(index), np.bool_) if self.live is None else self.live[index]
        if expiry is not None and self.time is not None:
            there = there & (self.time[index] > expiry)
        return there


def _bisect(
    sorted_words: U64, wanted: U64, low: NDArray[np.int64], high: NDArray[np.int64]
) -> NDArray[np.int64]:
    """The leftmost place in [low, high] for each wanted word, where [low, high) is sorted."""
    low, high = low.copy(), high.copy()
    last = len(sorted_words) - 1
    for _ in range(int(np.max(high - low, initial=0)).bit_length()):
        middle = (low + high) >> 1
        right = (sorted_words[np.minimum(middle, last)] < wanted) & (low < high)
        low = np.where(right, middle + 1, low)
        high = np.where(right, high, middle)
    return low


def find(run: Run, wanted: Sequence[U64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Which of the wanted entries are in the run (ascending), and where.

    wanted: words as the run has them, first words ascending (for speed only).
    """
    n, sorting = len(run), 2 if len(wanted) > 2 else 1
    if not n:
        return np.zeros(0, np.int64), np.zeros(0, np.int64)
    if sorting == 2:  # a map: the key's entries are a slice, sorted by the second word
        at = _bisect(run.words[1], wanted[1], *slices(run, wanted[0]))
    else:
        at = np.searchsorted(run.words[0], wanted[0])
    np.minimum(at, n - 1, out=at)
    which = np.flatnonzero(run.words[0][at] == wanted[0])
    at = at[which]
    these = [word[which] for word in wanted]
    same = _same(run, at, these, len(wanted))
    if not same.all():
        same = _walk_on(run, at, these, same, sorting)
        which, at = which[same], at[same]
    return which, at


def _same(run: Run, at: NDArray[np.int64], wanted: Sequence[U64], words: int) -> NDArray[np.bool_]:
    same: NDArray[np.bool_] = run.words[0][at] == wanted[0]
    for mine, theirs in zip(run.words[1:words], wanted[1:words], strict=False):
        same &= mine[at] == theirs
    return same


def _walk_on(
    run: Run, at: NDArray[np.int64], wanted: Sequence[U64], same: NDArray[np.bool_], sorting: int
) -> NDArray[np.bool_]:
    """Walk `at` on over entries that share the sorting words but are not the wanted one: a hash
    collision. Few steps: two keys seldom share 64 bits."""
    missed = np.flatnonzero(~same & _same(run, at, wanted, sorting))
    while len(missed):
        at[missed] += 1
        missed = missed[at[missed] < len(run)]
        these = [word[missed] for word in wanted]
        found = _same(run, at[missed], these, len(wanted))
        same[missed[found]] = True
        missed = missed[~found & _same(run, at[missed], these, sorting)]
    return same


def slices(run: Run, hash1: U64) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Where the entries of the keys with these (ascending) first words begin and end."""
    start = np.searchsorted(run.words[0], hash1, side="left")
    return start, np.searchsorted(run.words[0], hash1, side="right")


def sort_order(words: Sequence[U64]) -> NDArray[np.int64]:
    """A stable order by the first two words, fast where the entries are sorted stretches."""
    order = np.argsort(words[0], kind="stable")
    first = words[0][order]
    new = first[1:] != first[:-1]
    second = words[1][order]
    if not np.any(~new & (second[1:] != second[:-1])):
        return order
    group = np.zeros(len(order), np.uint64)
    np.cumsum(new, out=group[1:])
    bits = np.uint64(int(group[-1]).bit_length())
    packed = (second >> bits) | (group << (np.uint64(64) - bits) if bits else group)
    again = np.argsort(packed, kind="stable")
    group, second = group[again], second[again]
    if np.any((group[1:] == group[:-1]) & (second[1:] < second[:-1])):
        return np.lexsort((words[1], words[0])).astype(np.int64)
    return order[again]
