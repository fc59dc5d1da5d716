"""A limit right above a scan is shown to the source, and stays (PushLimitIntoTableSourceScanRule).

    Sort(offset=2, fetch=3)  Scan(t)   ->   Sort(offset=2, fetch=3)  Scan(t, limit=5)

Flink's file source stops after that many messages. Here the limit above alone counts, so changes that
come later are seen.
"""

from __future__ import annotations

from dataclasses import replace

from firesteel.plan.nodes.logical import Scan
from firesteel.plan.nodes.over.logical import Sort
from firesteel.plan.tree import Node


def push_limit(node: Node) -> Node:
    """Apply to one node; its inputs are done already."""
    if not isinstance(node, Sort) or node.keys or node.fetch is None or not isinstance(node.input, Scan):
        return node
    scan = node.input
    if scan.limit is not None or scan.table.traits is None or not scan.table.traits.pushes_limit:
        return node
    return replace(node, input=replace(scan, limit=node.offset + node.fetch))
