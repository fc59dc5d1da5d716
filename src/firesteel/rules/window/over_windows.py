"""Refuse OVER windows that Flink cannot run in streaming.

Flink: StreamExecOverAggregate, StreamExecPythonOverAggregate.
"""

from __future__ import annotations

from firesteel.errors import ValidationError
from firesteel.plan.expressions.over import CURRENT_ROW, UNBOUNDED_PRECEDING
from firesteel.plan.nodes.over.physical import OverAggregate
from firesteel.plan.tree import Node


def check_over_windows(node: Node) -> Node:
    """Check the windows of an OverAggregate, and return the node.

    Raises:
        ValidationError: Flink cannot run the window in streaming.
    """
    if not isinstance(node, OverAggregate):
        return node
    window = node.window
    why = None
    if len(window.order) != 1:
        why = "The window can only be ordered by a single time column."
    elif window.directions[0].descending:
        why = "The window can only be ordered in ASCENDING mode."
    elif any(call.user is not None for call in node.calls):
        why = _of_pandas(node)
    elif window.upper.side != CURRENT_ROW or not window.lower.side.endswith("PRECEDING"):
        why = "OVER RANGE FOLLOWING windows are not supported yet."
    elif node.time == "none" and not window.is_unbounded:
        why = "Non-time attribute sort is not supported for bounded OVER window."
    if why is not None:
        raise ValidationError(why, range=node.calls[0].range)
    return node


def _of_pandas(node: OverAggregate) -> str | None:
    """Return the reason for which pandas functions cannot run over a window, None if they can."""
    if node.time == "none":
        return "OVER windows' ordering in stream mode must be defined on a time attribute."
    if node.window.lower.side == UNBOUNDED_PRECEDING:
        return "Python UDAF is not supported to be used in UNBOUNDED PRECEDING OVER windows."
    if node.window.upper.side != CURRENT_ROW:
        return "Python UDAF is not supported to be used in UNBOUNDED FOLLOWING OVER windows."
    return None
