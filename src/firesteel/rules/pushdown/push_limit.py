"""Store the limit right above a scan in the scan. It also stays above (PushLimitIntoTableSourceScanRule).

    Sort(offset=2, fetch=3)  Scan(t)   ->   Sort(offset=2, fetch=3)  Scan(t, limit=5)

Plans show the scan's limit. With limit=5, Flink's file source stops after 5 messages. Firesteel's scan
ignores its limit and reads all messages, because a later message may change or delete one of the first 5
rows. Only the Sort above drops rows.
"""

from __future__ import annotations

from dataclasses import replace

from firesteel.plan.nodes.logical import Scan
from firesteel.plan.nodes.over.logical import Sort
from firesteel.plan.tree import Node


def push_limit(node: Node) -> Node:
    """Push the limit above a scan into the scan. Other nodes stay as they are."""
    if not isinstance(node, Sort) or node.keys or node.fetch is None or not isinstance(node.input, Scan):
        return node
    scan = node.input
    if scan.limit is not None or scan.table.traits is None or not scan.table.traits.pushes_limit:
        return node
    return replace(node, input=replace(scan, limit=node.offset + node.fetch))
