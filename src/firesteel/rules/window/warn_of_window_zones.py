"""Warn of windows that lose rows in the session's time zone, as they do in Flink.

A window aggregate buffers rows until a watermark at which it writes them to the state. For a zone without
daylight saving time, Flink computes this watermark in UTC (TimeWindowUtil.getNextTriggerWatermarkWithOffset).
If the zone's offset from UTC is no multiple of the window's length, this watermark comes hours after the
window has ended in the zone. Rows that are written to the state at this watermark are too late for their
window and are lost. Flink does not warn.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping

from firesteel.errors import FiresteelWarning
from firesteel.plan.nodes.window.physical import LocalWindowAggregate, WindowAggregate
from firesteel.plan.tree import Node
from firesteel.plan.windowing import duration_text
from firesteel.rules.mini_batch.mini_batch_options import parsed
from firesteel.types.sql import TypeRoot
from firesteel.types.zones import is_aligned, session_zone


def warn_of_window_zones(node: Node, configuration: Mapping[str, str]) -> Node:
    """Warn of a window aggregate that loses rows, and return the node."""
    if not isinstance(node, (WindowAggregate, LocalWindowAggregate)):
        return node
    windowing = node.windowing
    window, is_local = windowing.window, windowing.time_type.root is TypeRoot.TIMESTAMP_LTZ
    if not windowing.is_rowtime or not is_local or window.function == "SESSION":
        return node
    zone, length = (
        session_zone(parsed(configuration).get("table.local-time-zone")),
        window.step or window.size,
    )
    if not is_aligned(zone, length):
        warnings.warn(
            f"windows of {window.function} lose rows in the time zone {zone}, as in Flink: its offset from"
            f" UTC is no multiple of {duration_text(length)}, so only what a checkpoint has written before a"
            " window ends is sure to be in it. A row time of type TIMESTAMP(3) keeps all rows, and so do"
            " TUMBLE and HOP of GROUP BY.",
            FiresteelWarning,
            stacklevel=2,
        )
    return node
