"""Conditions that hold if both operands are equal, or both are NULL.

Calcite: RelOptUtil.collapseExpandedIsNotDistinctFromExpr.
"""

from __future__ import annotations

from typing import TypeGuard

from firesteel.functions.expression.nodes import Call, Expr
from firesteel.functions.expression.recursion import from_below
from firesteel.types.sql import BOOLEAN


def collapse_not_distinct(condition: Expr) -> Expr:
    """Return a condition with `a = b OR (a IS NULL AND b IS NULL)` as `a IS NOT DISTINCT FROM b`."""
    found = collapsed(condition)
    if found is not condition or not _has_operands(condition):
        return found
    return condition.with_args(tuple(map(_within, condition.args)))


@from_below
def _within(term: Expr) -> Expr:
    """Return an operand of AND or OR with `a = b OR (a IS NULL AND b IS NULL)` as IS NOT DISTINCT FROM.

    If `a` or `b` is NOT NULL, the term stays as it is: the simplifier makes `a = b` of it, as then `a IS NULL
    AND b IS NULL` is FALSE.
    """
    if not _has_operands(term):
        return term
    compared = _comparisons(term)
    for operands in compared:
        if operands is not None and not all(operand.type.nullable for operand in operands):
            return term
    return _as_not_distinct(term, compared) or term.with_args(tuple(map(_within, term.args)))


def collapsed(condition: Expr) -> Expr:
    """Return `a = b OR (a IS NULL AND b IS NULL)` as `a IS NOT DISTINCT FROM b`, else the same condition.

    Operands of AND and OR are not searched.
    """
    if not _has_operands(condition):
        return condition
    return _as_not_distinct(condition, _comparisons(condition)) or condition


_Compared = tuple[Expr, Expr] | None
"""Operands of an equality, None for another condition."""


def _has_operands(expr: Expr) -> TypeGuard[Call]:
    return isinstance(expr, Call) and expr.function in ("AND", "OR")


def _comparisons(condition: Call) -> list[_Compared]:
    """Return for each operand of an OR the two sides if it is an equality, None if not. [] if it is no OR."""
    return [*map(_compared, condition.args)] if condition.function == "OR" else []


def _as_not_distinct(condition: Call, compared: list[_Compared]) -> Expr | None:
    """Return the IS NOT DISTINCT FROM that an OR of two operands means, None for another condition."""
    if len(compared) != 2:
        return None
    for operands, nulls in zip(compared, condition.args[::-1], strict=True):
        if operands is not None and _tests_nulls(nulls, operands):
            return Call("IS NOT DISTINCT FROM", operands, BOOLEAN.with_nullable(False))
    return None


def _compared(expr: Expr) -> _Compared:
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
