"""Sort the entries of a run.

Entries are sorted by their first two words, which are unsigned numbers (runs.py). If the run has a tail,
entries with equal words are sorted by their third word, hash2, and then by the tail, their first column.
Tails are strings or bytes, compared eight bytes at a time, or DECIMALs, compared one 64-bit word at a time.
Each round of comparisons covers only the entries that are still equal.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import pyarrow as pa

from firesteel.kernels.column_hashes import U64, offsets_of
from firesteel.runtime.state.order_codes import decimal_words, leading_words
from firesteel.runtime.state.runs import Index, Mask, Run


def is_sorted(run: Run, owners: Index) -> bool:
    """Return whether a run is known to be sorted. A run with a tail is not checked: the result is False.

    `owners`: index of each entry's key in `Keys`, which are sorted by hash.
    """
    if run.tail or np.any(owners[1:] < owners[:-1]):
        return False
    first, second = run.words[:2]
    return not np.any((first[1:] == first[:-1]) & (second[1:] < second[:-1]))


def run_order(run: Run) -> Index:
    """Return a stable sort order of unsorted entries, int64[n]."""
    order = sort_order(run.words)
    return _by_tails(run, order) if run.tail else order


def sort_order(words: Sequence[U64]) -> Index:
    """Return a stable order by the first two words. It is fast if the entries consist of sorted ranges."""
    order = np.argsort(words[0], kind="stable")
    first = words[0][order]
    new = first[1:] != first[:-1]
    second = words[1][order]
    if not np.any(~new & (second[1:] != second[:-1])):
        return order
    group = np.zeros(len(order), np.uint64)
    np.cumsum(new, out=group[1:])
    bits = np.uint64(int(group[-1]).bit_length())
    second = spread(second)
    packed = (second >> bits) | (group << (np.uint64(64) - bits) if bits else group)
    again = np.argsort(packed, kind="stable")
    group, second = group[again], second[again]
    if np.any((group[1:] == group[:-1]) & (second[1:] < second[:-1])):
        return np.lexsort((words[1], words[0])).astype(np.int64)
    return order[again]


def spread(words: U64) -> U64:
    """Return words that compare in the same way and differ in their leading bits.

    The least word is subtracted from all, and leading bits that are then 0 in all words are shifted out.
    """
    if not len(words):
        return words
    least = words.min()
    unused = 64 - int(words.max() - least).bit_length()
    return words if not unused else (words - least) << np.uint64(min(unused, 63))


def _by_tails(run: Run, order: Index) -> Index:
    """Return `order`, in which entries with equal first two words are also sorted by hash2 and then tail.

    Args:
        run: n unsorted entries. Their third word is hash2, their first column is the tail.
        order: int64[n], order of the entries by their first two words.
    """
    first, second = run.words[0][order], run.words[1][order]
    same = (first[1:] == first[:-1]) & (second[1:] == second[:-1])
    at, group = _tied(same)
    if not len(at):
        return order
    rows = order[at]
    order = order.copy()
    order[at] = rows[_order_of_tails(run.words[2][rows], run.columns[0].take(pa.array(rows)), group)]
    return order


def _tied(same: Mask) -> tuple[Index, Index]:
    """Return the positions of the entries that equal a neighbor, and the group number of each of them.

    A group consists of adjacent equal entries.

    Args:
        same: bool[n - 1], whether each entry but the first equals the entry before it.
    """
    tied = np.zeros(len(same) + 1, np.bool_)
    tied[1:] |= same
    tied[:-1] |= same
    at = np.flatnonzero(tied)
    new = at > 0
    new[new] = ~same[at[new] - 1]
    return at, np.cumsum(new)


def _order_of_tails(hash2: U64, tails: pa.Array, group: Index) -> Index:
    """Return a stable order of n entries by group, then hash2, then tail, int64[n].

    Args:
        hash2: uint64[n], second hash of the key of each entry.
        tails: n strings, bytes or DECIMALs: the first column, which sorts entries with equal words.
        group: int64[n], ascending. Entries with equal first two words have the same number.
    """
    order = np.arange(len(group))
    at = order.copy()
    for words in _rounds(hash2, tails):
        mine = words[order[at]]
        moved = sort_order((group.astype(np.uint64), mine))
        order[at] = order[at][moved]
        mine = mine[moved]
        tied, group_of = _tied((group[1:] == group[:-1]) & (mine[1:] == mine[:-1]))
        at, group = at[tied], group_of
        if not len(at):
            break
    return order


def _rounds(hash2: U64, tails: pa.Array) -> Iterator[U64]:
    """Yield sort keys of n entries, uint64[n] each: hash2, then eight bytes of the tails at a time."""
    if len(hash2) and (hash2 != hash2[0]).any():
        yield hash2
    if pa.types.is_decimal(tails.type):
        yield from decimal_words(tails)
        return
    lengths = np.diff(offsets_of(tails))
    for begin in range(0, int(lengths.max(initial=0)), 8):
        yield leading_words(tails, begin)
    yield lengths.astype(np.uint64)
