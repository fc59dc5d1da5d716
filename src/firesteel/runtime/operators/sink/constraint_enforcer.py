"""ConstraintEnforcer in front of a sink's materializer, that must not see what the sink will not get."""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa

from firesteel.runtime.dataflow.operator import Clock, Operator, RowOperator
from firesteel.runtime.operators.sink.constraint_checks import enforce
from firesteel.runtime.spec.sink import ConstraintEnforcerSpec
from firesteel.runtime.state.base import StateBackend


class ConstraintEnforcer(RowOperator):
    """Drops the rows that break a rule, or fails (runtime/operators/sink/constraint_checks.py)."""

    def __init__(self, spec: ConstraintEnforcerSpec) -> None:
        self._constraints = spec.constraints

    def process(self, changes: pa.Table) -> pa.Table:
        """The changes that the sink may see."""
        return enforce(changes, self._constraints)


def build(spec: ConstraintEnforcerSpec, state: StateBackend | None, clock: Clock) -> Operator:
    return ConstraintEnforcer(spec)


def code(spec: ConstraintEnforcerSpec) -> Iterator[str]:
    yield f"-- ConstraintEnforcer of {', '.join(spec.constraints.names)}"
