"""Text of temporal joins in physical plans (Flink: CommonPhysicalJoin.explainTerms)."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from firesteel.functions.expression.nodes import Expr
from firesteel.plan.nodes.temporal.physical import TemporalJoin
from firesteel.plan.tree import unique_columns

Attributes = list[tuple[str, str]]


def temporal_join(node: TemporalJoin, text: Callable[[Expr, Sequence[str]], str]) -> Attributes:
    """Return the attributes that a plan prints for a temporal join.

    Args:
        node: The join.
        text: Returns the text of an expression over named columns.
    """
    left, right = node.inputs
    names = unique_columns([field.name for field in (*left.schema, *right.schema)])
    return [
        ("joinType", node.join_type.physical_name),
        ("where", text(node.condition, names)),
        ("select", ", ".join(field.name for field in node.schema)),
    ]
