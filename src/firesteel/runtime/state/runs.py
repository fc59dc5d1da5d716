"""Immutable sorted runs of state entries, and how to find entries in them.

An entry has words, unsigned 64-bit numbers. The first two sort the entries, and all words identify one:

    value state   hash1, hash2                 of the key
    map           hash1, sub1, hash2[, sub2]   sub1: the sub-key's first hash, mixed with hash2
    ordered map   hash1, order, hash2          order: the sub-key's order word (order_codes.py)
    time state    time, hash1, hash2           time: as an order word
    sliced state  slice, number, hash2         slice: with the upper bits of hash1 (sliced.py)

A map has sub2 if one word does not distinguish all sub-keys (strings, decimals). In an ordered map whose
order words do not distinguish them, entries with equal words are sorted and identified by their first column,
the **tail** of the run. The **place** of an entry is words[0] << 64 | words[1].
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from firesteel.kernels.column_hashes import U64
from firesteel.kernels.search import find_between, find_entries, find_stretches
from firesteel.kernels.types import given

END = 1 << 128
"""Place after all others."""
_WORD = (1 << 64) - 1
_SAMPLE = 256
"""Number of entries, roughly, whose times are sampled to estimate how many entries have expired."""

Index = NDArray[np.int64]
Mask = NDArray[np.bool_]


@dataclass(frozen=True)
class Run:
    """n sorted, distinct entries.

    Attributes:
        words: uint64[n] each, such as hashes. The first two sort the entries, all words identify an entry.
        columns: n rows each.
        live: bool[n], False for a tombstone. None if all entries are live.
        time: int64[n], when each entry was written, in milliseconds. None without a time to live.
        tail: Whether the first column sorts and identifies entries whose words are equal.
    """

    words: tuple[U64, ...]
    columns: tuple[pa.Array, ...]
    live: Mask | None = None
    time: Index | None = None
    tail: bool = False

    def __len__(self) -> int:
        return len(self.words[0])

    @cached_property
    def tombstones(self) -> int:
        """Return the number of tombstones."""
        return 0 if self.live is None else len(self) - int(np.count_nonzero(self.live))

    @cached_property
    def sampled_times(self) -> Index:
        """Return the times at which some of the entries were written, ascending.

        Without a time to live it is empty. Entries are sorted by hash, so these are a fair sample.
        """
        if self.time is None:
            return np.empty(0, np.int64)
        return np.sort(self.time[:: max(1, len(self) // _SAMPLE)])

    def expired(self, expiry: int) -> int:
        """Return an estimate of the number of entries written at or before `expiry`, in milliseconds."""
        times = self.sampled_times
        if not len(times):
            return 0
        return len(self) * int(np.searchsorted(times, expiry, side="right")) // len(times)

    @cached_property
    def bytes(self) -> int:
        """Return the number of bytes of the words and columns in memory."""
        return int(sum(part.nbytes for part in (*self.words, *self.columns)))

    def slice(self, start: int, stop: int) -> Run:
        """Return the entries [start, stop) without copying them."""
        if start == 0 and stop == len(self):
            return self
        return Run(
            tuple(word[start:stop] for word in self.words),
            tuple(column.slice(start, stop - start) for column in self.columns),
            None if self.live is None else self.live[start:stop],
            None if self.time is None else self.time[start:stop],
            self.tail,
        )

    def take(self, index: Index) -> Run:
        """Return the entries at some positions."""
        at = pa.array(index)
        return Run(
            tuple(word[index] for word in self.words),
            tuple(column.take(at) for column in self.columns),
            None if self.live is None else self.live[index],
            None if self.time is None else self.time[index],
            self.tail,
        )

    def there(self, index: Index, expiry: int | None) -> Mask:
        """Return which entries at some positions are live and were written after `expiry`, bool[m].

        `expiry` None: no entry has expired.
        """
        there = np.ones(len(index), np.bool_) if self.live is None else self.live[index]
        if expiry is not None and self.time is not None:
            there = there & (self.time[index] > expiry)
        return there


def place(run: Run, index: int) -> int:
    """Return the place of an entry."""
    return int(run.words[0][index]) << 64 | int(run.words[1][index])


def position(run: Run, at: int) -> int:
    """Return the number of entries before a place."""
    if at >= END:
        return len(run)
    first, second = np.uint64(at >> 64), np.uint64(at & _WORD)
    start = int(np.searchsorted(run.words[0], first))
    if not second:
        return start
    stop = int(np.searchsorted(run.words[0], first, side="right"))
    return start + int(np.searchsorted(run.words[1][start:stop], second))


def bounds(run: Run, low: int, high: int) -> tuple[int, int]:
    """Return the range of the entries at places [low, high)."""
    if high <= low:
        return 0, 0
    return position(run, low) if low else 0, position(run, high)


def slices(run: Run, hash1: U64) -> tuple[Index, Index]:
    """Return the range of the entries that have each of m first words: int64[m] starts, int64[m] ends.

    Args:
        run: The run.
        hash1: uint64[m], first words: hash1 of a key, or in a sliced state its slice and a part of hash1.
            Ascending words are found faster.
    """
    start, stop = np.empty(len(hash1), np.int64), np.empty(len(hash1), np.int64)
    find_stretches(start, stop, *given(run.words[0], hash1))
    return start, stop


def find(run: Run, wanted: Run) -> tuple[Index, Index]:
    """Return the indices of the wanted entries that are in a run, ascending, and their positions in the run.

    Args:
        run: The run.
        wanted: Entries to find. They have as many words as entries of the run. If the run has a tail, their
            first column is the tail. Entries in ascending order of their first word are found faster.
    """
    if run.tail and len(run):
        return _find_by_tail(run, wanted)
    missing, found = 4 - len(wanted.words), np.empty(len(wanted), np.int64)
    words = [*run.words, *run.words[:1] * missing, *wanted.words, *wanted.words[:1] * missing]
    find_entries(found, missing < 2, *given(*words))
    which = np.flatnonzero(found >= 0)
    return which, found[which]


def bisect(run: Run, wanted: Run, right: bool = False) -> Index:
    """Return the position of each wanted sub-key in a run of an ordered map, int64[m].

    Args:
        run: The run.
        wanted: m pairs of key and sub-key, as entries without values. Pairs in ascending order of hash1, the
            first word, are found faster.
        right: Whether the position is after equal sub-keys. If False, it is before them.
    """
    low, high = slices(run, wanted.words[0])
    if not run.tail:
        return _bisect(run.words[1], wanted.words[1], low, high, right)
    return _bisect_tails(run, wanted, low, high, right)


def _bisect(sorted_words: U64, wanted: U64, low: Index, high: Index, right: bool = False) -> Index:
    """Return the position of each wanted word i in the sorted range [low[i], high[i]) of `sorted_words`.

    `right`: whether it is the position after equal words. If False, it is the position before them.
    """
    found = np.empty(len(wanted), np.int64)
    find_between(found, right, *given(sorted_words, wanted, low, high))
    return found


def _bisect_tails(run: Run, wanted: Run, low: Index, high: Index, right: bool = False) -> Index:
    """Return the position of each wanted sub-key in a run with a tail, int64[m].

    The tail is the first column, which sorts the entries with equal words. So the words are searched first,
    then the tails.

    Args:
        run: The run.
        wanted: m pairs of key and sub-key, with the sub-key or its order code as first column.
        low: int64[m], position of the first entry with the same first word.
        high: int64[m], position after the last entry with the same first word.
        right: Whether the position is after equal sub-keys. If False, it is before them.
    """
    for word, mine in zip(run.words[1:], wanted.words[1:], strict=True):
        low, high = _bisect(word, mine, low, high), _bisect(word, mine, low, high, True)
    before = pc.less_equal if right else pc.less
    tails, wished = run.columns[0], wanted.columns[0]
    open_ = np.flatnonzero(low < high)
    while len(open_):
        middle = (low[open_] + high[open_]) >> 1
        compared = before(tails.take(pa.array(middle)), wished.take(pa.array(open_)))
        below = compared.fill_null(False).to_numpy(zero_copy_only=False)
        low[open_[below]] = middle[below] + 1
        high[open_[~below]] = middle[~below]
        open_ = open_[low[open_] < high[open_]]
    return low


def _find_by_tail(run: Run, wanted: Run) -> tuple[Index, Index]:
    at = bisect(run, wanted)
    which = np.flatnonzero(at < len(run))
    which = which[_same(run, at[which], [word[which] for word in wanted.words])]
    tails = run.columns[0].take(pa.array(at[which]))
    equal = pc.equal(tails, wanted.columns[0].take(pa.array(which))).fill_null(False)
    which = which[equal.to_numpy(zero_copy_only=False)]
    return which, at[which]


def _same(run: Run, at: Index, wanted: list[U64]) -> Mask:
    same: Mask = run.words[0][at] == wanted[0]
    for mine, theirs in zip(run.words[1:], wanted[1:], strict=False):
        same &= mine[at] == theirs
    return same
