"""Translate the interval joins of a physical plan to specs."""

from __future__ import annotations

from firesteel.job.lower.aggregate import OperatorOptions, types_of
from firesteel.job.lower.join import KINDS, condition_of
from firesteel.plan.nodes.interval_join.physical import IntervalJoin
from firesteel.runtime.spec.interval_join import IntervalJoinSpec
from firesteel.runtime.spec.join import JoinInput


def interval_join(node: IntervalJoin, options: OperatorOptions) -> IntervalJoinSpec:
    """Return the spec of an interval join."""
    equal, bounds = node.equal_columns, node.bounds
    left, right = map(types_of, node.inputs)
    return IntervalJoinSpec(
        KINDS[node.join_type],
        (JoinInput(left, equal.left), JoinInput(right, equal.right)),
        equal.null_safe,
        bounds.lower,
        bounds.upper,
        bounds.is_rowtime,
        (bounds.left_time, bounds.right_time),
        condition_of(equal.rest, (*left, *right), options),
        options.min_cleanup,
        options.state_id("interval-join"),
    )
