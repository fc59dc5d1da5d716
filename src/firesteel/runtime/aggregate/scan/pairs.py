"""Distinct (key, value) pairs of a batch, and their counts after each row."""

from __future__ import annotations

from functools import cached_property

import numpy as np
import pyarrow as pa

from firesteel.kernels.column_hashes import U64, is_one_word, null_mask, sub_key_words
from firesteel.kernels.extremes import count_pairs
from firesteel.kernels.types import given
from firesteel.runtime.aggregate.scan.column import Mask
from firesteel.runtime.aggregate.scan.rows import Rows
from firesteel.runtime.aggregate.scan.segments import Index
from firesteel.runtime.columns.keys import Keys
from firesteel.runtime.columns.sorting import row_bits, word_order
from firesteel.runtime.state.order_codes import is_exact, order_words
from firesteel.runtime.state.runs import Run, find
from firesteel.runtime.state.sort import sort_order, spread

_FEWEST_BITS = 20
"""Least number of leading bits of a value's word with which `_short_order` sorts (key, value) pairs.

A word is a hash of the value, or a number that sorts like the value. With fewer bits, the leading bits of
different values would often be equal. The sort would then have to be repeated by `_long_order`.
"""


class Pairs:
    """Distinct (key, value) pairs of n entries, sorted by key, then by the value's hash or by the value.

    An entry is a row of the batch, or an item of a list of values. It has a key and a value. The state keeps
    the entries of its maps in the same order.

    Args:
        keys: Keys of the batch.
        codes: int64[n], index in `keys` of each entry's key, ascending.
        arguments: Value of each entry.
        in_order: Whether to sort the pairs of a key by value, as an ordered map does. This is done only for
            types of which each value has its own order word (a 64-bit number that sorts like the value).
            Otherwise, the pairs of a key are sorted by hashes of their values.

    Attributes:
        order: int64[n], entries sorted by pair. Entries of one pair keep their order.
        starts: int64[p], where each pair begins in `order`.
        owners: int64[p], key of each pair.
        values: Value of each pair, p rows.
    """

    def __init__(self, keys: Keys, codes: Index, arguments: pa.Array, in_order: bool = False) -> None:
        self._keys = keys
        self.in_order = in_order and is_exact(arguments.type)
        self._two_words = not is_one_word(arguments.type)
        if self.in_order:
            self._two_words = bool(arguments.null_count)
        words = self._words_of(codes, arguments)
        first = _leading(words) if self.in_order else words[0]
        second = words[1] if len(words) > 1 else None
        self.order, self.starts = _pair_order(codes.astype(np.uint64), first, second)
        at = self.order[self.starts]
        self.owners = codes[at]
        self._words = tuple(word[at] for word in words)
        self.values = arguments.take(pa.array(at))

    def _words_of(self, codes: Index, values: pa.Array) -> tuple[U64, ...]:
        """Return one or two arrays with a word for each value: a hash, or a number that sorts like the value.

        Two values of one key are equal if all their words are equal. There is a second array if one word is
        not enough. `codes` has the key number of each value.
        """
        if not self.in_order:
            word1, word2 = sub_key_words(values, self._keys.hash2[codes])
            return (word1, word2) if self._two_words else (word1,)
        words = order_words(values)
        if not self._two_words:
            return (words,)
        null = null_mask(values)
        return np.where(null, np.uint64(0), words), null.astype(np.uint64)

    def __len__(self) -> int:
        return len(self.starts)

    @cached_property
    def of_rows(self) -> Index:
        """Return the index of each entry's (key, value) pair, in input order, int64[n]."""
        numbers = np.empty(len(self.order), np.int64)
        numbers[self.order] = np.repeat(np.arange(len(self)), np.diff(self.starts, append=len(self.order)))
        return numbers

    def has(self, owners: Index, values: pa.Array) -> Mask:
        """Return which of m (key, value) pairs are among these pairs, bool[m].

        `owners`: int64[m], key numbers, ascending. `values`: m values.
        """
        result = np.zeros(len(owners), np.bool_)
        mine = self._run(self.owners, self._words)
        result[find(mine, self._run(owners, self._words_of(owners, values)))[0]] = True
        return result

    def _run(self, owners: Index, words: tuple[U64, ...]) -> Run:
        keys = self._keys
        return Run((keys.hash1[owners], words[0], keys.hash2[owners], *words[1:]), ())


def _leading(words: tuple[U64, ...]) -> U64:
    """Return a word for each entry of an ordered map, so that the first few bits suffice to sort the entries.

    The least word is subtracted from all words. Then all words are shifted to the left, until the greatest
    one has no leading 0. A NULL has the word 0, which may be far below the others. So it first gets the least
    word of the others, minus 1 (if that word is not 0):

        1000, 1002, NULL   ->   1000, 1002, 999   ->   1, 3, 0, shifted to the left by 62 bits

    Args:
        words: For each entry the order word of its value, 0 for NULL. If there are NULLs, a second word: 1
            for NULL, 0 for other values.
    """
    first = words[0]
    if len(words) > 1:
        null = words[1] != 0
        least = first[~null].min(initial=np.iinfo(np.uint64).max)
        if least:
            first = np.where(null, least - np.uint64(1), first)
    return spread(first)


