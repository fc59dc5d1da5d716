"""Conditions that hold if both operands are equal, or both are NULL.

Calcite: RelOptUtil.collapseExpandedIsNotDistinctFromExpr.
"""

from __future__ import annotations

from firesteel.functions.expression.nodes import Call, Expr
from firesteel.functions.expression.recursion import from_below
from firesteel.types.sql import BOOLEAN


@from_below
def collapse_not_distinct(condition: Expr) -> Expr:
    """Return a condition with `a = b OR (a IS NULL AND b IS NULL)` as `a IS NOT DISTINCT FROM b`."""
    if not isinstance(condition, Call) or condition.function not in ("AND", "OR"):
        return condition
    found = collapsed(condition)
    if found is not condition:
        return found
    return condition.with_args(tuple(map(_within, condition.args)))


def _within(term: Expr) -> Expr:
    """Return an operand of AND or OR, collapsed.

    If a compared operand is never NULL, the term is simplified before: the test of NULLs is FALSE there, and
    an equality is left.
    """
    for operands in map(_compared, term.args if isinstance(term, Call) and term.function == "OR" else ()):
        if operands is not None and not all(operand.type.nullable for operand in operands):
            return term
    return collapse_not_distinct(term)


def collapsed(condition: Expr) -> Expr:
    """Return `a = b OR (a IS NULL AND b IS NULL)` as `a IS NOT DISTINCT FROM b`, else the same condition.

    Operands of AND and OR are not searched.
    """
    if isinstance(condition, Call) and condition.function == "OR" and len(condition.args) == 2:
        for nulls, equal in (condition.args, condition.args[::-1]):
            operands = _compared(equal)
            if operands is not None and _tests_nulls(nulls, operands):
                return Call("IS NOT DISTINCT FROM", operands, BOOLEAN.with_nullable(False))
    return condition


def _compared(expr: Expr) -> tuple[Expr, Expr] | None:
    """Return the operands of an equality, or of `(equality) IS TRUE`. None for other conditions."""
    if isinstance(expr, Call) and expr.function == "IS TRUE":
        expr = expr.args[0]
    if not isinstance(expr, Call) or expr.function != "=":
        return None
    return expr.args[0], expr.args[1]


def _tests_nulls(expr: Expr, operands: tuple[Expr, Expr]) -> bool:
    """Return whether an expression holds if and only if both operands are NULL."""
    if not isinstance(expr, Call) or expr.function != "AND" or len(expr.args) != 2:
        return False
    tested = [arg.args[0] for arg in expr.args if isinstance(arg, Call) and arg.function == "IS NULL"]
    return tested in ([*operands], [*operands[::-1]])
