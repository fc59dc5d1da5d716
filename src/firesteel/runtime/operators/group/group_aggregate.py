"""GroupAggregate, record by record (Flink: GroupAggFunction).

- The first row of a key sends +I.
- A result that stays the same sends nothing, unless the state has a time to live.
- Any other change sends +U, preceded by -U if required.
- The retraction of the last row sends -D.
- A retraction for a key without state is dropped.

The output columns are the keys, then the results of the calls.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from firesteel.changelog import RowKind, field
from firesteel.runtime.aggregate.row_engine.accumulators import accumulators
from firesteel.runtime.aggregate.row_engine.handler import generate
from firesteel.runtime.aggregate.row_engine.map_state import Expiry
from firesteel.runtime.aggregate.row_engine.row_loop import RowBatch, RowByRow, expand
from firesteel.runtime.aggregate.scan.plan import PrefixScanBatch, plan
from firesteel.runtime.columns.keys import Keys, find_keys
from firesteel.runtime.columns.sorting import stable_order
from firesteel.runtime.dataflow.operator import Clock, Message, Operator, RowOperator, WatermarkedBatch
from firesteel.runtime.dataflow.sequence import derived
from firesteel.runtime.spec.operators import GroupAggregateSpec
from firesteel.runtime.state.base import StateBackend
from firesteel.types.internal_values import one_chunk


class GroupAggregate(RowOperator):
    """Operator that keeps one accumulator for each key and sends each change of result.

    If all calls have a prefix scan, rows of clean keys are processed in columns. The row handler processes
    all other rows. Both give the same results.

    Args:
        spec: Settings.
        state: State of the operator. None keeps the accumulators in this process.
        clock: Processing time.
        columnar: False processes everything with the row handler.
    """

    def __init__(
        self,
        spec: GroupAggregateSpec,
        state: StateBackend | None,
        clock: Clock,
        columnar: bool = True,
    ) -> None:
        self._spec = spec
        self._clock = clock
        self._expiry = Expiry(spec.ttl)
        handler = generate(spec)
        self._running = plan(spec) if columnar else None
        in_columns = self._running is not None
        self._state, rows = accumulators(spec, handler.slots, state, in_columns, self._expiry)
        self._by_row = RowByRow(spec, handler, rows, self._expiry)

    def changes(self, table: pa.Table, port: int = 0) -> Iterator[Message]:
        for rows, keys in self._pieces(table):
            out = self._processed(rows, keys)
            if out.num_rows:
                yield out

    def watermarked(self, rows: WatermarkedBatch, port: int = 0) -> Iterator[Message]:
        start = 0
        for piece, keys in self._pieces(rows.table):
            stop = start + piece.num_rows
            yield rows.part(start, stop).with_rows(self._processed(piece, keys))
            start = stop

    def process(self, changes: pa.Table) -> pa.Table:
        """Return the result changes that some rows cause, in the order of the rows."""
        return pa.concat_tables([self._processed(rows, keys) for rows, keys in self._pieces(changes)])

    def _pieces(self, changes: pa.Table) -> Iterator[tuple[pa.Table, Keys]]:
        """Yield successive slices of a table, each with the keys of its rows.

        The table is cut so that the results of one slice do not take too much memory.
        """
        self._expiry.now = self._clock()
        keys = find_keys(self._key_columns(changes), changes.num_rows)
        for start, stop in self._by_row.pieces(changes, keys):
            if stop - start == changes.num_rows:
                yield changes, keys
                continue
            rows = changes.slice(start, stop - start)
            yield rows, find_keys(self._key_columns(rows), rows.num_rows)

    def _processed(self, changes: pa.Table, keys: Keys) -> pa.Table:
        batch = None
        if self._running is not None and self._state is not None:
            batch = self._running.process(changes, keys, self._state, self._expiry.now)
        if batch is None:
            return self._output(changes, self._by_row.process(changes, keys))[0]
        out, origins = self._output(changes, batch)
        if not len(batch.left):
            return out
        rest = changes.take(pa.array(batch.left))
        more, more_origins = self._output(
            rest, self._by_row.process(rest, find_keys(self._key_columns(rest), rest.num_rows))
        )
        order = stable_order(np.concatenate([origins, batch.left[more_origins]]))
        return pa.concat_tables([out, more]).take(pa.array(order))

    def _key_columns(self, changes: pa.Table) -> list[pa.ChunkedArray]:
        return [changes.column(field(i)) for i in self._spec.keys]

    def _output(
        self, changes: pa.Table, batch: RowBatch | PrefixScanBatch
    ) -> tuple[pa.Table, NDArray[np.int64]]:
        """Return the output rows, and for each the number of the row that caused it."""
        kinds, origins = expand(batch.outcomes, self._spec.emit_update_before)
        old = (kinds == RowKind.UPDATE_BEFORE) | (kinds == RowKind.DELETE)
        at = pa.array(origins)
        columns = [one_chunk(column).take(at) for column in self._key_columns(changes)]
        columns += batch.columns(origins, old)
        return derived(changes, origins, pa.array(kinds), columns), origins


def build(spec: GroupAggregateSpec, state: StateBackend | None, clock: Clock) -> Operator:
    if not spec.bundle:
        return GroupAggregate(spec, state, clock)
    from firesteel.runtime.operators.group.map_bundle import bundled
    from firesteel.runtime.operators.group.mini_batch_group_aggregate import MiniBatchGroupAggregate

    return bundled(MiniBatchGroupAggregate(spec, state, clock), spec, spec.keys)


def code(spec: GroupAggregateSpec) -> Iterator[str]:
    how = f"in bundles of {spec.bundle} rows" if spec.bundle else "row by row"
    yield f"-- GroupAggregate, {how}"
    yield generate(spec).source.rstrip()
