"""GroupAggregate, record by record. Flink: GroupAggFunction.

The first row of a key gives +I; a result that stays the same gives nothing (unless the state has a time
to live); any other change gives -U, where it is wanted, and +U; the last row that goes gives -D. A
retraction for a key without state is dropped. The output is the keys, then the results of the calls.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from firesteel.changelog import RowKind
from firesteel.runtime.accumulators import accumulators
from firesteel.runtime.handler import UPDATE, GeneratedHandler, generate
from firesteel.runtime.keys import find_keys
from firesteel.runtime.map_view import Expiry
from firesteel.runtime.row_by_row import RowBatch, RowByRow, sizes
from firesteel.runtime.running.plan import RunningBatch, plan
from firesteel.runtime.sorting import stable_order
from firesteel.runtime.spec import KIND, ORDER, GroupAggregateSpec, field
from firesteel.runtime.state.base import StateBackend
from firesteel.runtime.values import one_chunk
from firesteel.types.arrow import to_arrow

_KINDS = np.array([RowKind.INSERT, RowKind.INSERT, RowKind.UPDATE_AFTER, RowKind.DELETE], np.int8)
"""By outcome, the kind of the last row that goes out."""


class GroupAggregate:
    """One accumulator for each key, and each change of result sent on.

    A batch runs in columns where all calls have a running form and the keys' input is clean, else
    through the row handler; both give the same. state: None keeps the accumulators in this process, for
    as long as the operator lives. clock gives the processing time in milliseconds; it is read once for
    each batch. columnar: False sends everything through the row handler.
    """

    def __init__(
        self,
        spec: GroupAggregateSpec,
        state: StateBackend | None,
        clock: Callable[[], int],
        columnar: bool = True,
    ) -> None:
        self._spec = spec
        self._clock = clock
        self._expiry = Expiry(spec.ttl)
        self._handler = generate(spec)
        self._running = plan(spec) if columnar else None
        in_columns = self._running is not None
        self._state, rows = accumulators(spec, self._handler.slots, state, in_columns, self._expiry)
        self._by_row = RowByRow(spec, self._handler, rows, self._expiry)

    @property
    def handler(self) -> GeneratedHandler:
        """The row handler, for EXPLAIN."""
        return self._handler

    def process(self, changes: pa.Table) -> pa.Table:
        """The changes of result that these rows cause, in the order of the rows."""
        self._expiry.now = self._clock()
        keys = find_keys(self._key_columns(changes), changes.num_rows)
        batch = None
        if self._running is not None and self._state is not None:
            batch = self._running.process(changes, keys, self._state, self._expiry.now)
        if batch is None:
            return self._output(changes, self._by_row.process(changes, keys))[0]
        out, causes = self._output(changes, batch)
        if not len(batch.left):
            return out
        rest = changes.take(pa.array(batch.left))
        more, more_causes = self._output(
            rest, self._by_row.process(rest, find_keys(self._key_columns(rest), rest.num_rows))
        )
        order = stable_order(np.concatenate([causes, batch.left[more_causes]]))
        return pa.concat_tables([out, more]).take(pa.array(order))

    def finish(self) -> pa.Table | None:
        """Nothing is held back."""
        return None

    def _key_columns(self, changes: pa.Table) -> list[pa.ChunkedArray]:
        return [changes.column(field(i)) for i in self._spec.keys]

    def _output(
        self, changes: pa.Table, batch: RowBatch | RunningBatch
    ) -> tuple[pa.Table, NDArray[np.int64]]:
        """The rows that go out, and for each the number of the row that caused it."""
        kinds, causes = expand(batch.outcomes, self._spec.emit_update_before)
        old = (kinds == RowKind.UPDATE_BEFORE) | (kinds == RowKind.DELETE)
        at = pa.array(causes)
        columns = [pa.array(kinds), one_chunk(changes.column(ORDER)).take(at)]
        columns += [one_chunk(column).take(at) for column in self._key_columns(changes)]
        columns += batch.columns(causes, old)
        return pa.Table.from_arrays(columns, schema=self._schema()), causes

    def _schema(self) -> pa.Schema:
        kinds = [self._spec.input_types[i] for i in self._spec.keys] + [c.type for c in self._spec.calls]
        fields = [pa.field(KIND, pa.int8()), pa.field(ORDER, pa.int64())]
        return pa.schema(fields + [pa.field(field(i), to_arrow(kind)) for i, kind in enumerate(kinds)])


def expand(outcomes: NDArray[np.uint8], update_before: bool) -> tuple[NDArray[np.int8], NDArray[np.int64]]:
    """The kinds of the rows that go out, and the number of the row that caused each.

    outcomes: one for each input row.
    """
    causes = np.repeat(np.arange(len(outcomes)), sizes(update_before)[outcomes])
    of_causes = outcomes[causes]
    kinds = _KINDS[of_causes]
    if update_before:
        kinds[:-1][(causes[:-1] == causes[1:]) & (of_causes[:-1] == UPDATE)] = RowKind.UPDATE_BEFORE
    return kinds, causes
