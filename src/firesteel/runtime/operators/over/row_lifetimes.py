"""Lifetimes of rows: which changes of a batch add a row, and which retraction removes it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from firesteel.runtime.columns.sorting import stable_order

Index = NDArray[np.int64]
Mask = NDArray[np.bool_]


@dataclass(frozen=True)
class RowLifetimes:
    """Lifetimes of the rows of n changes and m stored rows.

    A row's number is its position among the changes. Stored rows are numbered after them.

    Attributes:
        subjects: int64[n], row that each change adds or removes. -1 for a retraction without a matching row.
        ends: int64[n + m], change that removes each row, n if none does.
    """

    subjects: Index
    ends: Index

    @classmethod
    def of(cls, alike: Index, adds: Mask, arrivals: Index) -> RowLifetimes:
        """Match retractions with rows. A retraction removes the oldest equal row that is left.

        Among equal rows, the balance is the number of additions minus the number of all retractions so far.
        Stored rows are the first additions. A retraction finds no row if it brings the balance to a new
        minimum below 0. Of the other retractions, the j-th removes the row of the j-th addition:

            change     +   -   -   +   +   -
            balance    1   0  -1   0   1   0
            row        a   a   .   b   c   b

        Args:
            alike: int64[n + m], equal where rows are equal.
            adds: bool[n], which changes add a row.
            arrivals: int64[m], arrival number of each stored row.
        """
        changes = len(adds)
        items = np.concatenate([changes + stable_order(arrivals), np.arange(changes)])
        order = items[stable_order(alike[items])]
        gives = np.ones(len(order), np.bool_)
        own = order < changes
        gives[own] = adds[order[own]]
        group = np.cumsum(np.diff(alike[order], prepend=alike[order[:1]]) != 0)
        balance = _within(np.cumsum(np.where(gives, 1, -1)), group)
        finds = ~gives & (balance >= _lowest_before(balance, group))
        subjects = np.full(changes, -1, np.int64)
        subjects[adds] = np.flatnonzero(adds)
        ends = np.full(len(alike), changes, np.int64)
        given = order[gives]
        firsts = np.searchsorted(group[gives], group[finds])
        taken = given[firsts + _within(np.cumsum(finds), group)[finds] - 1]
        subjects[order[finds]] = taken
        ends[taken] = order[finds]
        return cls(subjects, ends)


def _within(sums: Index, group: Index) -> Index:
    """Return running sums that begin again in each group.

    Args:
        sums: int64[n], running sums over all n values.
        group: int64[n], ascending, number of the group of each value, from 0 on without gaps.

    Example:
        values +1 +1 +1 -1, sums 1 2 3 2, group 0 0 1 1   ->   1 2 1 0
    """
    before = np.concatenate([[0], sums])[np.flatnonzero(np.diff(group, prepend=-1))]
    found: Index = sums - before[group]
    return found


def _lowest_before(balance: Index, group: Index) -> Index:
    """Return for each position the lowest of 0 and all earlier balances of its group."""
    step = len(balance) + 1
    lowered = np.minimum(balance, 0) - group * step
    before = np.minimum.accumulate(lowered) + group * step
    found = np.zeros(len(balance), np.int64)
    same = group[1:] == group[:-1]
    found[1:][same] = before[:-1][same]
    return found
