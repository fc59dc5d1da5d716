"""Expand: send several copies of each row, with NULL in different columns (Flink: StreamExecExpand)."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pyarrow as pa

from firesteel.changelog import KIND, field
from firesteel.runtime.dataflow.operator import Clock, RowOperator
from firesteel.runtime.dataflow.sequence import derived
from firesteel.runtime.spec.operators import ExpandSpec
from firesteel.runtime.state.base import StateBackend
from firesteel.types.arrow import to_arrow
from firesteel.types.internal_values import one_chunk


class Expand(RowOperator):
    """Operator that copies rows.

    The copies of a row are adjacent, in the order of the spec. They have the kind and the sequence of the
    row.
    """

    def __init__(self, spec: ExpandSpec) -> None:
        self._spec = spec
        self._types = [to_arrow(kind) for kind in spec.types]

    def process(self, changes: pa.Table) -> pa.Table:
        """Return all copies of n rows, n * k rows for k copies."""
        copies = len(self._spec.numbers)
        rows = np.repeat(np.arange(changes.num_rows, dtype=np.int64), copies)
        every = pa.array(rows)
        kinds, columns = one_chunk(changes.column(KIND)).take(every), []
        for place, (source, kind) in enumerate(zip(self._spec.columns, self._types, strict=True)):
            if place == self._spec.number_at:
                numbers = pa.array(np.tile(np.array(self._spec.numbers, np.int64), changes.num_rows))
                columns.append(numbers.cast(kind))
                continue
            if source is None:
                columns.append(pa.nulls(len(rows), kind))
                continue
            hidden = np.array([place not in shown for shown in self._spec.shown])
            at = pa.array(rows, mask=np.tile(hidden, changes.num_rows)) if hidden.any() else every
            columns.append(one_chunk(changes.column(field(source))).take(at))
        return derived(changes, rows, kinds, columns)


def build(spec: ExpandSpec, state: StateBackend | None, clock: Clock) -> Expand:
    return Expand(spec)


def code(spec: ExpandSpec) -> Iterator[str]:
    yield f"-- Expand, {len(spec.numbers)} copies of each row"
