"""ConstraintEnforcer, which drops rows before a sink's materializer, so that this does not store them."""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa

from firesteel.runtime.dataflow.operator import Clock, Operator, RowOperator
from firesteel.runtime.operators.sink.constraint_checks import enforce
from firesteel.runtime.spec.sink import ConstraintEnforcerSpec
from firesteel.runtime.state.base import StateBackend


class ConstraintEnforcer(RowOperator):
    """Operator that drops rows that violate a constraint, or fails (sink/constraint_checks.py)."""

    def __init__(self, spec: ConstraintEnforcerSpec) -> None:
        self._constraints = spec.constraints

    def process(self, changes: pa.Table) -> pa.Table:
        """Return the changes that the sink accepts."""
        return enforce(changes, self._constraints)


def build(spec: ConstraintEnforcerSpec, state: StateBackend | None, clock: Clock) -> Operator:
    return ConstraintEnforcer(spec)


def code(spec: ConstraintEnforcerSpec) -> Iterator[str]:
    yield f"-- ConstraintEnforcer of {', '.join(spec.constraints.names)}"
