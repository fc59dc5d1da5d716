"""Columns with the type of a row time, as Flink's planner sees them when it checks a temporal join.

The greatest of some row times has their type, so Flink takes `MAX(ts)` for the time of a version or of a row.
When the job runs it is a plain timestamp, and the watermarks are those below the aggregate.
"""

from __future__ import annotations

from firesteel.plan.metadata import event_times
from firesteel.plan.nodes.logical import Aggregate, Filter, Project
from firesteel.plan.nodes.temporal.logical import Snapshot
from firesteel.plan.properties.time_attributes import Positions, is_time
from firesteel.plan.tree import Node

_OF_THE_TYPE_OF_THEIR_ARGUMENT = ("MAX", "MIN", "FIRST_VALUE", "LAST_VALUE")


def row_times(node: Node) -> Positions:
    """Return the positions of these columns.

    Args:
        node: An input of a temporal join, before other logical rules.
    """
    if isinstance(node, (Filter, Snapshot)):
        return row_times(node.input)
    if isinstance(node, Project):
        below = row_times(node.input)
        return frozenset(i for i, expr in enumerate(node.exprs) if is_time(expr, below, rowtime=True))
    if isinstance(node, Aggregate):
        below = row_times(node.input)
        values = [
            call.function in _OF_THE_TYPE_OF_THEIR_ARGUMENT and call.args[0] in below for call in node.calls
        ]
        return frozenset(i for i, is_one in enumerate([*(k in below for k in node.keys), *values]) if is_one)
    return event_times(node)
