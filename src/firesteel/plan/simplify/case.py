"""Simplification of CASE (Calcite: RexSimplify.simplifyCase)."""

from __future__ import annotations

from dataclasses import replace

from firesteel.functions.expression.nodes import MIRRORED, Call, Expr
from firesteel.functions.expression.recursion import from_below
from firesteel.plan.expressions.operations import TRUE, is_false, is_true, logical_call, negation, operands
from firesteel.plan.simplify.logic import NEGATED_TESTS, compose
from firesteel.plan.simplify.simplifier import Simplifier
from firesteel.types.sql import TypeRoot

Branch = tuple[Expr, Expr]
"""Condition of a CASE's branch, and its result."""
_SAFE = frozenset([*MIRRORED, *NEGATED_TESTS, "-", "NOT", "CASE", "LIKE", "SEARCH", "TRIM"])
"""Functions that cannot fail (Calcite: RexSimplify.SafeRexVisitor)."""
_MOST_BRANCHES = 100
"""Greatest number of branches of a BOOLEAN CASE that becomes AND and OR (`_as_logic`).

Each branch then negates the conditions of all branches before it. So the size grows with the square of the
number.
"""


def simplify_case(call: Call, simplifier: Simplifier, unknown_as: str) -> Expr:
    """Return a CASE without impossible branches. Successive branches with equal results are merged.

    A BOOLEAN CASE becomes AND and OR if it has at most `_MOST_BRANCHES` branches, and if no condition or
    result can fail for the rows of other branches.
    """
    branches = _branches(call, simplifier, unknown_as)
    if len(branches) == 1:
        return _retyped(branches[0][1], call)
    if call.type.root is TypeRoot.BOOLEAN and len(branches) <= _MOST_BRANCHES and _is_safe_logic(branches):
        return _simplified(_as_logic(branches), call, simplifier, unknown_as)
    args = [part for branch in branches[:-1] for part in branch] + [branches[-1][1]]
    return call if tuple(args) == call.args else replace(call, args=tuple(args))


def _branches(call: Call, simplifier: Simplifier, unknown_as: str) -> list[Branch]:
    """Return the branches of a CASE that can be reached, simplified.

    A branch cannot be reached if its condition is FALSE, or after one with the condition TRUE. ELSE is a
    branch with the condition TRUE. Successive branches with equal results become one branch, whose condition
    is the OR of theirs.
    """
    runs: list[tuple[list[Expr], Expr]] = []
    given = [*zip(call.args[:-1:2], call.args[1:-1:2], strict=True), (TRUE, call.args[-1])]
    for condition, result in given:
        when = simplifier(condition, "false")
        if is_false(when):
            continue
        then = simplifier(result, unknown_as)
        if runs and runs[-1][1] == then:
            runs[-1][0].append(when)
        else:
            runs.append(([when], then))
        if is_true(when):
            break
    branches: list[Branch] = []
    for conditions, result in runs:
        joined = conditions[0] if len(conditions) == 1 else simplifier(_either(conditions), "false")
        branches.append((joined, result))
        if is_true(joined):
            break
    return branches


def _either(conditions: list[Expr]) -> Expr:
    return logical_call("OR", [part for condition in conditions for part in operands(condition, "OR")])


def _retyped(result: Expr, call: Call) -> Expr:
    if result.type.same_as(call.type) and (call.type.nullable or not result.type.nullable):
        return result
    return Call("CAST", (result,), call.type)


def _simplified(logic: Expr, call: Call, simplifier: Simplifier, unknown_as: str) -> Expr:
    """Return the AND and OR that replace a BOOLEAN CASE, simplified. They are NOT NULL if the CASE is.

    Args:
        logic: The AND and OR from `_as_logic`.
        call: The CASE. If it is NOT NULL and the result is nullable, the result is cast to NOT NULL.
        simplifier: The simplifier.
        unknown_as: Value that may replace an UNKNOWN result: `true`, `false` or `unknown`.
    """
    if call.type.nullable or not logic.type.nullable:
        return simplifier(logic, unknown_as)
    logic = simplifier(logic, "unknown")
    return Call("CAST", (logic,), call.type) if logic.type.nullable else logic


def _is_safe_logic(branches: list[Branch]) -> bool:
    """Return whether no condition or result can fail if it is computed for the rows of other branches."""
    return all(_is_safe(r) for _, r in branches) and all(_is_safe(c) for c, _ in branches[1:])


@from_below
def _is_safe(expr: Expr) -> bool:
    return not isinstance(expr, Call) or (expr.function in _SAFE and all(map(_is_safe, expr.args)))


def _is_true(condition: Expr) -> Expr:
    """Return a condition that is TRUE for the same rows as the given one, and otherwise FALSE, never NULL."""
    if not condition.type.nullable:
        return condition
    if isinstance(condition, Call) and condition.function == "NOT":
        return Call("IS FALSE", condition.args, TRUE.type)
    return Call("IS TRUE", (condition,), TRUE.type)


def _as_logic(branches: list[Branch]) -> Expr:
    """Return a BOOLEAN CASE as AND and OR: `(p1 IS TRUE AND x) OR (p2 IS TRUE AND y AND NOT p1) OR ...`."""
    constant = all(is_true(r) or is_false(r) for _, r in branches)
    terms: list[Expr] = []
    before: list[Expr] = []
    for condition, result in branches:
        test = _is_true(condition)
        if not is_false(result):
            value = () if is_true(result) else (result,)
            terms.append(compose("AND", [test, *value, *map(negation, before)]))
            if constant:
                continue
        before.append(test)
    return compose("OR", terms)
