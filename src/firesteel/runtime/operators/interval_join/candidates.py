"""Rows of one input that may join rows of the other input in a batch: stored ones and new ones."""

from __future__ import annotations

import numpy as np

from firesteel.runtime.operators.interval_join.arrivals import Arrivals, Index, Mask, NewRows
from firesteel.runtime.operators.interval_join.places import Places
from firesteel.runtime.operators.interval_join.retained_rows import RetainedRows, StoredRows, concat_fields
from firesteel.runtime.spec.interval_join import IntervalJoinSpec

BEFORE = -1
"""Arrival position of a stored row, which is before all new rows."""


class Candidates:
    """Rows of one input that may join, stored rows before new ones.

    Args:
        spec: Settings of the join.
        port: The input.
        arrivals: The rows of the batch.
        kept: State of the input.

    Attributes:
        stored: The s stored rows.
        fields: The fields, c rows each.
        matched: bool[c], whether a row has found a partner in this batch.
    """

    def __init__(self, spec: IntervalJoinSpec, port: int, arrivals: Arrivals, kept: RetainedRows) -> None:
        new, other = arrivals.sides[port], arrivals.sides[1 - port]
        self._back, self._ahead = spec.reach(port), spec.reach(1 - port)
        self.stored = self._near(arrivals, other, kept)
        stored = self.stored
        self.fields = concat_fields(stored.fields, new.fields)
        times = np.concatenate([stored.times, new.times])
        self.matched = np.zeros(len(times), np.bool_)
        self._until = times + (spec.expiry(port) - 1)
        self._ranks = np.concatenate([np.full(len(stored.times), BEFORE), new.ranks])
        self._stays = np.concatenate([np.ones(len(stored.times), np.bool_), new.stays & new.joins])
        self._sort(len(arrivals.keys), np.concatenate([stored.owners, new.codes]), times)

    def _near(self, arrivals: Arrivals, other: NewRows, kept: RetainedRows) -> StoredRows:
        able = np.flatnonzero(other.joins)
        times = other.times[able]
        return kept.near(arrivals.keys, other.codes[able], times - self._back, times + self._ahead)

    def _sort(self, keys: int, codes: Index, times: Index) -> None:
        """Sort the rows by key, then time.

        Sets `_order` to the numbers of the rows, and `_sorted` to their keys and times as one number each
        (places.py).
        """
        self._places = Places(keys, times)
        places = self._places.from_(codes, times)
        self._order = np.argsort(places, kind="stable")
        self._sorted = places[self._order]

    def near(self, rows: NewRows) -> tuple[Index, Index]:
        """Return the range [start, end) of each row's candidates, sorted by key and time, int64[n] each.

        A candidate has an equal key and a time that is near enough.

        Args:
            rows: n new rows of the other input.
        """
        low = self._places.from_(rows.codes, rows.times - self._back)
        high = self._places.behind(rows.codes, rows.times + self._ahead)
        starts, stops = np.empty_like(low), np.empty_like(high)
        order = np.argsort(low)  # searchsorted is several times as fast if it looks up ascending numbers.
        starts[order] = np.searchsorted(self._sorted, low[order])
        stops[order] = np.searchsorted(self._sorted, high[order])
        return starts, np.where(rows.joins, np.maximum(stops, starts), starts)

    def at(self, places: Index) -> Index:
        """Return the numbers of the rows at some positions of the order by key and time."""
        return self._order[places]

    def meets(self, candidates: Index, ranks: Index, now: Index) -> Mask:
        """Return for which of p pairs the candidate arrived first, and had not expired by then, bool[p].

        A pair consists of a candidate, which is a row of this input, and a row of the other input.

        Args:
            candidates: int64[p], number of the candidate of each pair.
            ranks: int64[p], arrival position of the other input's row of each pair.
            now: int64[p], when the other input's row arrived: the lower watermark of both inputs at that
                moment, or the clock in a join by processing time.
        """
        before = self._ranks[candidates] < ranks
        there: Mask = before & self._stays[candidates] & (now <= self._until[candidates])
        return there

    @property
    def first_new(self) -> int:
        """Return the number of the first new row."""
        return len(self.stored.times)
