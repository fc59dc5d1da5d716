"""Entry points of the simplifier, and the rules for comparisons and IS tests."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from firesteel.functions.expression.nodes import Call, Expr, Literal
from firesteel.functions.expression.recursion import from_below
from firesteel.plan.expressions.operations import (
    FALSE,
    NULL_BOOLEAN,
    TRUE,
    comparison,
    is_false,
    is_null,
    is_true,
    logical_call,
    negation,
)
from firesteel.plan.simplify.arithmetic import NEUTRAL, simplify_arithmetic
from firesteel.plan.simplify.case import simplify_case
from firesteel.plan.simplify.casts import is_lossless, simplify_cast
from firesteel.plan.simplify.logic import NEGATED_TESTS, compose, simplify_and, simplify_not, simplify_or
from firesteel.plan.simplify.range_set import ALL
from firesteel.plan.simplify.rounding import simplify_rounding
from firesteel.plan.simplify.safety import is_safe
from firesteel.plan.simplify.sarg import (
    COMPARISONS,
    Sarg,
    as_double,
    compared_literal,
    compared_value,
    everything_or_nothing,
    literal,
    of_search,
    residue,
    to_comparisons,
    to_search,
)
from firesteel.plan.simplify.simplifier import STRICT, Rule, Simplifier
from firesteel.types.sql import TypeRoot

_MOST_KNOWN = 50
"""Greatest number of known comparisons of a column with which a further comparison of it is simplified.

