"""Versions of partitions: the rows that are there after each change of a batch.

Rows that are added after all others change no result before them, so they extend the version. Any other
change begins a new one. For a partition with the stored rows 10 and 20:

    change     +30 +40   +15   -20   +50
    version      0   0     1     2     2
    rows of version 0: 10 20 30 40
    rows of version 1: 10 15 20 30 40
    rows of version 2: 10 15 30 40 50

Version 0 holds the results before the batch, too. A row is in a range of successive versions.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from firesteel.runtime.columns.sorting import stable_order

Index = NDArray[np.int64]
Mask = NDArray[np.bool_]


@dataclass(frozen=True)
class SortedRows:
    """s rows, sorted by partition, sort key and arrival. The position of a row is its place.

    Attributes:
        partitions: int64[s], ascending.
        codes: int64[s], ascending, equal for equal partitions and sort keys.
        begins: int64[s], change that adds each row, -1 for a stored row.
        ends: int64[s], change that removes each row, or the number of changes if none does.
    """

    partitions: Index
    codes: Index
    begins: Index
    ends: Index


@dataclass(frozen=True)
class Versions:
    """v versions of partitions, and the k changes of the batch that add or remove a row.

    A version is the rows that its partition has right before the next version begins. A row that is added
    after all others extends the version. Any other change begins the next version.

    Attributes:
        changes: int64[k], numbers of the changes, by partition.
        places: int64[k], place of the row that each change adds or removes.
        of_change: int64[k], version after each change.
        origins: int64[v], position in `changes` of the change that begins each version, -1 for the first
            version of a partition.
        rows: int64[r], place of each row that is in a version, ascending.
        first: int64[r], first version with each row.
        past: int64[r], version after the last one with each row.
    """

    changes: Index
    places: Index
    of_change: Index
    origins: Index
    rows: Index
    first: Index
    past: Index

    @classmethod
    def of(cls, sorted_rows: SortedRows, subjects: Index, adds: Mask, by_range: bool) -> Versions:
        """Cut the changes into versions.

        Args:
            sorted_rows: The rows.
            subjects: int64[n], place of the row that each change adds or removes, -1 for no row.
            adds: bool[n], which changes add a row.
            by_range: Whether rows with equal sort keys share a result (RANGE).
        """
        found = np.flatnonzero(subjects >= 0)
        changes = found[stable_order(sorted_rows.partitions[subjects[found]])]
        places = subjects[changes]
        starts = ~_extends(sorted_rows, places, adds[changes], by_range)
        partitions, ordinals = np.unique(sorted_rows.partitions[places], return_inverse=True)
        of_change = ordinals + np.cumsum(starts)
        origins = np.full(len(partitions) + int(np.count_nonzero(starts)), -1, np.int64)
        origins[of_change[starts]] = np.flatnonzero(starts)
        firsts = np.searchsorted(ordinals, np.arange(len(partitions)))
        first_versions = of_change[firsts] - starts[firsts]
        rows = np.flatnonzero(np.isin(sorted_rows.partitions, partitions))
        own = np.searchsorted(partitions, sorted_rows.partitions[rows])
        after = np.zeros(len(subjects) + 1, np.int64)
        after[changes] = of_change
        came, went = sorted_rows.begins[rows], sorted_rows.ends[rows]
        first = np.where(came < 0, first_versions[own], after[came])
        ends = np.append(first_versions[1:], len(origins))
        past = np.where(went == len(subjects), ends[own], after[went])
        return cls(changes, places, of_change, origins, rows, first, past)

    @property
    def size(self) -> int:
        """Return the number of rows in all versions together."""
        return int(np.sum(self.past - self.first))


def _extends(sorted_rows: SortedRows, places: Index, adds: Mask, by_range: bool) -> Mask:
    """Return which changes, sorted by partition, add a row after all earlier rows of the partition."""
    if not len(places):
        return np.zeros(0, np.bool_)
    stored = np.where(sorted_rows.begins < 0, np.arange(len(sorted_rows.begins)), -1)
    last_stored = np.maximum.accumulate(stored)
    ends = np.searchsorted(sorted_rows.partitions, sorted_rows.partitions[places], side="right") - 1
    added = np.maximum.accumulate(np.where(adds, places, -1))
    last = np.maximum(np.concatenate([[-1], added[:-1]]), last_stored[ends])
    extends: Mask = adds & (places > last)
    if by_range:
        extends &= (last < 0) | (sorted_rows.codes[places] != sorted_rows.codes[last])
    return extends
