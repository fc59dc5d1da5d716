"""Rows that a sink's materializer retains for one primary key, as numbers."""

from __future__ import annotations

from collections import defaultdict, deque

from firesteel.changelog import RowKind

RETRACTIONS = (RowKind.UPDATE_BEFORE, RowKind.DELETE)

Sent = tuple[RowKind, int]
"""A change to send: its kind, and the number of the row that has its content."""


class RetainedRows:
    """Rows of one key, oldest first. Each row has a number, which ascends by arrival.

    In place of a row, the class holds an int: the index of the row in the caller's columns. The counterpart
    in Flink is the list of rows in the state of SinkUpsertMaterializer. Here, every operation takes constant
    time, however many rows there are.

    Attributes:
        rows: Index of each row in the caller's columns, by the row's number, ascending.
        changed: Whether anything was written, even if the content stayed the same.
    """

    def __init__(self) -> None:
        self.rows: dict[int, int] = {}
        """Index of each row in the caller's columns, by the row's number, ascending."""
        self.changed = False
        self._equals: defaultdict[int, deque[int]] = defaultdict(deque)

    def keep(self, number: int, row: int, code: int) -> None:
        """Append a row with a number above all others. Equal rows have equal codes (equal_rows.py)."""
        self.rows[number] = row
        self._equals[code].append(number)

    def add(self, row: int, code: int, by_key: bool) -> Sent:
        """Add a row and return the change to send. With `by_key`, the row replaces an equal one."""
        self.changed = True
        kind = RowKind.UPDATE_AFTER if self.rows else RowKind.INSERT
        same = self._equals[code]
        if by_key and same:
            self.rows[same[0]] = row
        else:
            self.keep(next(reversed(self.rows), -1) + 1, row, code)
        return kind, row

    def retract(self, row: int, code: int) -> Sent | None:
        """Remove the oldest row that is equal to the given row.

        Returns:
            The change to send, None if the sink does not change.
        """
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
