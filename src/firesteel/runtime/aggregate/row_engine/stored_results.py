"""The results of a GroupAggregate, computed from its stored accumulators alone."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pyarrow as pa

from firesteel.changelog import KIND, SEQUENCE, RowKind, field
from firesteel.runtime.aggregate.functions.declaration import MapView
from firesteel.runtime.aggregate.row_engine.accumulator_state import AccumulatorState, map_name
from firesteel.runtime.aggregate.row_engine.accumulators import StoredAccumulators
from firesteel.runtime.aggregate.row_engine.handler import generate
from firesteel.runtime.aggregate.row_engine.map_state import Expiry
from firesteel.runtime.columns.keys import find_keys
from firesteel.runtime.spec.operators import GroupAggregateSpec
from firesteel.runtime.state.base import StateBackend
from firesteel.types.internal_values import from_list

_KEYS = 100_000
"""Maximum number of keys whose results are computed at once."""


def stored_states(spec: GroupAggregateSpec) -> list[str]:
    """Return the names of the states that hold the accumulators of a GroupAggregate."""
    views = (slot for slot in generate(spec).slots if isinstance(slot.kind, MapView))
    return [spec.state_id, *(map_name(spec, slot) for slot in views)]


def stored_results(spec: GroupAggregateSpec, backend: StateBackend, keys: pa.Table) -> Iterator[pa.Table]:
    """Yield the current result row of each key of a GroupAggregate without time to live, as an insert.

    Args:
        spec: Settings of the operator, which has keys.
        backend: State of the operator in one key group.
        keys: Key columns, with one row for each accumulator in this state.
    """
    handler = generate(spec)
    values, expiry = handler.create(), Expiry(0)
    accumulators = StoredAccumulators(AccumulatorState(spec, handler.slots, backend), handler.slots, expiry)
    for start in range(0, keys.num_rows, _KEYS):
        piece = keys.slice(start, _KEYS)
        found = find_keys(piece.columns, piece.num_rows)
        results = []
        for accumulator in accumulators.load(found, lambda slot: None):
            values.set_accumulators(accumulator)
            results.append(values.get_value())
        own = piece.take(pa.array(found.order[found.starts]))
        calls = [from_list([row[i] for row in results], call.type) for i, call in enumerate(spec.calls)]
        yield _inserts([*own.columns, *calls])


def _inserts(columns: list[pa.ChunkedArray | pa.Array]) -> pa.Table:
    rows = len(columns[0])
    kinds = pa.array(np.full(rows, RowKind.INSERT, np.int8))
    names = [KIND, SEQUENCE, *map(field, range(len(columns)))]
    return pa.Table.from_arrays([kinds, pa.array(np.arange(rows, dtype=np.int64)), *columns], names=names)
