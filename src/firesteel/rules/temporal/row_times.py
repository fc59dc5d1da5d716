"""Columns with the type of a row time, as Flink's planner sees them when it checks a temporal join.

MAX, MIN, FIRST_VALUE and LAST_VALUE of a row time have the type of a row time, and so has a row time plus an
interval. So Flink accepts `MAX(ts)` as the time of a version, and as the time of a row of the left input. At
run time such a column is a plain timestamp, and the watermarks are those of the rows below.
"""

from __future__ import annotations

from firesteel.functions.expression.nodes import Call, Expr
from firesteel.plan.metadata import event_times
from firesteel.plan.nodes.calc.properties import OF_ARGUMENT_TYPE
from firesteel.plan.nodes.logical import Aggregate, Filter, Project
from firesteel.plan.nodes.temporal.logical import Snapshot
from firesteel.plan.properties.time_attributes import Positions, is_time
from firesteel.plan.tree import Node

_OF_THE_TYPE_OF_THEIR_ARGUMENT = ("MAX", "MIN", "FIRST_VALUE", "LAST_VALUE")


def row_times(node: Node) -> Positions:
    """Return the positions of the columns with the type of a row time.

    Args:
        node: An input of a temporal join, before other logical rules.
    """
    if isinstance(node, (Filter, Snapshot)):
        return row_times(node.input)
    if isinstance(node, Project):
        below = row_times(node.input)
        return frozenset(i for i, expr in enumerate(node.exprs) if _is_one(expr, below))
    if isinstance(node, Aggregate):
        below = row_times(node.input)
        values = [
            call.function in _OF_THE_TYPE_OF_THEIR_ARGUMENT and call.args[0] in below for call in node.calls
        ]
        return frozenset(i for i, is_one in enumerate([*(k in below for k in node.keys), *values]) if is_one)
    return event_times(node)


def _is_one(expr: Expr, times: Positions) -> bool:
    """Return whether an expression has the type of a row time.

    Args:
        expr: The expression.
        times: Columns below that have this type.
    """
    if is_time(expr, times, rowtime=True):
        return True
    if not isinstance(expr, Call) or expr.function not in OF_ARGUMENT_TYPE or not expr.type.is_datetime:
        return False
    return all(arg.type.is_interval or _is_one(arg, times) for arg in expr.args)
