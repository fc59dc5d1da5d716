"""Refuse a division of constants by zero when the query is planned (Flink: ExpressionReducer).

Flink computes each largest constant part of an expression, and refuses it if its outermost call is such a
division:

    1 / 0, x + 1 / 0                      refused: the constant part is 1 / 0
    CAST(1 / 0 AS BIGINT), 1 / 0 > 1      not refused: the outermost call is CAST or >. They fail in the job
"""

from __future__ import annotations

from firesteel.errors import ValidationError
from firesteel.functions.duckdb.constant_calls import varies
from firesteel.functions.expression.nodes import Call, Expr, Literal
from firesteel.functions.expression.recursion import remembered
from firesteel.plan.expressions.over import is_over


def refuse_division(expr: Expr) -> None:
    """Raise ValidationError if a largest constant part of the expression is a division by the literal 0."""
    pending: list[Expr] = [expr]
    while pending:
        part = pending.pop()
        if not isinstance(part, Call):
            continue
        if not is_constant(part):
            pending += part.args
        elif part.function == "/" and isinstance(divisor := part.args[1], Literal) and divisor.value == 0:
            raise ValidationError("Division by zero", range=part.range)


@remembered
def is_constant(expr: Expr) -> bool:
    """Return whether an expression reads no column and is the same for every row.

    ROW(...) does not count: Flink computes its arguments (ReduceExpressionsRule.ReducibleExprLocator). Nor
    does a call with OVER: `ROW_NUMBER() OVER (ORDER BY 1)` differs by row (RexUtil.ConstantFinder).
    """
    if not isinstance(expr, Call):
        return isinstance(expr, Literal)
    if expr.function == "ROW" or is_over(expr) or varies(expr):
        return False
    return all(map(is_constant, expr.args))


def is_constant_column(expr: Expr) -> bool:
    """Return whether Flink counts a projection's column as a constant, by its expression.

    It counts a constant expression, but not a literal in a cast that changes only nullability. The planner
    makes such a cast if a NOT NULL literal replaces a nullable expression: a column that a filter below sets
    to one value (`a = 1`), or TYPEOF(1).
    """
    if isinstance(expr, Call) and expr.function == "CAST" and isinstance(expr.args[0], Literal):
        return not expr.type.same_as(expr.args[0].type)
    return is_constant(expr)
