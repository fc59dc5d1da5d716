"""Pull the terms that all alternatives of a condition share out of the OR (Calcite: RexUtil.pullFactors)."""

from __future__ import annotations

from firesteel.functions.expression.nodes import Call, Expr
from firesteel.plan.expressions.operations import TRUE, is_true, logical_call, operands


def pull_factors(condition: Expr) -> Expr:
    """Return (a AND b) OR (a AND c) as a AND (b OR c), also within the terms of an AND."""
    if not isinstance(condition, Call) or condition.function not in ("AND", "OR"):
        return condition
    if condition.function == "AND":
        terms = [pull_factors(term) for term in operands(condition, "AND")]
        changed = any(a is not b for a, b in zip(terms, operands(condition, "AND"), strict=True))
        return _all_of(terms) if changed else condition
    alternatives = [operands(term, "AND") for term in operands(condition, "OR")]
    common = [t for t in alternatives[0] if all(t in other for other in alternatives[1:])]
    if not common:
        return condition
    rests = [_all_of([t for t in terms if t not in common]) for terms in alternatives]
    if any(map(is_true, rests)):
        return _all_of(common)
    return _all_of([*common, logical_call("OR", rests)])


def _all_of(terms: list[Expr]) -> Expr:
    return logical_call("AND", terms) if terms else TRUE
