"""KeptResult, the changes of a query that runs in the background, for SHOW RESULT."""

from __future__ import annotations

import threading
from collections import deque
from typing import TYPE_CHECKING

from firesteel.session.rows_left import RowsLeft

if TYPE_CHECKING:
    import pyarrow as pa

    from firesteel.session.result import ChangesResult

MOST_CHANGES = 100_000
"""Number of changes to keep. Older changes are dropped. The current rows of the result are all kept."""


class KeptResult:
    """The last changes of a query, and the current rows of its result.

    Args:
        result: Result of the query. No other reader may read it.
        most: Number of changes to keep.
    """

    def __init__(self, result: ChangesResult, most: int = MOST_CHANGES) -> None:
        self.result = result
        self._most = most
        self._tables: deque[pa.Table] = deque()
        self._rows = 0
        self._left = RowsLeft([column.type for column in result.schema])
        self._lock = threading.Lock()
        self.dropped = 0
        """Number of changes that were dropped."""
        self.version = 0
        """Number of calls of `add` so far. By it, a reader sees whether there are new changes."""

    def read(self) -> None:
        """Read the result to its end. Raises the job's error."""
        for table in self.result.changes:
            self.add(table)

    def add(self, table: pa.Table) -> None:
        """Add the next changes."""
        with self._lock:
            self._left.apply(table)
            self._tables.append(table)
            self._rows += table.num_rows
            self.version += 1
            while self._rows > self._most:
                over = self._rows - self._most
                first = self._tables.popleft()
                if first.num_rows > over:
                    self._tables.appendleft(first.slice(over))
                gone = min(over, first.num_rows)
                self._rows -= gone
                self.dropped += gone

    def changes(self) -> ChangesResult:
        """Return the kept changes as a printable result."""
        with self._lock:
            return self.result.over(iter(list(self._tables)))

    def rows(self) -> pa.Table:
        """Return the current rows of the result."""
        with self._lock:
            return self._left.by_row()
