"""Reductions of arrays by group. An entry is an item of an array, such as the value of a row."""

from __future__ import annotations

import numpy as np

from firesteel.runtime.aggregate.scan.column import Mask, NoPrefixScan
from firesteel.runtime.aggregate.scan.segments import Index, Numbers, accumulate


class Groups:
    """m entries, sorted by group. `codes` has the group number of each entry, below `size`, ascending.

    Groups may be empty.
    """

    def __init__(self, codes: Index, size: int) -> None:
        self.size = size
        new = np.ones(len(codes), np.bool_)
        np.not_equal(codes[1:], codes[:-1], out=new[1:])
        self._starts = np.flatnonzero(new)
        self._here = codes[self._starts]
        self.rows = len(codes)

    @classmethod
    def single(cls, size: int) -> Groups:
        """Return `size` groups with one entry each."""
        return cls(np.arange(size), size)

    def sum(self, values: Index) -> Index:
        """Return the sum of each group, 0 for an empty group. Sums wrap at 64 bits."""
        return self._placed(np.add.reduceat(values, self._starts), 0) if self.rows else self._none(0)

    def any(self, marked: Mask | None) -> Mask:
        """Return whether each group has an entry where `marked` is True. None stands for True everywhere."""
        if not self.rows:
            return np.zeros(self.size, np.bool_)
        if marked is None:
            return self._placed(np.ones(len(self._here), np.bool_), False)
        found: Mask = self._placed(np.logical_or.reduceat(marked, self._starts), False)
        return found

    def reduce(self, ufunc: np.ufunc, values: Numbers, neutral: np.generic) -> Numbers:
        """Return each group reduced with `ufunc`, in any order. An empty group gives `neutral`."""
        if not self.rows:
            return np.full(self.size, neutral, values.dtype)
        return self._placed(ufunc.reduceat(values, self._starts), neutral)

    def sum_in_order(self, values: Numbers, begin: Numbers) -> Numbers:
        """Return begin[i] plus the values of group i, added one after the other, for each group i."""
        if not self.rows:
            return begin
        running = accumulate(np.add, values, self._starts, begin[self._here])
        result = begin.copy()
        result[self._here] = running[np.append(self._starts[1:], self.rows) - 1]
        return result

    def first(self, marked: Mask) -> Index:
        """Return the index of the first entry of each group where `marked` is True, -1 if there is none."""
        places = np.where(marked, np.arange(self.rows), self.rows)
        if not self.rows:
            return self._none(-1)
        found = self._placed(np.minimum.reduceat(places, self._starts), self.rows)
        return np.where(found == self.rows, -1, found)

    def _placed(self, reduced: Numbers, neutral: int | bool | np.generic) -> Numbers:
        if len(self._here) == self.size:
            return reduced
        result = np.full(self.size, neutral, reduced.dtype)
        result[self._here] = reduced
        return result

    def _none(self, value: int) -> Index:
        return np.full(self.size, value, np.int64)


class Ranges(Groups):
    """Groups that may overlap: group i has the entries starts[i]:ends[i], which is at least one entry.

    `rows` is the number of all entries.
    """

    def __init__(self, starts: Index, ends: Index, rows: int) -> None:
        self.size, self.rows = len(starts), rows
        self._starts, self._ends = starts, ends

    def sum(self, values: Index) -> Index:
        totals = np.zeros(self.rows + 1, np.int64)
        np.cumsum(values, out=totals[1:])
        found: Index = totals[self._ends] - totals[self._starts]
        return found

    def any(self, marked: Mask | None) -> Mask:
        if marked is None:
            return np.ones(self.size, np.bool_)
        found: Mask = self.sum(marked.astype(np.int64)) > 0
        return found

    def reduce(self, ufunc: np.ufunc, values: Numbers, neutral: np.generic) -> Numbers:
        """Reduce each group with a ufunc that may take an entry twice, such as a maximum.

        First, the results of all stretches of 1, 2, 4, 8, .. entries are computed: stretches[k][i] is that of
        the 2**k entries from position i. Then each group is covered by two stretches of equal length, the
        greatest that is not above the group's. One begins where the group begins, the other ends where the
        group ends. They may overlap:

            7 entries, k = 2   ->   ufunc(entries 0 to 3, entries 3 to 6)
        """
        lengths = self._ends - self._starts
        level_of = np.frexp(np.arange(int(lengths.max(initial=1)) + 1, dtype=np.float64))[1] - 1
        levels, stretches = level_of[lengths], [values]
        for level in range(int(level_of[-1])):
            longer, half = stretches[-1].copy(), 1 << level
            ufunc(longer[:-half], longer[half:], out=longer[:-half])
            stretches.append(longer)
        if len(stretches) == 1:
            return values[self._starts]
        flat, begin = np.concatenate(stretches), levels * np.int64(self.rows)
        reduced: Numbers = ufunc(flat[begin + self._starts], flat[begin + self._ends - (1 << levels)])
        return reduced

    def sum_in_order(self, values: Numbers, begin: Numbers) -> Numbers:
        raise NoPrefixScan

    def first(self, marked: Mask) -> Index:
        raise NoPrefixScan
