"""A rowtime column that is computed with or grouped by is a plain timestamp from there on.

Flink: RelTimeIndicatorConverter. A projection that hands it on keeps it a time attribute.
"""

from __future__ import annotations

from dataclasses import replace

from firesteel.expr.nodes import Call, Expr
from firesteel.plan.expressions import identity
from firesteel.plan.physical import Calc, Exchange, GroupAggregate
from firesteel.plan.physical_windows import GroupWindowAggregate, WindowAggregate
from firesteel.plan.time_attributes import Positions, event_times, is_time
from firesteel.plan.tree import Node


def materialize_times(node: Node) -> Node:
    """Apply to one node; its inputs are done already."""
    if isinstance(node, Calc):
        return _calc(node, event_times(node.input))
    if isinstance(node, (GroupAggregate, WindowAggregate, GroupWindowAggregate)) and isinstance(
        node.input, Exchange
    ):
        below = node.input.input
        read = {*node.keys, *(i for c in node.calls for i in c.args)}
        times = event_times(below) & read
        if times:
            return replace(node, input=replace(node.input, input=_materialized(below, times)))
    return node


def _calc(calc: Calc, times: Positions) -> Node:
    if not times:
        return calc
    exprs = tuple(e if is_time(e, times, rowtime=True) else _as_timestamps(e, times) for e in calc.exprs)
    condition = None if calc.condition is None else _as_timestamps(calc.condition, times)
    return replace(calc, exprs=exprs, condition=condition)


def _as_timestamps(expr: Expr, times: Positions) -> Expr:
    if is_time(expr, times, rowtime=True):
        return _cast(expr)
    if not isinstance(expr, Call) or is_time(expr, times, rowtime=False):
        return expr
    return replace(expr, args=tuple(_as_timestamps(arg, times) for arg in expr.args))


def _materialized(node: Node, times: Positions) -> Node:
    """The node with these columns of its output as timestamps."""
    if isinstance(node, Calc):
        return replace(node, exprs=tuple(_cast(e) if i in times else e for i, e in enumerate(node.exprs)))
    columns = identity(f.type for f in node.schema)
    exprs = tuple(_cast(e) if i in times else e for i, e in enumerate(columns))
    return Calc(node, exprs, tuple(f.name for f in node.schema))


def _cast(expr: Expr) -> Expr:
    return Call("CAST", (expr,), expr.type)
