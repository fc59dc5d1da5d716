"""Move a projection or a filter of the table of a lookup join below its Snapshot.

    Project  Snapshot  table   ->   Snapshot  Project  table

Flink: ProjectSnapshotTransposeRule.
"""

from __future__ import annotations

from firesteel.plan.nodes.logical import Filter, Project
from firesteel.plan.nodes.temporal.logical import Snapshot
from firesteel.plan.tree import Node


def lower_snapshots(node: Node) -> Node:
    """Move a projection or a filter below the Snapshot of a lookup join. Other nodes stay as they are."""
    if not isinstance(node, (Filter, Project)) or not isinstance(node.input, Snapshot):
        return node
    snapshot = node.input
    return snapshot.with_children((node.with_children((snapshot.input,)),)) if snapshot.lookup else node
