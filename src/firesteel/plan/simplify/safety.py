"""Expressions that cannot fail, and so may be dropped (Calcite: RexSimplify.SafeRexVisitor).

Calls of Flink's own functions, such as COALESCE, count as unsafe: Calcite does not know them.
"""

from __future__ import annotations

from firesteel.functions.expression.nodes import Call, Expr
from firesteel.plan.expressions.operations import walk

_SAFE = frozenset(
    [
        *("=", "<>", "<", "<=", ">", ">=", "+", "-", "*", "AND", "OR", "NOT", "CASE", "CAST", "LIKE"),
        *("IS NULL", "IS NOT NULL", "IS TRUE", "IS FALSE", "IS NOT TRUE", "IS NOT FALSE"),
        *("SEARCH", "IS DISTINCT FROM", "IS NOT DISTINCT FROM", "TRIM", "CEIL", "FLOOR"),
    ]
)


def is_safe(expr: Expr) -> bool:
    """Return whether no part of the expression can fail, as far as Calcite knows."""
    return all(e.function in _SAFE for e in walk(expr) if isinstance(e, Call))
