"""Physical node of temporal joins."""

from __future__ import annotations

from dataclasses import dataclass

from firesteel.errors import InternalError
from firesteel.functions.expression.nodes import Expr
from firesteel.plan.nodes.join.shared import JoinNode
from firesteel.plan.nodes.join.temporal_condition import TemporalCondition, temporal_call
from firesteel.plan.tree import PhysicalNode


@dataclass(frozen=True)
class TemporalJoin(JoinNode, PhysicalNode):
    """Join each row with the version valid at its time (Flink: StreamPhysicalTemporalJoin).

    The inputs are the rows and the versions, each after an exchange by the columns that the join equates. The
    join is INNER, or LEFT: a row without a version is padded. One term of the condition names the times and
    the keys (plan/nodes/join/temporal_condition.py).
    """

    @property
    def temporal(self) -> TemporalCondition:
        """Return the part of the condition about times and keys."""
        call = temporal_call(self.condition)
        if call is None:
            raise InternalError("the condition of a temporal join names no times")
        return TemporalCondition.of(call)

    @property
    def rest(self) -> tuple[Expr, ...]:
        """Return the terms of the condition other than equalities of columns and the temporal call."""
        call = temporal_call(self.condition)
        return tuple(term for term in self.equal_columns.rest if term != call)
