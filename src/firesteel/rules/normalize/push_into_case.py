"""Push a predicate of a CASE into its branches.

    CASE WHEN c THEN a ELSE b END = 1   ->   CASE WHEN c THEN a = 1 ELSE b = 1 END

Calcite: ReduceExpressionsRule.pushPredicateIntoCase.
"""

from __future__ import annotations

from dataclasses import replace

from firesteel.functions.expression.nodes import Call, Expr
from firesteel.plan.expressions.operations import input_refs, rewrite
from firesteel.types.sql import TypeRoot

_NOT_PUSHED = frozenset(["CASE", "AND", "OR"])


def push_into_cases(expr: Expr) -> Expr:
    """Push every predicate of an expression into its CASE, the inner ones first."""
    return rewrite(expr, _push)


def _push(expr: Expr) -> Expr:
    if not isinstance(expr, Call) or expr.type.root is not TypeRoot.BOOLEAN or expr.function in _NOT_PUSHED:
        return expr
    if expr.function == "=" and _compares_inputs(expr):
        return expr
    place = next((i for i, a in enumerate(expr.args) if isinstance(a, Call) and a.function == "CASE"), None)
    if place is None:
        return expr
    case = expr.args[place]
    assert isinstance(case, Call)
    last = len(case.args) - 1
    parts = [
        arg if i % 2 == 0 and i < last else _push(replace(expr, args=_with(expr.args, place, arg)))
        for i, arg in enumerate(case.args)
    ]
    return Call("CASE", tuple(parts), expr.type)


def _compares_inputs(call: Call) -> bool:
    """Return whether both operands read columns, but none in common.

    Such an equality may be a join condition. It is not pushed into a CASE.
    """
    left, right = (set(input_refs(arg)) for arg in call.args)
    return bool(left) and bool(right) and not left & right


def _with(args: tuple[Expr, ...], position: int, arg: Expr) -> tuple[Expr, ...]:
    return (*args[:position], arg, *args[position + 1 :])
