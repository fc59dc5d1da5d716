"""Show the limit right above a scan to the source. The limit also stays (PushLimitIntoTableSourceScanRule).

    Sort(offset=2, fetch=3)  Scan(t)   ->   Sort(offset=2, fetch=3)  Scan(t, limit=5)

Flink's file source stops after that many messages. In Firesteel only the limit above has an effect, so that
later changes are read too.
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
