"""CASE (Calcite: RexSimplify.simplifyCase)."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from firesteel.expr.nodes import Call, Expr
from firesteel.plan.expressions import TRUE, is_false, is_true, logical_call, negation
from firesteel.types.sql import TypeRoot

if TYPE_CHECKING:
    from firesteel.plan.simplify.expression import Simplifier

Branch = tuple[Expr, Expr]
"""A condition and its result."""


def simplify_case(call: Call, simplifier: Simplifier, unknown_as: str) -> Expr:
    """Drop branches that cannot be taken, join neighbours of one result, and make logic of booleans."""
    branches: list[Branch] = []
    given = [*zip(call.args[:-1:2], call.args[1:-1:2], strict=True), (TRUE, call.args[-1])]
    for condition, result in given:
        when = simplifier(condition, "false")
        if is_false(when):
            continue
        then = simplifier(result, unknown_as)
        if branches and branches[-1][1] == then:
            branches[-1] = (simplifier(logical_call("OR", [branches[-1][0], when]), "false"), then)
        else:
            branches.append((when, then))
        if is_true(branches[-1][0]):
            break
    if len(branches) == 1:
        return _retyped(branches[0][1], call)
    if call.type.root is TypeRoot.BOOLEAN and all(is_true(r) or is_false(r) for _, r in branches):
        return simplifier(_as_logic(branches), unknown_as)
    args = [part for branch in branches[:-1] for part in branch] + [branches[-1][1]]
    return call if tuple(args) == call.args else replace(call, args=tuple(args))


def _retyped(result: Expr, call: Call) -> Expr:
    if result.type.same_as(call.type) and (call.type.nullable or not result.type.nullable):
        return result
    return Call("CAST", (result,), call.type)


def _as_logic(branches: list[Branch]) -> Expr:
    """(p1 IS TRUE) OR (p2 IS TRUE AND NOT ...): the conditions whose results are TRUE."""
    terms: list[Expr] = []
    before: list[Expr] = []
    for condition, result in branches:
        test = condition
        if condition.type.nullable:
            test = Call("IS TRUE", (condition,), TRUE.type)
        if is_true(result):
            terms.append(logical_call("AND", [test, *map(negation, before)]))
        else:
            before.append(test)
    return logical_call("OR", terms)
