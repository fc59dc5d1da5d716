"""DeliveredRows, the record of the rows that a query's caller has got, which outlives restarts of the job."""

from __future__ import annotations

import pyarrow as pa


class DeliveredRows:
    """The last micro-batch of which the caller has got rows, and the number of these rows.

    A restarted job repeats a micro-batch that was not committed, with the same rows in the same order. `rest`
    then skips the rows that the caller already has.
    """

    def __init__(self) -> None:
        self._batch = -1
        self._rows = 0
        self._passed = 0

    @property
    def is_empty(self) -> bool:
        """Whether the caller has got no rows of any micro-batch yet."""
        return self._batch < 0

    def begin(self, batch: int) -> None:
        """Begin a micro-batch. If it repeats the last one, the rows that the caller has of it still count.

        Args:
            batch: Number of the micro-batch.
        """
        if batch != self._batch:
            self._rows = 0
        self._passed = 0

    def rest(self, changes: pa.Table) -> pa.Table:
        """Return `changes` without the rows that the caller already has.

        Args:
            changes: The next rows of the micro-batch. Pass all of its rows in order, in one or more calls.
        """
        given = min(max(0, self._rows - self._passed), changes.num_rows)
        self._passed += changes.num_rows
        return changes.slice(given)

    def note(self, batch: int, rows: int) -> None:
        """Record that the caller has got `rows` more rows of a micro-batch."""
        self._batch = batch
        self._rows += rows
