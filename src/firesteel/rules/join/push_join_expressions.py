"""What a join's equalities compute becomes a column of an input (Calcite: JoinPushExpressionsRule)."""

from __future__ import annotations

from firesteel.plan.join_condition import push_expressions
from firesteel.plan.nodes.join.logical import Join
from firesteel.plan.tree import Node


def push_join_expressions(node: Node) -> Node:
    """Apply to one node; its inputs are done already."""
    return push_expressions(node) if isinstance(node, Join) else node
