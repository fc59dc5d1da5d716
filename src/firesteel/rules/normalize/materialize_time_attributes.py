"""Turn a time attribute into a plain timestamp where it is computed with, grouped by, aggregated or output.

Flink: RelTimeIndicatorConverter. A projection, a union or an exchange passes the attribute on. An event time
is cast to its own type; PROCTIME() is read by PROCTIME_MATERIALIZE.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from firesteel.functions.expression.nodes import Call, Expr
from firesteel.functions.expression.recursion import from_below
from firesteel.plan.expressions.operations import identity
from firesteel.plan.metadata import event_times, processing_times, values_read
from firesteel.plan.nodes.physical import Calc, Exchange, Sink, Values
from firesteel.plan.properties.time_attributes import Positions, is_time
from firesteel.plan.tree import Node


def materialize_event_time(node: Node) -> Node:
    """Cast the event times that a node reads to plain timestamps."""
    return _EVENT_TIME.materialize(node)


def materialize_processing_time(node: Node) -> Node:
    """Replace the processing times that a node reads by PROCTIME_MATERIALIZE."""
    return _PROCESSING_TIME.materialize(node)


def materialize_result(root: Node) -> Node:
    """Return the plan with the processing times of its result as timestamps, as a sink cannot take them."""
    if isinstance(root, Sink):
        return replace(root, input=materialize_result(root.input))
    if isinstance(root, Values):  # no rows: there is nothing to convert
        return root
    return _PROCESSING_TIME.columns(root, processing_times(root))


@dataclass(frozen=True)
class _Attribute:
    """Kind of time attribute: event time or processing time.

    `function` is the function that makes a timestamp of the attribute.
    """

    rowtime: bool
    positions: Callable[[Node], Positions]
    function: str

    def materialize(self, node: Node) -> Node:
        if isinstance(node, Calc):
            return self._computed(node)
        if isinstance(node, Sink):
            return node
        inputs = zip(node.children, values_read(node), strict=True)
        return node.with_children(tuple(self._as_read(child, read) for child, read in inputs))

    def _as_read(self, node: Node, read: Positions) -> Node:
        """Return an input in which time attributes among the read columns are plain timestamps.

        If the input is an exchange, they are converted below it.
        """
        if isinstance(node, Exchange):
            return node.with_children((self._as_read(node.input, read),))
        return self.columns(node, self.positions(node) & read)

    def columns(self, node: Node, times: Positions) -> Node:
        """Return the node with these columns of its output as timestamps."""
        if not times:
            return node
        if isinstance(node, Calc):
            return replace(node, exprs=self._replaced(node.exprs, times))
        exprs = self._replaced(identity(f.type for f in node.schema), times)
        return Calc(node, exprs, tuple(f.name for f in node.schema))

    def _computed(self, calc: Calc) -> Node:
        times = self.positions(calc.input)
        exprs = (e if is_time(e, times, self.rowtime) else self._read(e, times) for e in calc.exprs)
        condition = None if calc.condition is None else self._read(calc.condition, times)
        return replace(calc, exprs=tuple(exprs), condition=condition)

    def _read(self, expr: Expr, times: Positions) -> Expr:
        return _read(expr, self, times)

    def read(self, expr: Expr, times: Positions) -> Expr:
        if is_time(expr, times, self.rowtime):
            return self._timestamp(expr)
        if not isinstance(expr, Call) or is_time(expr, times, not self.rowtime):
            return expr
        if expr.options == ("TIMESTAMP",) and is_time(expr.args[0], times, self.rowtime):
            return self._timestamp(expr.args[0])
        return expr.with_args(tuple(self._read(arg, times) for arg in expr.args))

    def _replaced(self, exprs: tuple[Expr, ...], times: Positions) -> tuple[Expr, ...]:
        return tuple(self._timestamp(e) if i in times else e for i, e in enumerate(exprs))

    def _timestamp(self, expr: Expr) -> Expr:
        return Call(self.function, (expr,), expr.type)


@from_below
def _read(expr: Expr, attribute: _Attribute, times: Positions) -> Expr:
    return attribute.read(expr, times)


_EVENT_TIME = _Attribute(rowtime=True, positions=event_times, function="CAST")
_PROCESSING_TIME = _Attribute(rowtime=False, positions=processing_times, function="PROCTIME_MATERIALIZE")
