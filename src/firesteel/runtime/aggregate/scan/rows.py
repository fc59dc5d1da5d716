"""Rows of a batch, divided into segments.

A segment is a range of rows of one key. After a row that leaves the key without records, a new segment
begins. The records of a key are its added rows that are not retracted.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np
import pyarrow as pa

from firesteel.runtime.aggregate.row_engine.accumulator_state import Stored
from firesteel.runtime.aggregate.scan.column import Column, Mask
from firesteel.runtime.aggregate.scan.segments import Index, running_sum
from firesteel.runtime.aggregate.scan.sorted_rows import SortedRows
from firesteel.runtime.columns.keys import Keys
from firesteel.runtime.spec.operators import GroupAggregateSpec


class Rows(SortedRows):
    """Rows of a batch, divided into segments of their keys.

    The records of a key are its added rows that are not retracted. A segment of a key is the range of rows
    between two moments at which the key has no records. Accumulators start from their initial values in each
    segment. Only the first segment of a key continues from its stored accumulators.

    Attributes:
        sign: int64[n], -1 for a retraction, else 1. None for insert-only input.
        count: int64[n], records of the key after each row. None if they are not counted.
        clean: bool[g], keys that prefix scans can process. The others need the row handler.
        ended: Positions of rows after which their key has no records; in a bundle, last rows of keys only.
    """

    def __init__(self, spec: GroupAggregateSpec, changes: pa.Table, keys: Keys, stored: Stored) -> None:
        super().__init__(spec, changes, keys)
        self.stored = stored
        self.clean = np.ones(len(keys), np.bool_)
        self.sign: Index | None = None
        self.count: Index | None = None
        self._starts, self._segment_keys = keys.starts, np.arange(len(keys))
        self.ended: Index = np.zeros(0, np.int64)

    def count_records(self, records: pa.Array) -> None:
        """Count the records of the keys after each row, and divide the rows into segments.

        The records of a key are its added rows that are not retracted. After a row that leaves a key without
        records, a new segment of the key begins.

        Args:
            records: Stored number of records of each key, NULL for a key without state.
        """
        self._count(records)
        assert self.count is not None
        if self.count.min() < 0:
            self.reject_rows(np.flatnonzero(self.count < 0))
        self.ended = np.flatnonzero(self.count == 0)
        if len(self.ended):
            begins = np.zeros(len(self) + 1, np.bool_)
            begins[self.ended + 1] = True
            begins[self.keys.starts] = True
            self._starts = np.flatnonzero(begins[:-1])
            self._segment_keys = self.keys.sorted_codes[self._starts]

    def count_bundle(self, records: pa.Array) -> None:
        """Count the records of the keys after each row of a bundle.

        The records of a key are its added rows that are not retracted. Accumulators do not start anew after a
        row that leaves the key without records: all its rows in the bundle are one segment (see `Rows`).

        A key without state whose first row is a retraction is left to the row handler, which drops
        retractions before the first added row.

        Args:
            records: Stored number of records of each key, NULL for a key without state.
        """
        self._count(records)
        assert self.count is not None
        assert self.sign is not None
        starts = self.keys.starts
        self.reject_rows(starts[~self.stored.found & (self.sign[starts] < 0)])
        last = self.ends - 1
        self.ended = last[self.count[last] == 0]

    def _count(self, records: pa.Array) -> None:
        self.sign = self.signs()
        before = records.fill_null(0).to_numpy(zero_copy_only=False)
        self.count = running_sum(self.sign, self.keys.starts, before)

    @property
    def segment_starts(self) -> Index:
        """Return the position of the first row of each segment (see `Rows`), int64[s], ascending."""
        return self._starts

    @property
    def segment_keys(self) -> Index:
        """Return the index of the key of each segment (see `Rows`), int64[s]."""
        return self._segment_keys

    @cached_property
    def goes_on(self) -> Mask:
        """Return whether each of s segments continues from the stored accumulators of its key, bool[s].

        A segment is a range of rows of one key. After a row that leaves the key without records (all its
        added rows are retracted), Flink drops the key's accumulators. The next row of the key begins a new
        segment, with new accumulators. So only the first segment of a key can continue from stored ones, and
        only if the key has state. All other segments start from the initial values.
        """
        first = self._starts == self.keys.starts[self._segment_keys]
        on: Mask = first & self.stored.found[self._segment_keys]
        return on

    @cached_property
    def before(self) -> Index:
        """Return for each row where `Result.line` (emit.py) has the result before this row, int64[n].

        `Result.line` has the results after each of n rows, and then the stored results for each of s
        segments. So the position is i - 1 for row i, and n + j for the first row of segment j.
        """
        rows = len(self)
        before = np.arange(-1, rows - 1)
        before[self._starts] = np.arange(rows, rows + len(self._starts))
        return before

    @cached_property
    def ends(self) -> Index:
        """Return the position after the last row of each key."""
        return self.keys.starts + self.keys.counts

    @cached_property
    def ended_keys(self) -> Index:
        """Return the keys that a row in `ended` leaves without records, ascending and distinct.

        The records of a key are its added rows that are not retracted.
        """
        return np.unique(self.keys.sorted_codes[self.ended])

    def reject_rows(self, rows: Index) -> None:
        """Leave the keys of the rows at the positions `rows` to the row handler."""
        self.clean[self.keys.sorted_codes[rows]] = False

    def segment_initial(self, stored: Column, initial: int | float | None) -> Column:
        """Return the value of an accumulator field before the first row of each segment, s rows.

        Args:
            stored: Stored value of each key, for a segment that continues from stored accumulators.
            initial: Value for all other segments. None for NULL.
        """
        values, null = stored.values[self.segment_keys], stored.is_null[self.segment_keys]
        fresh = ~self.goes_on
        values[fresh] = 0 if initial is None else initial
        null = np.where(fresh, initial is None, null)
        return Column(values, null if null.any() else None)
