"""DropUpdateBefore: remove -U rows (Flink: DropUpdateBeforeFunction)."""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa
import pyarrow.compute as pc

from firesteel.changelog import KIND, RowKind
from firesteel.runtime.dataflow.operator import Clock, RowOperator
from firesteel.runtime.spec.operators import DropUpdateBeforeSpec
from firesteel.runtime.state.base import StateBackend


class DropUpdateBefore(RowOperator):
    """Operator that sends all rows but -U. It has no state."""

    def process(self, changes: pa.Table) -> pa.Table:
        """Return the rows that are not -U."""
        return changes.filter(pc.not_equal(changes.column(KIND), int(RowKind.UPDATE_BEFORE)))


def build(spec: DropUpdateBeforeSpec, state: StateBackend | None, clock: Clock) -> DropUpdateBefore:
    return DropUpdateBefore()


def code(spec: DropUpdateBeforeSpec) -> Iterator[str]:
    yield "-- DropUpdateBefore"