def _pair_order(codes: U64, word1: U64, word2: U64 | None) -> tuple[Index, Index]:
    """Sort n entries by key and value. Return the order, and where each distinct (key, value) pair begins.

    The sort is stable. `_short_order` is tried first, as it needs only one sort.

    Args:
        codes: uint64[n], key number of each entry, ascending.
        word1: uint64[n], word of each entry's value: a hash, or a number that sorts like the value.
        word2: uint64[n], second word. Equal words mean equal values. None if `word1` alone is enough.

    Returns:
        int64[n], entry numbers sorted by (code, word1, word2), and int64[p], where the entries of each of p
        pairs begin in this order.
    """
    found = _short_order(codes, word1, word2)
    return _long_order(codes, word1, word2) if found is None else found


def _short_order(codes: U64, word1: U64, word2: U64 | None) -> tuple[Index, Index] | None:
    """Sort entries by key and value as `_pair_order` does, with the same arguments and result, by one sort.

    It sorts 64-bit integers. Each consists of an entry's key number (code), the leading bits of its value's
    word1, and its row number. Return None if too few bits are left for word1 to distinguish all values.
    """
    code_bits = int(codes[-1]).bit_length() if len(codes) else 0
    word_bits = 64 - code_bits - row_bits(len(codes))
    if word_bits < _FEWEST_BITS:
        return None
    return word_order(word1, (word1, word1 if word2 is None else word2), codes.view(np.int64), word_bits)


def _starts(new: Mask, rows: int) -> Index:
    """Return the index of the first row of each range of equal rows.

    `new` is bool[rows - 1]: whether each row but the first differs from the row before it.
    """
    return np.append(np.zeros(min(rows, 1), np.int64), np.flatnonzero(new) + 1)


def _differ(order: Index, *words: U64 | None) -> Mask:
    """Return whether the words of each row but the first in `order` differ from those of the row before."""
    differ = np.zeros(max(len(order) - 1, 0), np.bool_)
    for word in words:
        if word is not None:
            placed = word[order]
            differ |= placed[1:] != placed[:-1]
    return differ


def _long_order(codes: U64, word1: U64, word2: U64 | None) -> tuple[Index, Index]:
    """Sort entries by key and value as `_pair_order` does, with the same arguments and result, by two sorts.

    The first sort is by integers of an entry's key number (code) and the leading bits of its value's word1.
    It numbers the distinct (key, value) pairs, but is not stable. The second sort is by pair and row number.
    If the leading bits do not distinguish all values, which is rare, the whole words are compared instead.
    """
    rows = len(codes)
    bits = np.uint64(int(codes[-1]).bit_length()) if rows else np.uint64(0)
    packed = word1 >> bits
    if bits:
        packed |= codes << (np.uint64(64) - bits)
    order = np.argsort(packed)
    packed = packed[order]
    same = packed[1:] == packed[:-1]
    if np.any(same & _differ(order, word1, word2)):
        order = sort_order((codes, word1)) if word2 is None else np.lexsort((word2, word1, codes))
        return order, _starts(_differ(order, codes, word1, word2), rows)
    number = np.zeros(rows, np.uint64)
    np.cumsum(~same, out=number[1:])
    place = np.uint64(max(1, rows.bit_length()))
    number <<= place
    number |= order.astype(np.uint64)
    number.sort()
    number &= (np.uint64(1) << place) - np.uint64(1)
    return number.astype(np.int64), _starts(~same, rows)


class Counts:
    """Counts of p (key, value) pairs through the n rows of a batch.

    Only rows where the argument `mask` is True count, such as those that pass a FILTER. None: all count.

    Attributes:
        moves: int64[n], +1 for an added row, -1 for a retracted row, 0 for a row that does not count.
        after: int64[n], count of each row's pair after the row.
        before: int64[p], stored counts.
        last: int64[p], counts after the batch.
        least: int64[p], least counts within the batch.
    """

    def __init__(self, rows: Rows, pairs: Pairs, mask: Mask | None, before: Index) -> None:
        self.moves = np.ones(len(rows), np.int64) if rows.sign is None else rows.sign
        if mask is not None:
            self.moves = np.where(mask, self.moves, 0)
        self.before = before
        self.after = np.empty(len(rows), np.int64)
        self.last, self.least = np.empty(len(pairs), np.int64), np.empty(len(pairs), np.int64)
        read = given(pairs.order, pairs.starts, self.moves, before)
        count_pairs(self.after, self.last, self.least, *read)

    @property
    def appears(self) -> Mask:
        """Return the rows with which a value appears: the count of its (key, value) pair becomes positive."""
        there: Mask = (self.after == 1) & (self.moves > 0)
        return there

    @property
    def disappears(self) -> Mask:
        """Return the rows with which a value disappears: the count of its (key, value) pair falls to 0."""
        gone: Mask = (self.after == 0) & (self.moves < 0)
        return gone
