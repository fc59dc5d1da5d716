"""Columns that have one value in all rows, replaced by it (Calcite: ReduceExpressionsRule, RexReplacer).

A time attribute stays one: its value is cast to it. In a window of OVER a column by which rows are divided or
ordered is left alone unless it is read elsewhere, too; it never becomes a literal, which would order nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import partial

from firesteel.functions.expression.casting import as_type
from firesteel.functions.expression.nodes import Call, Expr, InputRef, Literal
from firesteel.functions.expression.recursion import from_below
from firesteel.plan.expressions.operations import rewrite
from firesteel.plan.expressions.over import contains_over, is_over, over_of
from firesteel.plan.metadata import event_times
from firesteel.plan.tree import Node
from firesteel.rules.normalize.fold_constants import computed
from firesteel.rules.normalize.merge_projects import NON_DETERMINISTIC

Known = Mapping[int, Expr]


def with_known_columns(exprs: Sequence[Expr], below: Node, known: Known) -> list[Expr]:
    """The expressions over the node. known: the value of each column that has but one."""
    value = partial(_constant, known=known, times=event_times(below))
    if not known or not any(map(contains_over, exprs)):
        return [rewrite(e, value) for e in exprs]
    found = {part for e in exprs for part in _constants(e, known)}

    @from_below
    def replaced(expr: Expr) -> Expr:
        if expr in found:
            return rewrite(expr, value)
        return expr.with_args(tuple(map(replaced, expr.args))) if isinstance(expr, Call) else expr

    return [replaced(e) for e in exprs]


def _constant(expr: Expr, known: Known, times: frozenset[int]) -> Expr:
    """A column's only value, as the column's type."""
    if not isinstance(expr, InputRef) or expr.index not in known:
        return expr
    value = as_type(known[expr.index], expr.type)
    if isinstance(value, Literal):
        value = computed(value)
    if expr.index in times:
        return Call("CAST", (value,), expr.type, ("ROWTIME",))
    return value if value.type == expr.type else Call("CAST", (value,), expr.type)


@from_below
def _constants(expr: Expr, known: Known) -> list[Expr]:
    """The greatest parts that have one value; of a window's own keys only calls."""
    if _is_known(expr, known):
        return [expr]
    if not isinstance(expr, Call):
        return []
    parts: Iterable[Expr] = expr.args
    if is_over(expr):
        over = over_of(expr)
        keys = (*over.frame.partition, *over.frame.order)
        parts = (*over.operands, *(key for key in keys if isinstance(key, Call)))
    return [found for part in parts for found in _constants(part, known)]


@from_below
def _is_known(expr: Expr, known: Known) -> bool:
    if isinstance(expr, InputRef):
        return expr.index in known
    if not isinstance(expr, Call) or is_over(expr) or expr.function in NON_DETERMINISTIC:
        return False
    columns = [arg for arg in expr.args if not isinstance(arg, Literal)]
    return bool(columns) and all(_is_known(arg, known) for arg in columns)
