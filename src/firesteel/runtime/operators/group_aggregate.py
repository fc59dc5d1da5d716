"""GroupAggregate, record by record. Flink: GroupAggFunction.

The first row of a key gives +I; a result that stays the same gives nothing (unless the state has a time
to live); any other change gives -U, where it is wanted, and +U; the last row that goes gives -D. A
retraction for a key without state is dropped. The output is the keys, then the results of the calls.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from firesteel.changelog import RowKind
from firesteel.runtime.accumulator_state import AccumulatorState
from firesteel.runtime.accumulators import Accumulators, HeapAccumulators, StoredAccumulators
from firesteel.runtime.handler import GeneratedHandler, Input, generate
from firesteel.runtime.keys import find_keys
from firesteel.runtime.map_view import Expiry
from firesteel.runtime.spec import KIND, ORDER, GroupAggregateSpec, field
from firesteel.runtime.state.base import StateBackend
from firesteel.runtime.values import from_list, one_chunk, to_keys, to_list
from firesteel.types.arrow import to_arrow
from firesteel.types.sql import SqlType

_KINDS = np.array([RowKind.INSERT, RowKind.INSERT, RowKind.UPDATE_AFTER, RowKind.DELETE], np.int8)
"""By outcome, the kind of the last row that goes out."""


class GroupAggregate:
    """One accumulator for each key, and each change of result sent on.

    state: None keeps the accumulators in this process, for as long as the operator lives. clock gives
    the processing time in milliseconds; it is read once for each batch.
    """

    def __init__(
        self, spec: GroupAggregateSpec, state: StateBackend | None, clock: Callable[[], int]
    ) -> None:
        self._spec = spec
        self._clock = clock
        self._expiry = Expiry(spec.ttl)
        self._generated = generate(spec)
        self._handler = self._generated.create(self._expiry)
        self._accumulators = self._open(state)

    @property
    def handler(self) -> GeneratedHandler:
        """The row handler, for EXPLAIN."""
        return self._generated

    def process(self, changes: pa.Table) -> pa.Table:
        """The changes of result that these rows cause, in the order of the rows."""
        self._expiry.now = self._clock()
        keys = find_keys([changes.column(field(i)) for i in self._spec.keys], changes.num_rows)
        order = pa.array(keys.order)

        def column(position: int) -> pa.Array:
            return one_chunk(changes.column(field(position))).take(order)

        columns = [self._column(column(each.position), each) for each in self._generated.inputs]
        kinds = one_chunk(changes.column(KIND)).take(order).to_numpy().tolist()
        with no_collections():
            accs = self._accumulators.load(keys, column)
            outcomes, values = self._handler.process(keys.counts.tolist(), accs, kinds, *columns)
            self._accumulators.store(keys, accs)
            return self._output(changes, keys.order, np.frombuffer(outcomes, np.uint8), values)

    def finish(self) -> pa.Table | None:
        """Nothing is held back."""
        return None

    def _open(self, backend: StateBackend | None) -> Accumulators:
        if backend is None:
            return HeapAccumulators(self._expiry)
        slots = self._generated.slots
        return StoredAccumulators(AccumulatorState(self._spec, slots, backend), slots, self._expiry)

    def _column(self, column: pa.Array, each: Input) -> list[Any]:
        kind = self._spec.input_types[each.position]
        return to_keys(column, kind) if each.key else to_list(column, kind)

    def _output(
        self, changes: pa.Table, order: NDArray[np.int64], outcomes: NDArray[np.uint8], values: list[Any]
    ) -> pa.Table:
        kinds, rows, sources = expand(outcomes, order, self._spec.emit_update_before)
        take, results = pa.array(rows), pa.array(sources)
        columns = [pa.array(kinds), one_chunk(changes.column(ORDER)).take(take)]
        columns += [one_chunk(changes.column(field(i))).take(take) for i in self._spec.keys]
        width = len(self._spec.calls)
        for i, call in enumerate(self._spec.calls):
            columns.append(from_list(values[i::width], call.type).take(results))
        return pa.Table.from_arrays(columns, schema=self._schema())

    def _schema(self) -> pa.Schema:
        kinds: list[SqlType] = [self._spec.input_types[i] for i in self._spec.keys]
        kinds += [call.type for call in self._spec.calls]
        fields = [pa.field(KIND, pa.int8()), pa.field(ORDER, pa.int64())]
        return pa.schema(fields + [pa.field(field(i), to_arrow(kind)) for i, kind in enumerate(kinds)])


@contextmanager
def no_collections() -> Iterator[None]:
    """Without Python's cycle collector, which otherwise takes half of the time: a batch makes millions of
    tuples, and none of them is ever part of a cycle."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def expand(
    outcomes: NDArray[np.uint8], order: NDArray[np.int64], update_before: bool
) -> tuple[NDArray[np.int8], NDArray[np.int64], NDArray[np.int64]]:
    """What goes out, in the order of the input: the row kinds, the number of the input row that caused
    each, and the place of its result among those that the handler gave.

    outcomes: one for each row of `order`, the input's row numbers in the order in which the handler had
    them.
    """
    sizes = np.array([0, 1, 2 if update_before else 1, 1])
    counts = sizes[outcomes]
    starts = np.cumsum(counts) - counts
    in_order = np.empty_like(outcomes)
    in_order[order] = outcomes
    starts_in_order = np.empty_like(starts)
    starts_in_order[order] = starts
    rows = np.repeat(np.arange(len(outcomes)), sizes[in_order])
    kinds = _KINDS[in_order[rows]]
    sources = starts_in_order[rows]
    if update_before:
        first = rows[:-1] == rows[1:]
        kinds[:-1][first] = RowKind.UPDATE_BEFORE
        sources[1:][first] += 1
    return kinds, rows, sources
