"""Text of joins in physical plans (Flink: StreamPhysicalJoin.explainTerms)."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from firesteel.functions.expression.nodes import Expr
from firesteel.plan.nodes.join.physical import Join
from firesteel.plan.tree import unique_columns

Attributes = list[tuple[str, str]]


def join(node: Join, text: Callable[[Expr, Sequence[str]], str]) -> Attributes:
    """Return the attributes that a plan prints for a join."""
    left, right = node.inputs
    names = unique_columns([field.name for field in (*left.schema, *right.schema)])
    found = [
        ("joinType", node.join_type.physical_name),
        ("where", text(node.condition, names)),
        ("select", ", ".join(field.name for field in node.schema)),
        ("leftInputSpec", node.input_spec(0)),
        ("rightInputSpec", node.input_spec(1)),
    ]
    return [*found, ("miniBatch", "true")] if node.mini_batch else found
