"""Simplification of arithmetic with 0 and 1 (Calcite: RexSimplify.simplifyArithmetic)."""

from __future__ import annotations

from decimal import Decimal

from firesteel.functions.expression.casting import as_type
from firesteel.functions.expression.nodes import Call, Expr, Literal
from firesteel.plan.simplify.simplifier import Simplifier

NEUTRAL = {"+": 0, "-": 0, "*": 1, "/": 1}
_COMMUTES = frozenset("+*")


def simplify_arithmetic(call: Call, simplifier: Simplifier, unknown_as: str) -> Expr:
    """Return x for x + 0, x - 0, x * 1 and x / 1, cast to the call's type. Return x for -(-x).

    A later pass of the simplifier simplifies x itself. A call of another form gets simplified arguments.
    """
    if len(call.args) == 1:
        return _negation(call, simplifier, unknown_as)
    if call.type.is_numeric and all(arg.type.is_numeric for arg in call.args):
        places = (0, 1) if call.function in _COMMUTES else (1,)
        for place in places:
            if _is(call.args[place], NEUTRAL[call.function]):
                other = call.args[1 - place]
                return other if other.type == call.type else as_type(other, call.type)
    return simplifier.arguments_of(call)


def _negation(call: Call, simplifier: Simplifier, unknown_as: str) -> Expr:
    inner = call.args[0]
    if isinstance(inner, Call) and inner.function == "-" and len(inner.args) == 1:
        return simplifier(inner.args[0], unknown_as)
    return simplifier.arguments_of(call)


def _is(expr: Expr, number: int) -> bool:
    value = expr.value if isinstance(expr, Literal) else None
    return isinstance(value, (int, float, Decimal)) and value == number
