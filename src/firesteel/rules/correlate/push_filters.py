"""Push a filter above a Correlate into the input that it reads (Flink: FilterCorrelateRule).

    Filter(a > 1 AND x = 2)  Correlate(l, f($cor0.s))
        ->  Correlate(Filter(a > 1) l, Filter(x = 2) f($cor0.s))

A condition on both inputs stays above. So does a condition on the right input of a LEFT join: below, it would
turn a row with partners into a padded one.
"""

from __future__ import annotations

from collections.abc import Sequence

from firesteel.functions.expression.nodes import Expr
from firesteel.plan.expressions.operations import conjunction, conjuncts, input_refs, renumber
from firesteel.plan.nodes.correlate.logical import Correlate
from firesteel.plan.nodes.join.join_type import JoinType
from firesteel.plan.nodes.logical import Filter
from firesteel.plan.tree import Node


def push_into_correlate(condition: Expr, node: Correlate) -> Node:
    """Return a Correlate with the parts of a condition pushed into its inputs, and the rest above it."""
    width = node.left_width
    left: list[Expr] = []
    right: list[Expr] = []
    above: list[Expr] = []
    for term in conjuncts(condition):
        read = input_refs(term)
        if all(i < width for i in read):
            left.append(term)
        elif node.join_type is JoinType.INNER and all(i >= width for i in read):
            right.append(renumber(term, {i: i - width for i in read}))
        else:
            above.append(term)
    inputs = (_filtered(node.inputs[0], left), _filtered(node.inputs[1], right))
    return _filtered(node.with_children(inputs), above)


def _filtered(node: Node, terms: Sequence[Expr]) -> Node:
    condition = conjunction(terms)
    return node if condition is None else Filter(node, condition)
