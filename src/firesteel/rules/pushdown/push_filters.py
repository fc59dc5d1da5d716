"""Push filters down to where their columns come from.

    Filter(x > 1)  Project(a AS x)   ->   Project(a AS x)  Filter(a > 1)

plan/properties/filter_pushdown.py defines for each class of nodes which terms of a condition move to which
input, and which terms stay above the node.
"""

from __future__ import annotations

from firesteel.functions.expression.nodes import Expr
from firesteel.functions.expression.recursion import from_below
from firesteel.plan.metadata import filter_pushdown
from firesteel.plan.nodes.logical import Filter
from firesteel.plan.tree import Node


@from_below
def push_filters(node: Node) -> Node:
    """Push a filter, or the condition of a join, below the node under it, and further down."""
    below, condition = (node.input, node.condition) if isinstance(node, Filter) else (node, None)
    pushed = filter_pushdown(below, condition)
    if pushed is None:
        return node
    inputs = [
        child if term is None else push_filters(Filter(child, term))
        for child, term in zip(below.children, pushed.conditions, strict=True)
    ]
    return _filter(pushed.over(inputs), pushed.above)


def _filter(node: Node, condition: Expr | None) -> Node:
    return node if condition is None else Filter(node, condition)
