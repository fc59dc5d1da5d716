"""Derive from an OR over both inputs of a join a condition on each input.

Flink: JoinDependentConditionDerivationRule.

    l.k = r.k AND (l.a = 1 AND r.b = 2 OR l.a = 3 AND r.b = 4)
        ->  ... AND (l.a = 1 OR l.a = 3) AND (r.b = 2 OR r.b = 4)
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from firesteel.functions.expression.nodes import Expr
from firesteel.plan.expressions.operations import (
    TRUE,
    conjunction,
    conjuncts,
    input_refs,
    logical_call,
    operands,
)
from firesteel.plan.nodes.join.join_type import JoinType
from firesteel.plan.nodes.join.logical import Join
from firesteel.plan.nodes.join.temporal_condition import is_temporal
from firesteel.plan.simplify import simplify_condition
from firesteel.plan.tree import Node


def derive_join_conditions(node: Node) -> Node:
    """Add the derived conditions to a join. Other nodes stay as they are."""
    if not isinstance(node, Join) or node.join_type is not JoinType.INNER or is_temporal(node):
        return node
    terms, width = conjuncts(node.condition), node.left_width

    def of_left(expr: Expr) -> bool:
        return all(i < width for i in input_refs(expr))

    def of_right(expr: Expr) -> bool:
        return all(i >= width for i in input_refs(expr))

    found = [_side(term, side) for term in terms for side in (of_left, of_right)]
    derived = [term for term in found if term is not None]
    if not derived:
        return node
    condition = simplify_condition(conjunction([*terms, *derived]) or TRUE)
    return node if condition == node.condition else replace(node, condition=condition)


def _side(term: Expr, belongs: Callable[[Expr], bool]) -> Expr | None:
    """Return the condition on one input that an OR implies.

    `belongs` returns whether a condition reads that input only. None if an alternative of the OR does not
    restrict the input.
    """
    alternatives = operands(term, "OR")
    if len(alternatives) < 2:
        return None
    found = [conjunction(part for part in operands(each, "AND") if belongs(part)) for each in alternatives]
    if any(each is None for each in found):
        return None
    return logical_call("OR", [each for each in found if each is not None])
