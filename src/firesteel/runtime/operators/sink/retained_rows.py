"""The rows that a sink's materializer keeps of one primary key, as numbers."""

from __future__ import annotations

from collections import defaultdict, deque

from firesteel.changelog import RowKind

RETRACTIONS = (RowKind.UPDATE_BEFORE, RowKind.DELETE)

Sent = tuple[RowKind, int]
"""A change that goes out: its kind, and the number of the row with its content."""


class KeptRows:
    """Rows, oldest first, each under a number that says its place among them. Every step takes the same time,
    however many there are (Flink: the list in the state of SinkUpsertMaterializer).

    changed: whether it was written to, if only with what was there before.
    """

    def __init__(self) -> None:
        self.rows: dict[int, int] = {}
        """By number, which row it is; ascending."""
        self.changed = False
        self._equals: defaultdict[int, deque[int]] = defaultdict(deque)

    def keep(self, number: int, row: int, code: int) -> None:
        """A row that comes last. code: equal for rows that are the same to the operator (equal_rows.py)."""
        self.rows[number] = row
        self._equals[code].append(number)

    def add(self, row: int, code: int, by_key: bool) -> Sent:
        """by_key: whether it takes the place of an equal one."""
        self.changed = True
        kind = RowKind.UPDATE_AFTER if self.rows else RowKind.INSERT
        same = self._equals[code]
        if by_key and same:
            self.rows[same[0]] = row
        else:
            self.keep(next(reversed(self.rows), -1) + 1, row, code)
        return kind, row

    def retract(self, row: int, code: int) -> Sent | None:
        """Take away the first row that is equal to this one; None where the sink need not know."""
        same = self._equals[code]
        if not same:
            return None
        self.changed = True
        last = next(reversed(self.rows))
        number = same.popleft()
        del self.rows[number]
        if not self.rows:
            return RowKind.DELETE, row
        return (RowKind.UPDATE_AFTER, self.rows[next(reversed(self.rows))]) if number == last else None
