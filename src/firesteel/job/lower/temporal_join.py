"""Translate the temporal joins of a physical plan to specs."""

from __future__ import annotations

from firesteel.functions.expression.nodes import Expr, InputRef
from firesteel.job.lower.aggregate import OperatorOptions, types_of
from firesteel.job.lower.join import condition_of
from firesteel.plan.nodes.join.join_type import JoinType
from firesteel.plan.nodes.temporal.physical import TemporalJoin
from firesteel.runtime.spec.temporal_join import TemporalJoinSpec, TimedInput


def temporal_join(node: TemporalJoin, options: OperatorOptions) -> TemporalJoinSpec:
    """Return the spec of a join of each left row with the right row's version at the left row's time."""
    equal, temporal = node.equal_columns, node.temporal
    left, right = map(types_of, node.inputs)
    assert temporal.right_time is not None
    return TemporalJoinSpec(
        node.join_type is JoinType.LEFT,
        (
            TimedInput(left, equal.left, _position(temporal.left_time)),
            TimedInput(right, equal.right, _position(temporal.right_time) - node.left_width),
        ),
        condition_of(node.rest, (*left, *right), options),
        options.ttl,
        options.state_id("temporal-join"),
    )


def _position(column: Expr) -> int:
    assert isinstance(column, InputRef)
    return column.index
