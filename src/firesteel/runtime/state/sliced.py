"""Sliced state over sorted runs.

The first word of an entry holds the number of its slice in the upper bits, and the upper bits of the key's
hash below them. So the entries of a key and slice lie side by side, and old slices lie before all others. To
drop them, a binary search in the first words finds where to cut the runs (Levels.drop_below). No entry is
rewritten.

    slice, upper bits of hash1 | number | hash2
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from firesteel.kernels.column_hashes import U64
from firesteel.runtime.columns.keys import Keys
from firesteel.runtime.state.base import Entries, Found
from firesteel.runtime.state.levels import Levels
from firesteel.runtime.state.look_up import entries_in, look_up
from firesteel.runtime.state.runs import Index, Run, position, slices
from firesteel.runtime.state.sort import run_order

SHORTEST = 64
"""Minimum length of a slice in milliseconds.

An entry's first word has the number of the slice and a part of the key's hash. At this length, the number
takes 43 bits, which leaves 21 for the hash. Shorter slices would leave fewer.
"""
_TIME_BITS = 49
"""Bits of a time in milliseconds: years -6900 to 10900."""


def time_of_word(word: int, length: int) -> int:
    """Return the time at which the slice of an entry begins.

    Args:
        word: First word of the entry.
        length: Length of a slice in milliseconds.
    """
    bits = _slice_bits(length)
    return ((word >> (64 - bits)) - (1 << (bits - 1))) * length


def _slice_bits(length: int) -> int:
    """Return how many bits of the first word hold the number of a slice."""
    return max(1, _TIME_BITS + 1 - length.bit_length())


class SortedSlicedState:
    """`SlicedState` over sorted runs. The columns of a run are the number of each row, then the values.

    Args:
        levels: Levels of the state.
        types: Types of the value columns.
        length: Length of a slice in milliseconds, at least SHORTEST.
    """

    def __init__(self, levels: Levels, types: Sequence[pa.DataType], length: int) -> None:
        self.levels = levels
        self._types = tuple(types)
        self._length = length
        bits = _slice_bits(length)
        self._bits, self._half = np.uint64(bits), 1 << (bits - 1)

    def slices_of(self, times: Index) -> Index:
        return np.clip(times // self._length, -self._half, self._half - 1)

    def put(
        self, keys: Keys, owners: Index, times: Index, numbers: Index, columns: Sequence[pa.Array]
    ) -> None:
        words = self._words(keys, owners, self.slices_of(times), numbers)
        run = Run(words, (pa.array(numbers), *columns))
        self.levels.add(run.take(run_order(run)), 0)

    def get(self, keys: Keys, owners: Index, times: Index, numbers: Index) -> Found:
        words = self._words(keys, owners, self.slices_of(times), numbers)
        order = np.argsort(words[0], kind="stable")
        found = look_up(self.levels, Run(words, ()).take(order), 0, 1, self._types)
        back = np.empty_like(order)
        back[order] = np.arange(len(order))
        at = pa.array(back)
        return Found(found.found[back], tuple(column.take(at) for column in found.columns))

    def entries(self, keys: Keys, owners: Index, slices_: Index) -> Entries:
        first = self._first(keys, owners, slices_)
        order = np.argsort(first, kind="stable")
        stretches = [(run, *slices(run, first[order])) for _, run in self.levels.clipped_runs()]
        found = entries_in(self.levels, keys.hash2[owners[order]], stretches, 0)
        if found is None:
            none = tuple(pa.nulls(0, kind) for kind in self._types)
            return Entries(np.zeros(0, np.int64), pa.nulls(0, pa.int64()), none)
        at, run = found
        return Entries(order[at], run.columns[0], run.columns[1:])

    def drop_before(self, time: int) -> None:
        (number,) = self.slices_of(np.array([time]))
        low = (int(number) + self._half) << (64 - int(self._bits)) << 64
        if any(position(run, low) for _, run in self.levels.clipped_runs()):
            self.levels.drop_below(low)

    def _first(self, keys: Keys, owners: Index, slices_: Index) -> U64:
        high = (slices_ + self._half).astype(np.uint64) << (np.uint64(64) - self._bits)
        word: U64 = high | (keys.hash1[owners] >> self._bits)
        return word

    def _words(self, keys: Keys, owners: Index, slices_: Index, numbers: Index) -> tuple[U64, ...]:
        return self._first(keys, owners, slices_), numbers.astype(np.uint64), keys.hash2[owners]
