"""Order the keys of a bundle as Flink's map does, if an aggregate above depends on the order of its rows.

Flink's operators send the keys of a bundle in the order of a Java HashMap. With one task, an aggregate above
gets the keys in this order. With several tasks, the order depends on which task sends first. Firesteel sends
all rows of such a bundle to one task. FIRST_VALUE above a split DISTINCT then has the result of Flink with
one task.
"""

from __future__ import annotations

from dataclasses import replace

from firesteel.functions.expression.recursion import from_below
from firesteel.functions.signatures.aggregate_traits import traits_of
from firesteel.plan.nodes.physical import (
    Exchange,
    GlobalGroupAggregate,
    GroupAggregate,
    IncrementalGroupAggregate,
    LocalGroupAggregate,
)
from firesteel.plan.tree import Node

_BUNDLED = (GroupAggregate, GlobalGroupAggregate, IncrementalGroupAggregate)


def keep_bundle_order(node: Node) -> Node:
    """Set `map_order` of the aggregates over bundles below an aggregate that depends on the order of rows."""
    if not isinstance(node, (GroupAggregate, LocalGroupAggregate, IncrementalGroupAggregate)):
        return node
    if not any(traits_of(call.function).by_order for call in node.calls):
        return node
    if isinstance(node, IncrementalGroupAggregate):
        return _in_map_order(node)
    return node.with_children(tuple(_in_map_order(child) for child in node.children))


@from_below
def _in_map_order(node: Node) -> Node:
    """Return the plan with its uppermost aggregate over bundles in map order.

    In map order, the aggregate sends the keys of a bundle in the order in which Flink's HashMap has them. So
    do its local and incremental phases, and the exchange below it sends all rows to one task. If the plan
    branches above, this holds for the uppermost aggregate of each branch.
    """
    if isinstance(node, LocalGroupAggregate):
        return replace(node, map_order=True)
    if not isinstance(node, _BUNDLED) or (isinstance(node, GroupAggregate) and not node.mini_batch):
        return node.with_children(tuple(_in_map_order(child) for child in node.children))
    below = node.input
    assert isinstance(below, Exchange)
    writer = below.input
    if isinstance(writer, (LocalGroupAggregate, IncrementalGroupAggregate)):
        writer = _in_map_order(writer)
    return replace(node, map_order=True, input=replace(below, input=writer, one_task=True))
