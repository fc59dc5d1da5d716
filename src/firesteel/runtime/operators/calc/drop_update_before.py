"""DropUpdateBefore. Flink: DropUpdateBeforeFunction."""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa
import pyarrow.compute as pc

from firesteel.changelog import KIND, RowKind
from firesteel.runtime.dataflow.operator import Clock, RowOperator
from firesteel.runtime.spec.operators import DropUpdateBeforeSpec
from firesteel.runtime.state.base import StateBackend


class DropUpdateBefore(RowOperator):
    """Lets everything through but -U. It keeps no state and changes no kind."""

    def process(self, changes: pa.Table) -> pa.Table:
        """The rows that are not -U."""
        return changes.filter(pc.not_equal(changes.column(KIND), int(RowKind.UPDATE_BEFORE)))


def build(spec: DropUpdateBeforeSpec, state: StateBackend | None, clock: Clock) -> DropUpdateBefore:
    return DropUpdateBefore()


def code(spec: DropUpdateBeforeSpec) -> Iterator[str]:
    yield "-- DropUpdateBefore"
