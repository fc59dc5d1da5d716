"""NOT goes down to the IN lists of a WHERE (Calcite: SqlToRelConverter.pushDownNotForIn).

An IN list is bound as the OR of its `=`, which all have the text of the whole list as their place.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from firesteel.expr.deep import from_below
from firesteel.expr.nodes import Call, Expr
from firesteel.plan.expressions import logical_call, negation, walk


def is_list_item(call: Call) -> bool:
    """Whether an IN made the comparison: its text begins with the operand and ends after the literal."""
    left, right = call.args
    if call.range is None or left.range is None or right.range is None:
        return False
    return left.range.start == call.range.start and right.range.end < call.range.end


@from_below
def push_not_for_in(condition: Expr) -> Expr:
    """The condition with each NOT over what holds an IN list taken to the operands below it."""
    if not isinstance(condition, Call) or condition.function not in ("AND", "OR", "NOT"):
        return condition
    if not _has_list(condition) or _is_list(condition):
        return condition
    if condition.function != "NOT":
        return logical_call(condition.function, [push_not_for_in(e) for e in _operands(condition)])
    inner = condition.args[0]
    if not isinstance(inner, Call) or inner.function not in ("AND", "OR", "NOT") or _is_list(inner):
        return condition
    if inner.function == "NOT":
        return push_not_for_in(inner.args[0])
    other = "OR" if inner.function == "AND" else "AND"
    return logical_call(other, [push_not_for_in(negation(e)) for e in _operands(inner)])


def _is_item(expr: Expr) -> bool:
    return isinstance(expr, Call) and expr.function == "=" and is_list_item(expr)


def _has_list(expr: Expr) -> bool:
    return any(map(_is_item, walk(expr)))


def _is_list(expr: Call) -> bool:
    items: Sequence[Expr] = expr.args if expr.function == "OR" else (expr,)
    return all(map(_is_item, items)) and len({e.range for e in items}) == 1


def _operands(call: Call) -> list[Expr]:
    """The operands as they were written: what an IN list was made of is one of them."""
    found: list[Expr] = []
    for is_list, group in groupby(call.args, lambda e: e.range if _is_item(e) else None):
        terms = list(group)
        found += [logical_call("OR", terms)] if is_list and call.function == "OR" else terms
    return found
