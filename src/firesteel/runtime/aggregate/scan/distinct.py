"""Find the rows that change the DISTINCT calls over one argument, and update the map of values seen.

Over insert-only input, an entry has one bit for each call that has seen the value. If the input retracts, it
has the number of rows for each call (handler_distinct.py).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from firesteel.kernels.column_hashes import null_mask
from firesteel.runtime.aggregate.scan.column import Mask, both
from firesteel.runtime.aggregate.scan.pairs import Counts, Pairs
from firesteel.runtime.aggregate.scan.rows import Rows
from firesteel.runtime.aggregate.scan.segments import Index
from firesteel.runtime.spec.operators import AggregateSpec
from firesteel.runtime.state.base import MapState


@dataclass
class DistinctBatch:
    """Effect of one batch on the DISTINCT calls over one argument.

    Attributes:
        pairs: The (key, value) pairs of the batch.
        reach: For each call, bool[n]: True for a row whose value is not NULL, and is the first or the last of
            its key for this call. With this row, the value appears or disappears.
        final: Map entry of each of p pairs after the batch. If the input retracts, int64[p, c]: the number of
            rows for each of c calls. Over insert-only input, int64[p, 1]: bit i is 1 if call i has seen the
            value.
        changed: bool[p], which pairs the batch has changed.
    """

    pairs: Pairs
    reach: list[Mask]
    final: Index
    changed: Mask

    def save(self, rows: Rows, state: MapState, now: int) -> None:
        """Write the map entries of the (key, value) pairs that the batch has changed to the state.

        Keys that are left to the row handler are skipped.
        """
        write = np.flatnonzero(self.changed & rows.clean[self.pairs.owners])
        if len(write):
            final = self.final[write]
            values = self.pairs.values.take(pa.array(write))
            column = pa.array(final[:, 0]) if final.shape[1] == 1 else lists_of(final)
            live: Mask = np.any(final, axis=1)
            state.put(rows.keys, self.pairs.owners[write], values, [column], now, live)


def distinct_batch(
    rows: Rows, pairs: Pairs, calls: Sequence[AggregateSpec], state: MapState, now: int
) -> DistinctBatch:
    """Return the effect of a batch on the DISTINCT calls over one argument.

    The occurrences of each (key, value) pair are counted from row to row. So it is known with which row a
    value appears or disappears.
    """
    position = calls[0].args[0]
    null = rows.null(position)
    not_null = None if null is None else ~null
    masks = [rows.passes(call.filter) for call in calls]
    found = state.get(rows.keys, pairs.owners, pairs.values, now)
    if rows.sign is None:
        return _seen(rows, pairs, masks, not_null, found.columns[0])
    before = counts_of(found.columns[0], len(calls))
    counts = [Counts(rows, pairs, mask, before[:, i]) for i, mask in enumerate(masks)]
    reach = [each.appears | each.disappears for each in counts]
    final = np.stack([each.last for each in counts], axis=1)
    if len(rows.ended):
        _reject_left_over(rows, counts, state, now)
    return DistinctBatch(pairs, [_and(r, not_null) for r in reach], final, (final != before).any(axis=1))


def _and(mask: Mask, other: Mask | None) -> Mask:
    result = both(mask, other)
    assert result is not None
    return result


def _seen(
    rows: Rows, pairs: Pairs, masks: Sequence[Mask | None], not_null: Mask | None, stored: pa.Array
) -> DistinctBatch:
    before = stored.fill_null(0).to_numpy(zero_copy_only=False)
    bits, reach = before.copy(), []
    for place, mask in enumerate(masks):
        counts = Counts(rows, pairs, mask, np.zeros(len(pairs), np.int64))
        known = (before >> place) & 1 == 1
        reach.append(_and(counts.appears & ~known[pairs.of_rows], not_null))
        bits |= (counts.last > 0).astype(np.int64) << place
    return DistinctBatch(pairs, reach, bits[:, None], bits != before)


def _reject_left_over(rows: Rows, counts: Sequence[Counts], state: MapState, now: int) -> None:
    """Leave a key to the row handler if its map of values still has entries when the key has no records.

    The records of a key are its added rows that are not retracted. After a row that leaves a key without
    records, Flink clears the map. Entries can be left then only after a retraction without a matching row.
    """
    weight = np.zeros(len(rows), np.int64)
    for each in counts:
        weight += np.abs(each.after) - np.abs(each.after - each.moves)
    entries = state.entries(rows.keys, rows.ended_keys, now)
    stored = np.zeros(len(rows.keys), np.int64)
    np.add.at(stored, entries.owners, np.abs(counts_of(entries.columns[0], len(counts))).sum(axis=1))
    total = np.cumsum(weight)
    base = np.zeros(len(rows.keys), np.int64)
    base[1:] = total[rows.keys.starts[1:] - 1]
    owner = rows.keys.sorted_codes[rows.ended]
    rows.reject_rows(rows.ended[total[rows.ended] - base[owner] + stored[owner] != 0])


def counts_of(column: pa.Array, calls: int) -> Index:
    """Return the counts of m map entries for each of `calls` calls, int64[m, calls].

    An item of `column` is the number of a single call, or the list of the numbers of all calls. NULL gives 0.
    """
    if calls == 1:
        single: Index = column.fill_null(0).to_numpy(zero_copy_only=False).reshape(-1, 1)
        return single
    counts = np.zeros((len(column), calls), np.int64)
    there = ~null_mask(column) if pa.types.is_list(column.type) else np.zeros(len(column), np.bool_)
    if there.any():
        counts[there] = column.flatten().to_numpy(zero_copy_only=False).reshape(-1, calls)
    return counts


def lists_of(counts: Index) -> pa.Array:
    rows, calls = counts.shape
    offsets = pa.array(np.arange(rows + 1, dtype=np.int32) * calls)
    return pa.ListArray.from_arrays(offsets, pa.array(np.ascontiguousarray(counts).reshape(-1)))
