"""Text of interval joins in physical plans (Flink: StreamPhysicalIntervalJoin.explainTerms)."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from firesteel.functions.expression.nodes import Expr
from firesteel.plan.nodes.interval_join.physical import IntervalBounds, IntervalJoin
from firesteel.plan.tree import unique_columns

Attributes = list[tuple[str, str]]


def interval_join(node: IntervalJoin, text: Callable[[Expr, Sequence[str]], str]) -> Attributes:
    """Return the attributes that a plan prints for an interval join."""
    left, right = node.inputs
    names = unique_columns([field.name for field in (*left.schema, *right.schema)])
    return [
        ("joinType", node.join_type.physical_name),
        ("windowBounds", _bounds(node.bounds)),
        ("where", text(node.condition, names)),
        ("select", ", ".join(field.name for field in node.schema)),
    ]


def _bounds(bounds: IntervalBounds) -> str:
    return (
        f"isRowTime={str(bounds.is_rowtime).lower()}, "
        f"leftLowerBound={bounds.lower}, leftUpperBound={bounds.upper}, "
        f"leftTimeIndex={bounds.left_time}, rightTimeIndex={bounds.right_time}"
    )
