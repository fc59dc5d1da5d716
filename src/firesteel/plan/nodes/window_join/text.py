"""Text of window joins in physical plans (Flink: StreamPhysicalWindowJoin.explainTerms)."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from firesteel.functions.expression.nodes import Expr
from firesteel.plan.nodes.window_join.physical import WindowJoin
from firesteel.plan.tree import unique_columns

Attributes = list[tuple[str, str]]


def window_join(node: WindowJoin, text: Callable[[Expr, Sequence[str]], str]) -> Attributes:
    """Return the attributes that a plan prints for a window join."""
    left, right = ([field.name for field in side.schema] for side in node.inputs)
    return [
        ("leftWindow", node.windowings[0].text(left)),
        ("rightWindow", node.windowings[1].text(right)),
        ("joinType", node.join_type.physical_name),
        ("where", text(node.condition, unique_columns([*left, *right]))),
        ("select", ", ".join(field.name for field in node.schema)),
    ]