A known comparison holds for the rows in question: in `a > 5 AND a > 3`, `a > 5` is known where `a > 3` is
simplified. If more comparisons of a column are known, its further comparisons stay, to bound the cost.
"""


_COMPARE: dict[str, Callable[[Any, Any], bool]] = {
    "=": operator.eq,
    "<>": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


def _comparison(call: Call, simplifier: Simplifier, unknown_as: str) -> Expr:
    call = simplifier.arguments_of(call)
    left, right = call.args
    if left == right and not isinstance(left, Literal):
        if call.function in ("=", ">=", "<="):
            not_null = Call("IS NOT NULL", (left,), TRUE.type)
            return simplifier(logical_call("OR", [NULL_BOOLEAN, not_null]), unknown_as)
        return simplifier(logical_call("AND", [NULL_BOOLEAN, is_null(left)]), unknown_as)
    if isinstance(right, Literal) and isinstance(right.value, bool) and isinstance(left, Call):
        return _boolean_comparison(call, (call.function, left, right), simplifier, unknown_as)
    found = compared_literal(call)
    if found is not None and found[1].type.root is TypeRoot.BOOLEAN and isinstance(found[2].value, bool):
        return _boolean_comparison(call, found, simplifier, unknown_as)
    if isinstance(left, Literal) and isinstance(right, Literal) and _are_alike(left, right):
        if left.value is None or right.value is None:
            return NULL_BOOLEAN
        return _compared_literals(call.function, left, right)
    return _under_predicates(call, compared_value(call), simplifier)


def _boolean_comparison(
    call: Call, found: tuple[str, Expr, Literal], simplifier: Simplifier, unknown_as: str
) -> Expr:
    function, ref, value = found
    if function in ("=", "<>"):
        same = (function == "=") == bool(value.value)
        return ref if same else simplifier(negation(ref), unknown_as)
    return call


def _are_alike(left: Literal, right: Literal) -> bool:
    """Return whether a comparison of two literals is evaluated: they have one type, or one is NULL."""
    return left.type.same_as(right.type) or left.value is None or right.value is None


def _compared_literals(function: str, left: Literal, right: Literal) -> Expr:
    """Return TRUE or FALSE, the result of comparing two literals.

    The values are compared as they are written in the query, as in Calcite: 9.995 as DECIMAL(3, 2) is not
    rounded.
    """
    a, b = (as_double(e).value for e in (left, right))
    return TRUE if _COMPARE[function](a, b) else FALSE


def _under_predicates(call: Call, found: tuple[str, Expr, Literal] | None, simplifier: Simplifier) -> Expr:
    """Return a comparison simplified by the known comparisons of its operand.

        known a > 5      a < 3  ->  FALSE      a > 2  ->  a IS NOT NULL
        known a >= 5     a <= 5  ->  a = 5     a < 9  stays

    Args:
        call: The call.
        found: Operator, operand and literal of the comparison. None if `call` is no such comparison: it is
            returned unchanged.
        simplifier: The simplifier, with the known comparisons.
    """
    if found is None or found[2].value is None:
        return call
    function, ref, value = found
    known = simplifier.known_of(ref)
    if not known or len(known) > _MOST_KNOWN:
        return call
    left_over = residue(function, value.value, known)
    if not left_over:
        return FALSE
    if left_over == (ALL,):
        return simplifier(Call("IS NOT NULL", (ref,), TRUE.type), "unknown")
    if len(left_over) == 1 and left_over[0].is_point and function != "=":
        return comparison("=", ref, literal(left_over[0].low, value.type))
    return call


def _search(call: Call, simplifier: Simplifier, unknown_as: str) -> Expr:
    sarg, ref = of_search(call), call.args[0]
    if sarg.ranges in ((), (ALL,)):
        return simplifier(everything_or_nothing(ref, sarg, unknown_as), unknown_as)
    if sarg.null_as != "unknown":
        if not ref.type.nullable:
            return _search_of(ref, Sarg(sarg.ranges), call, simplifier, unknown_as)
    elif sarg.is_points and len(sarg.ranges) == 1:
        return to_comparisons(ref, sarg, call.args[1].type, "unknown")
    return call


def _search_of(ref: Expr, sarg: Sarg, call: Call, simplifier: Simplifier, unknown_as: str) -> Expr:
    changed = to_search(ref, sarg, call.args[1].type)
    assert isinstance(changed, Call)
    return _search(changed, simplifier, unknown_as)


_AS_ITSELF = {("IS TRUE", "false"): False, ("IS NOT FALSE", "true"): False}
_AS_NEGATION = {("IS FALSE", "false"), ("IS NOT TRUE", "true")}
_OF_NEGATION = {"IS FALSE": "IS TRUE", "IS NOT TRUE": "IS NOT FALSE"}
"""Tests of NOT x that become tests of x: (NOT x) IS FALSE is x IS TRUE. (NOT x) IS TRUE stays."""


def _is(call: Call, simplifier: Simplifier, unknown_as: str) -> Expr:
    test, inner = call.function, call.args[0]
    if (test, unknown_as) in _AS_ITSELF:
        return simplifier(inner, unknown_as)
    if (test, unknown_as) in _AS_NEGATION:
        return simplifier(negation(inner), unknown_as)
    if test in ("IS NULL", "IS NOT NULL"):
        return _null_test(call, simplifier, unknown_as)
    if not inner.type.nullable:
        positive = test in ("IS TRUE", "IS NOT FALSE")
        return simplifier(inner if positive else negation(inner), unknown_as)
    if isinstance(inner, Call) and inner.function == "NOT" and test in _OF_NEGATION:
        return simplifier(replace(call, function=_OF_NEGATION[test], args=inner.args), "unknown")
    taken = {"IS TRUE": "false", "IS NOT FALSE": "true"}.get(test, "unknown")
    simplified = simplifier(inner, taken)
    if is_true(simplified) or is_false(simplified):
        return TRUE if is_true(simplified) == (test in ("IS TRUE", "IS NOT FALSE")) else FALSE
    if simplified is inner:
        return call
    if not simplified.type.nullable and test in ("IS TRUE", "IS NOT FALSE"):
        return simplified
    return replace(call, args=(simplified,))


@from_below
def _null_test(call: Call, simplifier: Simplifier, unknown_as: str) -> Expr:
    """Return a simplified IS NULL or IS NOT NULL.

    For a NOT NULL operand, the result is a literal. If the operand may fail, this holds only in a condition
    (`unknown_as` is not `unknown`): dropping the operand elsewhere would hide the error.
    """
    wanted = call.function == "IS NULL"
    inner = simplifier(call.args[0], "unknown")
    if not inner.type.nullable and (unknown_as != "unknown" or is_safe(inner)):
        return FALSE if wanted else TRUE
    if isinstance(inner, Literal):
        return TRUE if (inner.value is None) == wanted else FALSE
    if isinstance(inner, Call) and inner.function == "CAST" and is_lossless(inner.args[0].type, inner.type):
        return _null_test(replace(call, args=inner.args), simplifier, unknown_as)
    if isinstance(inner, Call) and inner.function in STRICT:
        terms = [_null_test(replace(call, args=(arg,)), simplifier, unknown_as) for arg in inner.args]
        return compose("OR" if wanted else "AND", terms)
    return call if inner == call.args[0] else replace(call, args=(inner,))


_RULES: dict[str, Rule] = {
    "AND": simplify_and,
    "OR": simplify_or,
    "NOT": simplify_not,
    "SEARCH": _search,
    "CASE": simplify_case,
    "CAST": simplify_cast,
    **dict.fromkeys(("CEIL", "FLOOR"), simplify_rounding),
    **dict.fromkeys(NEUTRAL, simplify_arithmetic),
    **dict.fromkeys(COMPARISONS, _comparison),
    **dict.fromkeys(NEGATED_TESTS, _is),
}


def simplify_once(condition: Expr) -> Expr:
    """Return a filter's condition after a single pass of simplification."""
    return Simplifier(_RULES, nulls_first=False)(condition, "false")


def simplify_condition(condition: Expr, nulls_first: bool = True) -> Expr:
    """Return a filter's condition, simplified until it is stable. UNKNOWN counts as FALSE.

    Args:
        condition: The condition.
        nulls_first: Whether `x IS NULL` moves to the front of an OR, as everywhere but in HAVING.
    """
    for _ in range(5):
        before, condition = condition, Simplifier(_RULES, nulls_first=nulls_first)(condition, "false")
        if condition == before:
            break
    return condition


def simplify_value(expr: Expr, predicates: Sequence[Expr] = ()) -> Expr:
    """Return a simplified expression of a projection. Its type stays, nullability included.

    Args:
        expr: The expression.
        predicates: Conditions that all rows of the projection's input satisfy.
    """
    simplified = Simplifier(_RULES, predicates)(expr, "unknown")
    return simplified if simplified.type == expr.type else Call("CAST", (simplified,), expr.type)
