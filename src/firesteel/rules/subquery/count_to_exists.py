"""Rewrite a comparison of COUNT(*) that asks for one row or more as EXISTS.

    WHERE (SELECT COUNT(*) FROM r WHERE r.k = l.k) > 0   ->   WHERE EXISTS (SELECT * FROM r WHERE r.k = l.k)

EXISTS becomes a semi join, which needs no count. Flink: FlinkRewriteSubQueryRule.
"""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

from firesteel.functions.expression.nodes import Call, Expr, Literal
from firesteel.plan.expressions.operations import NOT_NULL_BOOLEAN, rewrite
from firesteel.plan.expressions.sub_query import SCALAR, SubQuery, sub_queries
from firesteel.plan.nodes.logical import Aggregate
from firesteel.plan.simplify.sarg import NEGATED

_MIRRORED = {"<": ">", "<=": ">="}
_ORDERS = (">", ">=", "<", "<=")


def count_to_exists(condition: Expr) -> Expr:
    """Return a filter's condition with EXISTS for each `COUNT(*) > 0` of a sub-query."""
    return rewrite(rewrite(condition, _without_not), _part) if sub_queries(condition) else condition


def _without_not(part: Expr) -> Expr:
    """Return `x <= 0` for `NOT (x > 0)`, where x has a sub-query. Other expressions stay as they are.

    Without this, the comparison `x > 0` below the NOT would become an EXISTS.
    """
    if not isinstance(part, Call) or part.function != "NOT" or not sub_queries(part):
        return part
    compared = part.args[0]
    if not isinstance(compared, Call) or compared.function not in _ORDERS:
        return part
    return replace(compared, function=NEGATED[compared.function])


def _part(part: Expr) -> Expr:
    if not isinstance(part, Call) or part.function not in _ORDERS:
        return part
    query, bound = part.args
    operator = part.function
    if operator in _MIRRORED:
        query, bound, operator = bound, query, _MIRRORED[operator]
    if not isinstance(query, SubQuery) or not _is_count(query) or not _is_reached_by_one(operator, bound):
        return part
    rows = query.query.children[0]
    return SubQuery(
        "EXISTS", (), NOT_NULL_BOOLEAN, range=part.range, query=rows, correlation=query.correlation
    )


def _is_count(query: SubQuery) -> bool:
    """Return whether a sub-query is COUNT(*) of all its rows."""
    plan = query.query
    if query.function != SCALAR or not isinstance(plan, Aggregate) or plan.keys or plan.groups:
        return False
    call, *more = plan.calls
    plain = not call.args and call.filter is None and not call.distinct
    return call.function == "COUNT" and plain and not more


def _is_reached_by_one(operator: str, bound: Expr) -> bool:
    """Return whether `COUNT(*) operator bound` holds for one row or more, but not for no rows.

    The operator is > or >=. Examples of such comparisons: `> 0`, `>= 1`, `> 0.5`.
    """
    if not isinstance(bound, Literal) or not isinstance(bound.value, int | float | Decimal):
        return False
    return 0 < bound.value < 1 or bound.value == (0 if operator == ">" else 1)
