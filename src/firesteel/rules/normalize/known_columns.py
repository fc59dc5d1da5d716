"""Replace columns that have one value in all rows by that value.

    SELECT k, v FROM t WHERE k = 5   ->   SELECT 5, v FROM t WHERE k = 5

Calcite: ReduceExpressionsRule, RexReplacer. The value of a time attribute gets a cast, so that the column
stays a time attribute. OVER cannot be ordered by a literal: a column that only PARTITION BY or ORDER BY reads
stays. But if another expression reads it, too, it is replaced everywhere, also in OVER, as in RexReplacer.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import partial

from firesteel.functions.expression.casting import as_type
from firesteel.functions.expression.nodes import Call, Expr, InputRef, Literal
from firesteel.functions.expression.recursion import from_below
from firesteel.plan.expressions.determinism import VARIES_BY_CALL
from firesteel.plan.expressions.operations import rewrite
from firesteel.plan.expressions.over import contains_over, is_over, over_of
from firesteel.plan.metadata import event_times
from firesteel.plan.tree import Node
from firesteel.rules.normalize.fold_constants import computed

Known = Mapping[int, Expr]


def with_known_columns(exprs: Sequence[Expr], below: Node, known: Known) -> list[Expr]:
    """Return expressions with the known columns replaced.

    Args:
        exprs: The expressions.
        below: Their input.
        known: Value of each column that has one value in all rows.
    """
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
    """Return the known value of a column in the column's type. Other expressions stay.

    Args:
        expr: The expression.
        known: Value of each column that has one value in all rows.
        times: Event time columns. The value is cast to an event time, marked by the option ROWTIME.
    """
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
    """Return the largest subexpressions that read only columns with a known value.

    A column is left out where it stands alone in PARTITION BY or ORDER BY of OVER.
    """
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
    if not isinstance(expr, Call) or is_over(expr) or expr.function in VARIES_BY_CALL:
        return False
    columns = [arg for arg in expr.args if not isinstance(arg, Literal)]
    return bool(columns) and all(_is_known(arg, known) for arg in columns)
