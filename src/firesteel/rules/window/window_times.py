"""Windows are formed over a time attribute (Flink: WindowUtil.convertToWindowingStrategy).

A column may have been one when the query was bound, and none when it comes to the window: joins and
aggregates make plain timestamps of the times they work with.
"""

from __future__ import annotations

from firesteel.errors import ValidationError
from firesteel.functions.signatures.type_names import calcite_name
from firesteel.plan.metadata import event_times, processing_times
from firesteel.plan.nodes.window.physical import WindowAggregate, WindowTableFunction
from firesteel.plan.tree import Node


def check_window_times(node: Node) -> Node:
    """Apply to one node, while each node still tells its times.

    Raises:
        ValidationError: The column is a plain timestamp.
    """
    if not isinstance(node, (WindowAggregate, WindowTableFunction)):
        return node
    windowing = node.windowing
    time = windowing.column("time_col")
    times = event_times(node.input) if windowing.is_rowtime else processing_times(node.input)
    if time is None or time in times:
        return node
    raise ValidationError(
        "The window function requires the timecol is a time attribute type, but is "
        f"{calcite_name(windowing.time_type)}.",
        hint="a regular join or an aggregate below makes a plain timestamp of a time attribute",
    )
