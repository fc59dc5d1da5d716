"""PROCTIME() that is computed with, aggregated or put out is a plain timestamp: PROCTIME_MATERIALIZE.

Flink: RelTimeIndicatorConverter. A projection, a union or an exchange hands it on as it is.
"""

from __future__ import annotations

from dataclasses import replace

from firesteel.expr.nodes import Call, Expr
from firesteel.plan.expressions import identity
from firesteel.plan.physical import Calc, Exchange, GroupAggregate, Sink
from firesteel.plan.physical_windows import GroupWindowAggregate, WindowAggregate
from firesteel.plan.time_attributes import Positions, is_time, processing_times
from firesteel.plan.tree import Node


def materialize_processing_time(node: Node) -> Node:
    """Apply to one node; its inputs are done already."""
    if isinstance(node, Calc):
        return _computed(node)
    if isinstance(node, (GroupAggregate, WindowAggregate, GroupWindowAggregate)) and isinstance(
        node.input, Exchange
    ):
        below = node.input.input
        times = processing_times(below) & {*node.keys, *(i for c in node.calls for i in c.args)}
        return replace(node, input=replace(node.input, input=_materialized(below, times)))
    return node


def materialize_result(root: Node) -> Node:
    """The plan whose result has no processing time left; a sink takes timestamps."""
    if isinstance(root, Sink):
        return replace(root, input=materialize_result(root.input))
    return _materialized(root, processing_times(root))


def _computed(calc: Calc) -> Node:
    times = processing_times(calc.input)
    exprs = tuple(e if is_time(e, times, rowtime=False) else _with_timestamps(e, times) for e in calc.exprs)
    condition = None if calc.condition is None else _with_timestamps(calc.condition, times)
    return replace(calc, exprs=exprs, condition=condition)


def _with_timestamps(expr: Expr, times: Positions) -> Expr:
    if is_time(expr, times, rowtime=False):
        return _timestamp(expr)
    if not isinstance(expr, Call) or is_time(expr, times, rowtime=True):
        return expr
    return replace(expr, args=tuple(_with_timestamps(arg, times) for arg in expr.args))


def _materialized(node: Node, times: Positions) -> Node:
    """The node with these columns of its output as timestamps."""
    if not times:
        return node
    if isinstance(node, Calc):
        exprs = node.exprs
        return replace(node, exprs=tuple(_timestamp(e) if i in times else e for i, e in enumerate(exprs)))
    columns = identity(f.type for f in node.schema)
    made = tuple(_timestamp(e) if i in times else e for i, e in enumerate(columns))
    return Calc(node, made, tuple(f.name for f in node.schema))


def _timestamp(expr: Expr) -> Expr:
    return Call("PROCTIME_MATERIALIZE", (expr,), expr.type)
