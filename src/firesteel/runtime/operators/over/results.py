"""Results of aggregate calls after each row of a stream of accumulations and retractions.

Unlike a GroupAggregate, this returns a result even if it equals the one before. If each call has a prefix
scan (a columnar form that yields the result after each row), rows are processed in columns. Otherwise, the
row handler processes them one by one. Both use the same accumulators.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from firesteel.changelog import KIND, field
from firesteel.runtime.aggregate.row_engine.accumulators import accumulators
from firesteel.runtime.aggregate.row_engine.handler import generate
from firesteel.runtime.aggregate.row_engine.map_state import Expiry
from firesteel.runtime.aggregate.row_engine.row_loop import RowByRow
from firesteel.runtime.aggregate.scan.plan import plan
from firesteel.runtime.columns.keys import find_keys
from firesteel.runtime.operators.over.rows import Index
from firesteel.runtime.spec.operators import GroupAggregateSpec
from firesteel.runtime.state.base import StateBackend
from firesteel.types.arrow import to_arrow


class Results:
    """Accumulators of aggregate calls by key, with the results of the calls.

    Args:
        spec: Keys and calls. `every_row` must be True: each row has a result.
        state: State of the operator. None keeps the accumulators in this process.
    """

    def __init__(self, spec: GroupAggregateSpec, state: StateBackend | None) -> None:
        self._spec = spec
        expiry = Expiry(0)
        handler = generate(spec)
        self._running = plan(spec)
        in_columns = self._running is not None
        self._state, self._accumulators = accumulators(spec, handler.slots, state, in_columns, expiry)
        self._by_row = RowByRow(spec, handler, self._accumulators, expiry)

    def after(self, columns: Sequence[pa.Array], kinds: Index, wanted: Index) -> list[pa.Array]:
        """Process rows and return the results after some of them, m values for each call.

        Args:
            columns: Fields of n rows.
            kinds: int64[n], row kinds.
            wanted: int64[m], rows after which results are needed.
        """
        names = [KIND, *map(field, range(len(columns)))]
        changes = pa.Table.from_arrays([pa.array(kinds.astype(np.int8)), *columns], names=names)
        if not len(kinds):
            return [pa.nulls(0, to_arrow(call.type)) for call in self._spec.calls]
        keys = find_keys([columns[i] for i in self._spec.keys], len(kinds))
        old = np.zeros(len(wanted), np.bool_)
        batch = None
        if self._running is not None and self._state is not None:
            batch = self._running.process(changes, keys, self._state, 0)
        if batch is None:
            return self._by_row.process(changes, keys).columns(wanted, old)
        found = batch.columns(wanted, old)
        if not len(batch.left):
            return found
        return self._with_left(changes, batch.left, wanted, found)

    def _with_left(
        self, changes: pa.Table, left: Index, wanted: Index, found: list[pa.Array]
    ) -> list[pa.Array]:
        """Process the rows at positions `left` with the row handler. Return `found` with their results."""
        rest = changes.take(pa.array(left))
        keys = find_keys([rest.column(field(i)) for i in self._spec.keys], len(left))
        theirs = np.flatnonzero(np.isin(wanted, left))
        asked = np.searchsorted(left, wanted[theirs])
        more = self._by_row.process(rest, keys).columns(asked, np.zeros(len(asked), np.bool_))
        at = np.arange(len(wanted))
        at[theirs] = len(wanted) + np.arange(len(theirs))
        index = pa.array(at)
        return [pa.concat_arrays([a, b]).take(index) for a, b in zip(found, more, strict=True)]

    def forget(self, keys: Sequence[pa.Array], count: int) -> None:
        """Delete the accumulators of `count` distinct keys."""
        self._accumulators.forget(find_keys(keys, count))
