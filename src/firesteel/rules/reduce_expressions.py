"""Simplify conditions and projections under what is known of their input.

Flink: SimplifyFilterConditionRule; Calcite: FilterReduceExpressionsRule, ProjectReduceExpressionsRule.
A column that the rows below hold to one value is replaced by that value; a condition that cannot hold
leaves no rows.
"""

from __future__ import annotations

from dataclasses import replace

from firesteel.expr.deep import from_below
from firesteel.expr.nodes import Call, Expr, InputRef, Literal
from firesteel.plan.converted import as_type
from firesteel.plan.expressions import FALSE, TRUE, is_false, is_true, operands, rewrite
from firesteel.plan.logical import Aggregate, Filter, Project, Values
from firesteel.plan.simplify import simplify_condition, simplify_value
from firesteel.plan.simplify.sarg import COMPARISONS, as_double, compared_literal
from firesteel.plan.tree import Node
from firesteel.rules.fold_constants import fold_constants
from firesteel.rules.pull_factors import pull_factors
from firesteel.rules.push_into_case import push_into_cases


def reduce_expressions(node: Node) -> Node:
    """Apply to one node; its inputs are done already."""
    if isinstance(node, Filter):
        return _filter(node)
    if isinstance(node, Project):
        known = constant_columns(node.input)
        return replace(node, exprs=tuple(_value(e, known) for e in node.exprs))
    return node


def _filter(node: Filter) -> Node:
    doubles = rewrite(node.condition, lambda e: as_double(e) if isinstance(e, Literal) else e)
    condition = pull_factors(_same_columns(fold_constants(doubles)))
    for _ in range(5):
        before, condition = condition, fold_constants(simplify_condition(push_into_cases(condition)))
        if condition == before:
            break
    if is_true(condition):
        return node.input
    if is_false(condition) or (isinstance(condition, Literal) and condition.value is None):
        return Values(node.schema, ())
    return node if condition == node.condition else replace(node, condition=condition)


def _same_columns(condition: Expr) -> Expr:
    """A column compared with itself decides at once (Flink: BinaryComparisonExprReducer)."""

    def rule(e: Expr) -> Expr:
        if not isinstance(e, Call) or e.function not in COMPARISONS or e.args[0] != e.args[1]:
            return e
        if not isinstance(e.args[0], InputRef):
            return e
        return TRUE if "=" in e.function else FALSE

    return rewrite(condition, rule)


def _value(expr: Expr, known: dict[int, Literal]) -> Expr:
    replaced = push_into_cases(rewrite(expr, lambda e: _constant(e, known)))
    reduced = simplify_value(fold_constants(_reachable(replaced)))
    reduced = fold_constants(reduced)
    return reduced if reduced.type == expr.type else Call("CAST", (reduced,), expr.type)


def _constant(expr: Expr, known: dict[int, Literal]) -> Expr:
    """A column's only value, as the column's type."""
    if not isinstance(expr, InputRef) or expr.index not in known:
        return expr
    literal = as_type(known[expr.index], expr.type)
    return literal if literal.type == expr.type else Call("CAST", (literal,), expr.type)


def _reachable(expr: Expr) -> Expr:
    """COALESCE without what stands after an argument that is never NULL."""

    def rule(e: Expr) -> Expr:
        if isinstance(e, Call) and e.function == "COALESCE":
            stop = next((i for i, a in enumerate(e.args) if not a.type.nullable), len(e.args) - 1)
            return e.args[0] if stop == 0 else replace(e, args=e.args[: stop + 1])
        return e

    return rewrite(expr, rule)


@from_below
def constant_columns(node: Node) -> dict[int, Literal]:
    """The columns that have one value in all rows of the node, and that value (Calcite: RelMdPredicates)."""
    if isinstance(node, Filter):
        found = constant_columns(node.input)
        for term in operands(node.condition, "AND"):
            known = compared_literal(term)
            if known is not None and known[0] == "=" and isinstance(known[1], InputRef):
                found[known[1].index] = known[2]
        return found
    if isinstance(node, Project):
        below = constant_columns(node.input)
        return {
            i: below[e.index]
            for i, e in enumerate(node.exprs)
            if isinstance(e, InputRef) and e.index in below
        }
    if isinstance(node, Aggregate):
        below = constant_columns(node.input)
        return {i: below[k] for i, k in enumerate(node.keys) if k in below and node.in_all_groups(k)}
    return {}
