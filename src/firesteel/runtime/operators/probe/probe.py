"""Probe: count the rows that pass a place of a plan, and which branches of the query's conditions they take.

The conditions are those of WHERE, CASE, IF and joins.
"""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa
import pyarrow.compute as pc

from firesteel.changelog import KIND, field
from firesteel.runtime.dataflow.operator import Clock, RowOperator
from firesteel.runtime.operators.calc.calc import Calc
from firesteel.runtime.operators.probe.counts import Counts, counts_of
from firesteel.runtime.spec.probe import ProbeSpec
from firesteel.runtime.state.base import StateBackend


class Probe(RowOperator):
    """Operator that counts rows and sends them on unchanged. It has no state."""

    def __init__(self, spec: ProbeSpec, counts: Counts) -> None:
        self._number = spec.number
        self._counts = counts
        self._decisions = 0 if spec.branches is None else len(spec.branches.projection)
        self._calc = None if spec.branches is None else Calc(spec.branches)

    def process(self, changes: pa.Table) -> pa.Table:
        """Count the rows of a changes table, and return it."""
        if not changes.num_rows:
            return changes
        for kind, rows in _counted(changes.column(KIND)):
            self._counts.kinds[self._number, kind] += rows
        if self._calc is not None:
            branches = self._calc.process(changes)
            for decision in range(self._decisions):
                for branch, rows in _counted(branches.column(field(decision))):
                    self._counts.branches[self._number, decision, branch] += rows
        return changes


def _counted(column: pa.ChunkedArray) -> Iterator[tuple[int, int]]:
    """Yield each distinct value of a column with its number of rows. NULL is left out."""
    for pair in pc.value_counts(column.drop_null()).to_pylist():
        yield int(pair["values"]), int(pair["counts"])


def build(spec: ProbeSpec, state: StateBackend | None, clock: Clock) -> Probe:
    return Probe(spec, counts_of(spec.run))


def code(spec: ProbeSpec) -> Iterator[str]:
    yield f"-- Probe {spec.number}"
