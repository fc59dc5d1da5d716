"""By which unique keys a join keeps the rows of its inputs.

Flink: StreamPhysicalJoin.analyzeJoinInput. The inputs must be final, as a projection may drop a key.
"""

from __future__ import annotations

from dataclasses import replace

from firesteel.plan.nodes.join.physical import Join
from firesteel.plan.nodes.join.properties import upsert_keys_in_task
from firesteel.plan.tree import Node


def choose_join_state(node: Node) -> Node:
    """Apply to one node; its inputs are done already."""
    if not isinstance(node, Join):
        return node
    left, right = (
        tuple(sorted(tuple(sorted(key)) for key in upsert_keys_in_task(side))) for side in node.inputs
    )
    return replace(node, unique_keys=(left, right))
