"""OVER aggregates ordered by a plain column, change by change over plain lists (Flink:
NonTimeRowsUnboundedPrecedingFunction, NonTimeRangeUnboundedPrecedingFunction).
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from itertools import pairwise

Row = tuple[str, int | None, int]
"""Partition, value that is sorted by, and an id."""
Results = tuple[int, int]
"""COUNT(*) and SUM of the ids."""


@dataclass
class ReferenceSortedOver:
    """SELECT *, COUNT(*) OVER w, SUM(id) OVER w, where w is unbounded.

    Attributes:
        rows: Whether the frame counts rows; if not, rows with equal values see each other.
    """

    rows: bool
    _partitions: dict[str, list[Row]] = field(default_factory=lambda: defaultdict(list))

    def change(self, kind: str, row: Row) -> list[tuple[str, Row, Results]]:
        """Return what one change sends."""
        old = self._partitions[row[0]]
        if kind in ("+I", "+U"):
            at = sum(_sorted_by(each) <= _sorted_by(row) for each in old)
            new = [*old[:at], row, *old[at:]]
            before = [*self._results(old)[:at], None, *self._results(old)[at:]]
            after: list[Results | None] = [*self._results(new)]
            listed = new
        elif row in old:
            at = old.index(row)
            new, kind = [*old[:at], *old[at + 1 :]], "-D"
            before = [*self._results(old)]
            after = [*self._results(new)[:at], None, *self._results(new)[at:]]
            listed = old
        else:
            return []
        self._partitions[row[0]] = new
        sent = []
        for place, (each, was, now) in enumerate(zip(listed, before, after, strict=True)):
            if place == at:
                sent.append((kind, each, now or was))
            elif was != now:
                sent += [("-U", each, was), ("+U", each, now)]
        return [(name, each, found) for name, each, found in sent if found is not None]

    def _results(self, rows: list[Row]) -> list[Results]:
        found = [(count, sum(row[2] for row in rows[:count])) for count in range(1, len(rows) + 1)]
        if not self.rows:
            for at, (row, following) in reversed(list(enumerate(pairwise(rows)))):
                if row[1] == following[1]:
                    found[at] = found[at + 1]
        return found


def _sorted_by(row: Row) -> tuple[bool, int]:
    """NULL first."""
    return (row[1] is not None, row[1] or 0)
