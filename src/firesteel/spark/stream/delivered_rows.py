"""DeliveredRows, the record of the rows that a query's caller has got, which outlives restarts of the job."""

from __future__ import annotations

import pyarrow as pa


class DeliveredRows:
    """Number of rows of the last micro-batch that the caller has got.

    A restarted job repeats a micro-batch that was not committed, with the same rows in the same order. The
    caller then gets only the rows that it lacks.
    """

    def __init__(self) -> None:
        self._batch = -1
        self._rows = 0
        self._passed = 0

    @property
    def is_empty(self) -> bool:
        """Whether the caller has got no row yet."""
        return self._batch < 0

    def begin(self, batch: int) -> None:
        """Begin a micro-batch, or begin it again.

        Args:
            batch: Number of the micro-batch.
        """
        if batch != self._batch:
            self._rows = 0
        self._passed = 0

    def rest(self, changes: pa.Table) -> pa.Table:
        """Return the part of the next rows of the micro-batch that the caller has not got yet."""
        given = min(max(0, self._rows - self._passed), changes.num_rows)
        self._passed += changes.num_rows
        return changes.slice(given)

    def note(self, batch: int, rows: int) -> None:
        """Record that the caller has got `rows` more rows of a micro-batch."""
        self._batch = batch
        self._rows += rows
