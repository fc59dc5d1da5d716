"""Refuse pandas aggregate functions where Flink has none.

Streaming has them in OVER, and in TUMBLE and HOP of GROUP BY. Flink: StreamPhysicalPythonGroupAggregateRule
and the similar rule for windows in GROUP BY.
"""

from __future__ import annotations

from firesteel.errors import FiresteelError, NotSupportedError, ValidationError
from firesteel.functions.expression.nodes import AggregateCall
from firesteel.plan.nodes.over.physical import OverAggregate
from firesteel.plan.nodes.physical import GroupAggregate
from firesteel.plan.nodes.window.physical import GroupWindowAggregate, WindowAggregate
from firesteel.plan.tree import Node

MIXED = "Python UDAF and Java/Scala UDAF cannot be used together."
"""Error message for OVER with both pandas functions and other aggregate functions.

For such a window of GROUP BY, Flink's planner fails without a message.
"""


def is_pandas(call: AggregateCall) -> bool:
    """Return whether a call is of a pandas aggregate function."""
    return call.user is not None and call.user.function.is_pandas


def check_pandas_aggregates(node: Node) -> Node:
    """Check the pandas aggregate functions of one node, and return the node.

    Raises:
        ValidationError: Flink refuses the call.
        NotSupportedError: Flink accepts the call but ignores its DISTINCT or FILTER.
    """
    if not isinstance(node, (GroupAggregate, WindowAggregate, GroupWindowAggregate, OverAggregate)):
        return node
    for call in filter(is_pandas, node.calls):
        why = _refused(node)
        if why is not None:
            raise ValidationError(why, range=call.range)
        error = _call_error(call)
        if error is not None:
            raise error
    return node


def _refused(node: GroupAggregate | WindowAggregate | GroupWindowAggregate | OverAggregate) -> str | None:
    if isinstance(node, (GroupAggregate, WindowAggregate)):
        return "Pandas UDAFs are not supported in streaming mode currently."
    if isinstance(node, OverAggregate):
        return None
    if any(call.user is not None and not is_pandas(call) for call in node.calls):
        return "Pandas UDAFs and General Python UDAFs are not supported in used together currently."
    if node.window.function == "SESSION":
        return "Session Group Window is currently not supported for Pandas UDAF."
    if node.emit is not None:
        return (
            "Python Group Window Aggregate Function is currently not supported for early fired or lately "
            "fired."
        )
    return None if all(map(is_pandas, node.calls)) else MIXED


def _call_error(call: AggregateCall) -> FiresteelError | None:
    """Return the error for a call that Flink accepts but does not run correctly, None for other calls.

    Flink ignores DISTINCT and FILTER: the function gets all rows of the window. Without arguments, the call
    fails in Flink's job.
    """
    if call.distinct or call.filter is not None:
        word = "DISTINCT" if call.distinct else "FILTER"
        return NotSupportedError(
            f"{call.function} is a function over pandas: it cannot have {word}, which Flink leaves unread",
            range=call.range,
            hint="leave rows out in the function",
        )
    if not call.args:
        return ValidationError(
            f"{call.function} is a function over pandas: it needs an argument", range=call.range
        )
    return None
