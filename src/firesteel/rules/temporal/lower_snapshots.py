"""Move what is computed from the table of a lookup join below its Snapshot.

Flink: ProjectSnapshotTransposeRule.

Project  Snapshot  table   ->   Snapshot  Project  table
"""

from __future__ import annotations

from firesteel.plan.nodes.logical import Filter, Project
from firesteel.plan.nodes.temporal.logical import Snapshot
from firesteel.plan.tree import Node


def lower_snapshots(node: Node) -> Node:
    """Apply to one node; its inputs are done already."""
    if not isinstance(node, (Filter, Project)) or not isinstance(node.input, Snapshot):
        return node
    snapshot = node.input
    return snapshot.with_children((node.with_children((snapshot.input,)),)) if snapshot.lookup else node
