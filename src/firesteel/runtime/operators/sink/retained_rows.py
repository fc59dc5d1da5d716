"""RetainedRows, the rows of one primary key in a sink's materializer, each represented by an index."""

from __future__ import annotations

from collections import defaultdict, deque

from firesteel.changelog import RowKind

RETRACTIONS = (RowKind.UPDATE_BEFORE, RowKind.DELETE)

Sent = tuple[RowKind, int]
"""A change to send: its kind, and the index of its content in the caller's columns."""


class RetainedRows:
    """Rows of one key, oldest first.

    Each row has two ints: a number, which ascends by arrival, and the index of its content in the caller's
    columns. The counterpart in Flink is the list of rows in the state of SinkUpsertMaterializer. Here, every
    operation takes constant time, however many rows there are.

    Attributes:
        rows: Index of each row in the caller's columns, by the row's number, ascending.
        changed: Whether a row was added, replaced or removed, even if the new content equals the old one.
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
        """Add a row and return the change to send.

        `row` is the index of the row in the caller's columns. Equal rows have equal codes. With `by_key`,
        rows with equal upsert keys have equal codes, and the new row replaces the oldest one with its code.
        """
        self.changed = True
        kind = RowKind.UPDATE_AFTER if self.rows else RowKind.INSERT
        same = self._equals[code]
        if by_key and same:
            self.rows[same[0]] = row
        else:
            self.keep(next(reversed(self.rows), -1) + 1, row, code)
        return kind, row

    def retract(self, row: int, code: int) -> Sent | None:
        """Remove the oldest row with the same code as the given row. Without such a row, do nothing.

        Returns:
            The change to send, None if the sink keeps its row.
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
