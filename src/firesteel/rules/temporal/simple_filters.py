"""Conditions that a database evaluates in lookups.

Flink's jdbc connector: JdbcFilterPushdownPreparedStatementVisitor.
"""

from __future__ import annotations

from firesteel.functions.expression.nodes import Call, Expr, InputRef, Literal
from firesteel.functions.expression.recursion import from_below
from firesteel.types.sql import CHARACTER, TypeRoot

_OPERATORS = frozenset({"=", "<", "<=", ">", ">=", "<>", "AND", "OR", "LIKE"})
_TESTS = frozenset({"IS NULL", "IS NOT NULL"})
_LITERALS = frozenset(
    {
        *CHARACTER,
        *(TypeRoot.BOOLEAN, TypeRoot.DECIMAL, TypeRoot.TINYINT, TypeRoot.SMALLINT, TypeRoot.INTEGER),
        *(TypeRoot.BIGINT, TypeRoot.FLOAT, TypeRoot.DOUBLE, TypeRoot.DATE, TypeRoot.TIME, TypeRoot.TIMESTAMP),
    }
)


@from_below
def is_simple_filter(expr: Expr) -> bool:
    """Return whether a database can evaluate a condition: comparisons with constants, AND, OR and LIKE."""
    if not isinstance(expr, Call):
        return False
    if expr.function in _TESTS:
        return isinstance(expr.args[0], InputRef)
    return expr.function in _OPERATORS and all(map(_is_operand, expr.args))


def _is_operand(expr: Expr) -> bool:
    if isinstance(expr, Literal):
        return expr.type.root in _LITERALS
    return isinstance(expr, InputRef) or is_simple_filter(expr)
