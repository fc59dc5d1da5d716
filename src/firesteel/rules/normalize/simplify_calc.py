"""Simplify the condition of a Calc, and write equal expressions of the Calc in the same way.

    where a > 1, select 1 < a   ->   where a > 1, select a > 1

Calcite: RelBuilder.filter simplifies each condition that it builds. RexProgramBuilder registers the condition
and then the projections, and finds calls that are equal when mirrored (functions/expression/nodes.py).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal

from firesteel.functions.expression.nodes import Expr, Literal
from firesteel.plan.expressions.operations import rewrite
from firesteel.plan.nodes.physical import Calc
from firesteel.plan.simplify import simplify_once
from firesteel.plan.tree import Node


def simplify_calc(node: Node) -> Node:
    """Simplify a Calc. Other nodes stay as they are."""
    if not isinstance(node, Calc):
        return node
    first = _first_words()
    condition = None if node.condition is None else rewrite(simplify_once(node.condition), first)
    return replace(node, condition=condition, exprs=tuple(rewrite(e, first) for e in node.exprs))


def _first_words() -> Callable[[Expr], Expr]:
    """Return a function that maps each expression to the first equal one. 2.5 and 2.50 are not equal."""
    seen: dict[tuple[Expr, str], Expr] = {}
    return lambda expr: seen.setdefault((expr, _digits(expr)), expr)


def _digits(expr: Expr) -> str:
    value = expr.value if isinstance(expr, Literal) else None
    if isinstance(value, float):
        return str(Decimal(repr(value)).normalize())
    return str(value) if isinstance(value, Decimal) else ""
