"""The rows of two inputs whose windows fire, and which of them are joined.

The rows of one input lead: each leading row is sent with its partners, in their order of arrival, or alone.
Rows of the other input without a partner follow the leading rows of their window and key.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from firesteel.runtime.columns.sorting import stable_order_by

Index = NDArray[np.int64]
Mask = NDArray[np.bool_]
Holds = Callable[[Index, Index], Mask]
"""Function that says for which pairs of a leading row and another row the condition is true."""

PIECE = 1 << 18
"""Approximate number of pairs to create at once.

Pairs may be too many for the memory: 10,000 rows of each input in one window and key make 100 million pairs.
"""

NONE = -1
"""Value in place of a row's position if there is no row."""


@dataclass(frozen=True)
class FiredSide:
    """The n rows of one input whose windows fire.

    Attributes:
        timers: int64[n], watermark that fires the window of each row.
        ends: int64[n], end of the window of each row.
        numbers: int64[n], arrival number of each row.
        codes: int64[n], number of the window and key of each row; the other input's rows have the same one if
            window and key are equal.
        joins: bool[n], whether a row can have a partner: no key is NULL, unless NULL equals NULL.
    """

    timers: Index
    ends: Index
    numbers: Index
    codes: Index
    joins: Mask

    def __len__(self) -> int:
        return len(self.codes)


@dataclass(frozen=True)
class Joined:
    """Some of the rows to send, in order.

    Attributes:
        leading: int64[p], number of the leading row. NONE: the other input's row is sent without a partner.
        others: int64[p], number of the other input's row. NONE: the leading row is sent without a partner.
    """

    leading: Index
    others: Index


class WindowPairs:
    """The rows of two inputs, sorted by window and key, then by arrival.

    Args:
        leading: The input that leads.
        other: The other input.
    """

    def __init__(self, leading: FiredSide, other: FiredSide) -> None:
        places = _places(leading, other)
        self._rows = [stable_order_by(places[side.codes], side.numbers) for side in (leading, other)]
        self._groups = [
            places[side.codes][rows] for side, rows in zip((leading, other), self._rows, strict=True)
        ]
        own, others = self._groups
        joins = leading.joins[self._rows[0]]
        sizes = np.bincount(others, minlength=len(places))
        self._sizes = np.where(joins, sizes[own], 0)
        self._ends = np.cumsum(self._sizes)
        self._offsets = (np.cumsum(sizes) - sizes)[own] - (self._ends - self._sizes)
        self._matched = np.zeros(len(own), np.bool_)
        self._other_matched = np.zeros(len(others), np.bool_)

    def matched(self, holds: Holds | None) -> Index:
        """Return the leading rows that have a partner, int64[a], sorted by window and key, then by arrival.

        Args:
            holds: Test of the join condition for pairs, None if there is no condition.
        """
        if holds is None:
            self._matched = self._sizes > 0
        else:
            for _ in self._pairs(holds):
                pass
        return self._rows[0][self._matched]

    def alone(self, holds: Holds | None) -> Index:
        """Return the leading rows without a partner, int64[b], sorted by window and key, then by arrival.

        Args:
            holds: Test of the join condition for pairs, None if there is no condition.
        """
        self.matched(holds)
        return self._rows[0][~self._matched]

    def joined(self, holds: Holds | None, pads: bool, pads_other: bool) -> Iterator[Joined]:
        """Yield the rows to send, piece by piece.

        Args:
            holds: Test of the join condition for pairs, None if there is no condition.
            pads: Whether leading rows without a partner are sent.
            pads_other: Whether rows of the other input without a partner are sent.
        """
        rows, other_rows = self._rows
        groups, other_groups = self._groups
        waiting = other_waiting = 0
        for leading, others, done in self._pairs(holds):
            alone = np.zeros(0, np.int64)
            if pads:
                alone = waiting + np.flatnonzero(~self._matched[waiting:done])
                waiting = done
            left_over = np.zeros(0, np.int64)
            if pads_other:
                begin = groups[done] if done < len(groups) else np.iinfo(np.int64).max
                complete = int(np.searchsorted(other_groups, begin))
                left_over = other_waiting + np.flatnonzero(~self._other_matched[other_waiting:complete])
                other_waiting = complete
            at = np.concatenate([leading, alone, np.full(len(left_over), len(rows))])
            partners = np.concatenate([others, np.full(len(alone), NONE), left_over])
            if len(alone) or len(left_over):
                group = np.concatenate([groups[leading], groups[alone], other_groups[left_over]])
                order = stable_order_by(group, at)
                at, partners = at[order], partners[order]
            yield Joined(_of(rows, np.where(at == len(rows), NONE, at)), _of(other_rows, partners))

    def _pairs(self, holds: Holds | None) -> Iterator[tuple[Index, Index, int]]:
        """Yield the pairs for which the condition is true, piece by piece. There is at least one piece.

        A piece may be empty, and may end within the pairs of a leading row.

        Yields:
            Two arrays int64[p]: for each pair, the position of the leading row and that of its partner, in
            the sorted rows of their inputs. Then a number d: the leading rows 0 to d - 1 are complete, that
            is, no later piece has a pair with one of them.
        """
        rows, other_rows = self._rows
        total = int(self._ends[-1]) if len(self._ends) else 0
        for begin in range(0, max(total, 1), PIECE):
            end = min(begin + PIECE, total)
            first = int(np.searchsorted(self._ends, begin, side="right"))
            last = int(np.searchsorted(self._ends, end, side="left")) + 1
            ends = self._ends[first:last]
            counts = np.minimum(ends, end) - np.maximum(ends - self._sizes[first:last], begin)
            leading = np.repeat(np.arange(first, first + len(ends)), counts)
            others = self._offsets[leading] + np.arange(begin, end)
            if holds is not None:
                true = holds(rows[leading], other_rows[others])
                leading, others = leading[true], others[true]
            self._matched[leading] = True
            self._other_matched[others] = True
            yield leading, others, int(np.searchsorted(self._ends, end, side="right"))


def _places(leading: FiredSide, other: FiredSide) -> Index:
    """Return the position of each of g codes, int64[g]. A code stands for a pair of window and key.

    The codes are sorted by the watermark that fires the window, then by the end of the window.
    """
    codes = np.concatenate([leading.codes, other.codes])
    if not len(codes):
        return codes
    groups = int(codes.max()) + 1
    timers, ends = np.empty(groups, np.int64), np.empty(groups, np.int64)
    timers[codes] = np.concatenate([leading.timers, other.timers])
    ends[codes] = np.concatenate([leading.ends, other.ends])
    places = np.empty(groups, np.int64)
    places[stable_order_by(timers, ends)] = np.arange(groups)
    return places


def _of(rows: Index, places: Index) -> Index:
    """Return the items of `rows` at the positions `places`. A position of NONE (-1) gives NONE."""
    found = np.full(len(places), NONE)
    there = places != NONE
    found[there] = rows[places[there]]
    return found
