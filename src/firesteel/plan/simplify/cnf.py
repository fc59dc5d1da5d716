"""Conjunctive normal form of conditions (Flink: FlinkRexUtil.toCnf)."""

from __future__ import annotations

from collections.abc import Sequence

from firesteel.functions.expression.nodes import Call, Expr
from firesteel.plan.expressions.operations import FALSE, negation, operands, walk
from firesteel.plan.simplify.logic import compose


class _TooBig(Exception):
    """Error for a normal form that is too big: it has more than twice as many calls as the condition."""


def to_cnf(condition: Expr) -> Expr:
    """Return the conjunctive normal form of a condition, or the condition itself if the form is too big."""
    limit = 2 * _calls(condition)
    try:
        return _cnf(condition, limit)
    except _TooBig:
        return condition


def _calls(expr: Expr) -> int:
    return sum(isinstance(e, Call) for e in walk(expr))


def _checked(function: str, terms: Sequence[Expr], limit: int) -> Expr:
    found = compose(function, terms)
    if _calls(found) > limit:
        raise _TooBig
    return found


def _distributed(alternatives: list[list[Expr]], limit: int) -> Expr:
    """Return an OR of conjunctions as a conjunction of ORs.

        a OR b OR (c AND d)   ->   (a OR b OR c) AND (a OR b OR d)

    The conjunctions are taken from the last to the first. Neighbors that are a single term, such as `a` and
    `b`, are put in front of each OR in one step, in the order in which they are written.

    Args:
        alternatives: The terms of each conjunction: [[a], [b], [c, d]].
        limit: Number of calls above which _TooBig is raised.
    """
    found: list[Expr] = []
    singles: list[Expr] = []
    for terms in reversed(alternatives):
        if len(terms) == 1:
            singles.append(terms[0])
            continue
        found = _with_singles(singles, found)
        singles = []
        ends = found or [FALSE]
        combined = _checked("AND", [compose("OR", [h, t]) for h in terms for t in ends], limit)
        found = operands(combined, "AND")
    return _checked("AND", _with_singles(singles, found), limit)


def _with_singles(singles: list[Expr], found: list[Expr]) -> list[Expr]:
    if not singles:
        return found
    return [compose("OR", [*reversed(singles), t]) for t in found or [FALSE]]


def _cnf(expr: Expr, limit: int) -> Expr:
    if not isinstance(expr, Call):
        return expr
    if expr.function == "AND":
        return _checked("AND", [_cnf(term, limit) for term in operands(expr, "AND")], limit)
    if expr.function == "OR":
        return _distributed([operands(_cnf(term, limit), "AND") for term in operands(expr, "OR")], limit)
    inner = expr.args[0] if expr.function == "NOT" else None
    if isinstance(inner, Call) and inner.function == "NOT":
        return _cnf(inner.args[0], limit)
    if isinstance(inner, Call) and inner.function in ("AND", "OR"):
        opposite = "OR" if inner.function == "AND" else "AND"
        return _cnf(compose(opposite, [negation(arg) for arg in operands(inner, inner.function)]), limit)
    return expr
