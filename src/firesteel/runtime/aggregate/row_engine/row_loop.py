"""Process a batch with the row handler, for calls or keys without a prefix scan."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from operator import length_hint
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from firesteel.changelog import KIND, RowKind, field
from firesteel.errors import JobError
from firesteel.kernels.prefix_scan import expand_outcomes
from firesteel.kernels.types import given
from firesteel.runtime.aggregate.row_engine.accumulators import Accumulators
from firesteel.runtime.aggregate.row_engine.handler import UPDATE, GeneratedHandler, Input
from firesteel.runtime.aggregate.row_engine.handler_calls import Slot
from firesteel.runtime.aggregate.row_engine.map_state import Expiry
from firesteel.runtime.aggregate.row_engine.result_sizes import GrowingResults
from firesteel.runtime.columns.keys import Keys
from firesteel.runtime.dataflow.failed_row import with_row
from firesteel.runtime.spec.operators import GroupAggregateSpec
from firesteel.types.internal_values import from_list, one_chunk, to_keys, to_list

_NONE = -1
_KINDS = {
    True: (
        np.array([_NONE, RowKind.INSERT, RowKind.UPDATE_BEFORE, RowKind.DELETE], np.int8),
        np.array([_NONE, _NONE, RowKind.UPDATE_AFTER, _NONE], np.int8),
    ),
    False: (
        np.array([_NONE, RowKind.INSERT, RowKind.UPDATE_AFTER, RowKind.DELETE], np.int8),
        np.full(4, _NONE, np.int8),
    ),
}
"""Row kinds of output rows, by whether -U is sent. An input row causes at most two output rows. The first
array is for the first output row, the second array for the second one. The index into an array is the outcome
(NOTHING, INSERT, UPDATE, DELETE). The item is the row kind, or _NONE if there is no such output row."""


@dataclass(frozen=True)
class RowBatch:
    """Results of a batch of n rows.

    `outcomes` is uint8[n], the handler's outcome of each row in input order.
    """

    outcomes: NDArray[np.uint8]
    _spec: GroupAggregateSpec
    _starts: NDArray[np.int64]
    _values: list[Any]

    def columns(self, origins: NDArray[np.int64], old: NDArray[np.bool_]) -> list[pa.Array]:
        """Return the results for m output rows: one column for each call, with m rows.

        `origins` has the index of the input row that caused each output row. `old` is True for output rows
        that show the result before their input row (-U and -D).
        """
        second = (self.outcomes[origins] == UPDATE) & ~old & self._spec.emit_update_before
        at = pa.array(self._starts[origins] + second)
        width = len(self._spec.calls)
        calls = enumerate(self._spec.calls)
        return [from_list(self._values[i::width], call.type).take(at) for i, call in calls]


class RowByRow:
    """Generated row handler that processes batches, with accumulators that stay between batches."""

    def __init__(
        self,
        spec: GroupAggregateSpec,
        generated: GeneratedHandler,
        accumulators: Accumulators,
        expiry: Expiry,
    ) -> None:
        self._spec = spec
        self._inputs = generated.inputs
        self._handler = generated.create(expiry)
        self._accumulators = accumulators
        self._growing = GrowingResults(spec) if spec.growing_calls else None
        self._parts = [i for i, slot in enumerate(generated.slots) if slot.call in spec.growing_calls]

    def pieces(self, changes: pa.Table, keys: Keys) -> Iterator[tuple[int, int]]:
        """Return the ranges [start, stop) of rows to process one after another.

        The results of a range have a bounded number of bytes (result_sizes.py).
        """
        if self._growing is None or not changes.num_rows:
            return iter(((0, changes.num_rows),))
        return self._growing.pieces(changes, keys, self._accumulators.sizes(keys, self._parts))

    def process(self, changes: pa.Table, keys: Keys) -> RowBatch:
        """Return the outcomes and results of the rows of `changes`, and store the accumulators of `keys`."""
        order = pa.array(keys.order)

        def column(position: int) -> pa.Array:
            return one_chunk(changes.column(field(position))).take(order)

        columns = [self._values(column(each.position), each) for each in self._inputs]
        kinds = one_chunk(changes.column(KIND)).take(order).to_numpy().tolist()

        def named(slot: Slot) -> tuple[NDArray[np.int64], pa.Array] | None:
            return None if slot.argument is None else (keys.sorted_codes, column(slot.argument))

        with no_collections():
            accs = self._accumulators.load(keys, named)
            given, values = self._run(changes, keys, accs, kinds, columns)
            self._accumulators.store(keys, accs)
            del accs
        by_key = np.frombuffer(given, np.uint8)
        counts = sizes(self._spec.emit_update_before)[by_key]
        outcomes, starts = np.empty_like(by_key), np.empty(len(by_key), np.int64)
        outcomes[keys.order], starts[keys.order] = by_key, np.cumsum(counts) - counts
        return RowBatch(outcomes, self._spec, starts, values)

    def _run(
        self, changes: pa.Table, keys: Keys, accs: list[Any], kinds: list[int], columns: list[list[Any]]
    ) -> tuple[bytearray, list[Any]]:
        """Run the handler over all rows and return its outcomes and values.

        `kinds` and `columns` are sorted by key. An error message shows the row that caused the error.
        """
        rows = iter(kinds)
        try:
            done: tuple[bytearray, list[Any]] = self._handler.process(
                keys.counts.tolist(), accs, rows, *columns
            )
        except JobError as error:
            at = len(kinds) - length_hint(rows) - 1
            raise with_row(error, changes, int(keys.order[at])) from error
        return done

    def _values(self, column: pa.Array, each: Input) -> list[Any]:
        kind = self._spec.input_types[each.position]
        return to_keys(column, kind) if each.key else to_list(column, kind)


def sizes(update_before: bool) -> NDArray[np.int64]:
    """Return the number of output rows for NOTHING, INSERT, UPDATE and DELETE, int64[4].

    `update_before` tells whether an UPDATE sends -U.
    """
    return np.array([0, 1, 2 if update_before else 1, 1])


def expand(outcomes: NDArray[np.uint8], update_before: bool) -> tuple[NDArray[np.int8], NDArray[np.int64]]:
    """Return the row kind of each output row, and the index of the input row that caused it.

    Args:
        outcomes: Outcome of each input row.
        update_before: Whether -U is sent.
    """
    kinds, origins = np.empty(2 * len(outcomes), np.int8), np.empty(2 * len(outcomes), np.int64)
    count = expand_outcomes(kinds, origins, *given(outcomes, *_KINDS[update_before]))
    return kinds[:count], origins[:count]


@contextmanager
def no_collections() -> Iterator[None]:
    """Turn off Python's cycle collector within a block.

    The collector would take half of the time: a batch creates millions of objects, none part of a cycle.
    """
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()
