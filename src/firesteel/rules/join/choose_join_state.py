"""By which unique keys a join keeps the rows of its inputs.

    orders (key id)      by customer      its rows by id
    customers (key id)   by id            one row
    visits (no key)      by customer      its different rows, each with a number

Flink: StreamPhysicalJoin.analyzeJoinInput. The inputs must be final, as a projection may drop a key. A
MultiJoin has the joins that it stands for keep rows in this way, too (job/lower/multi_join.py).
"""

from __future__ import annotations

from firesteel.plan.nodes.join.physical import Join
from firesteel.plan.nodes.join.properties import with_state_keys
from firesteel.plan.tree import Node


def choose_join_state(node: Node) -> Node:
    """Apply to one node; its inputs are done already."""
    return with_state_keys(node) if isinstance(node, Join) else node
