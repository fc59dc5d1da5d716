"""Check that windows are over a time attribute (Flink: WindowUtil.convertToWindowingStrategy).

A column may have been a time attribute when the query was bound, but no longer below the window: joins and
aggregates turn the times that they read into plain timestamps.
"""

from __future__ import annotations

from firesteel.errors import ValidationError
from firesteel.functions.signatures.type_names import calcite_name
from firesteel.plan.metadata import event_times, processing_times
from firesteel.plan.nodes.window.physical import WindowAggregate, WindowTableFunction
from firesteel.plan.tree import Node


def check_window_times(node: Node) -> Node:
    """Check the time column of a window, and return the node.

    Run this rule before other rules change the window's input, whose time attributes it looks up.

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
