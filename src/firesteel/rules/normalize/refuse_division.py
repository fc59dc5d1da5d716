"""A division of constants by zero is refused when the query is planned (Flink: ExpressionReducer).

Flink looks at each largest part of an expression that is constant, and only at the call on its top: `1 / 0`
and `x + 1 / 0` are refused, `CAST(1 / 0 AS BIGINT)` and `1 / 0 > 1` fail in the job.
"""

from __future__ import annotations

from firesteel.errors import ValidationError
from firesteel.functions.duckdb.constant_calls import varies
from firesteel.functions.expression.nodes import Call, Expr, Literal
from firesteel.functions.expression.recursion import remembered


def refuse_division(expr: Expr) -> None:
    """Raises ValidationError in Flink's words for a constant divided by zero."""
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
    """Whether the expression reads no column and is the same for every row. ROW(...) counts for none: Flink
    computes what is in it (ReduceExpressionsRule.ReducibleExprLocator)."""
    if not isinstance(expr, Call):
        return isinstance(expr, Literal)
    return expr.function != "ROW" and not varies(expr) and all(map(is_constant, expr.args))


def is_constant_column(expr: Expr) -> bool:
    """Whether a projection's column is known to be this constant above it. Not so for a literal whose cast
    changes no more than whether it may be NULL: what a condition below holds a column to, and TYPEOF(1)."""
    if isinstance(expr, Call) and expr.function == "CAST" and isinstance(expr.args[0], Literal):
        return not expr.type.same_as(expr.args[0].type)
    return is_constant(expr)
