"""Warn of windows that lose rows in the session's time zone, as they do in Flink.

A window aggregate buffers rows, and writes them to its state when the watermark passes a certain time. For a
zone without daylight saving time, Flink computes this time by windows in UTC
(TimeWindowUtil.getNextTriggerWatermarkWithOffset). In the zone, a window ends at another time if the zone's
offset from UTC is no multiple of the window's length. The window may then end hours before its rows are
written to the state. Its result is sent without these rows, and they are lost. Flink does not warn.
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
