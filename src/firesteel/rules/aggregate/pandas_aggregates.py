"""Where aggregate functions of the user's over pandas are refused: streaming has them in OVER, and in TUMBLE
and HOP of GROUP BY. Flink: StreamPhysicalPythonGroupAggregateRule and its like for GROUP BY's windows.
"""

from __future__ import annotations

from firesteel.errors import FiresteelError, NotSupportedError, ValidationError
from firesteel.functions.expression.nodes import AggregateCall
from firesteel.plan.nodes.over.physical import OverAggregate
from firesteel.plan.nodes.physical import GroupAggregate
from firesteel.plan.nodes.window.physical import GroupWindowAggregate, WindowAggregate
from firesteel.plan.tree import Node

MIXED = "Python UDAF and Java/Scala UDAF cannot be used together."
"""With OVER; in a window of GROUP BY Flink's planner fails without words."""


def is_pandas(call: AggregateCall) -> bool:
    """Whether the call is of a function over pandas."""
    return call.user is not None and call.user.function.is_pandas


def check_pandas_aggregates(node: Node) -> Node:
    """Apply to one node. Raises ValidationError, in Flink's words, where Flink refuses a call, and
    NotSupportedError for what it takes and does not do."""
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
    """Flink gives the function all rows of the window, and fails where it has no arguments."""
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
