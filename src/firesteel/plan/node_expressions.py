"""Expressions of logical nodes that may hold a sub-query or read columns of an outer query."""

from __future__ import annotations

from firesteel.functions.expression.nodes import Expr
from firesteel.plan.nodes.correlate.logical import TableFunctionScan
from firesteel.plan.nodes.join.logical import Join
from firesteel.plan.nodes.logical import Filter, Project
from firesteel.plan.tree import Node


def part_expressions(node: Node) -> tuple[Expr, ...]:
    """Return those expressions of a node that may hold a sub-query or read columns of an outer query.

    An aggregate has none: its calls read columns that a projection below has computed. Nor has a sort, a
    rank or a window, whose keys are columns.

    Args:
        node: A logical node.
    """
    if isinstance(node, (Filter, Join)):
        return (node.condition,)
    if isinstance(node, TableFunctionScan):
        return node.call.args
    return node.exprs if isinstance(node, Project) else ()
