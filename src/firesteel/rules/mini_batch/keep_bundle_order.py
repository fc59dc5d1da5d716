"""A bundle whose results go to an aggregate of the order of its rows sends its keys on in the map's order.

Flink holds a bundle in a Java HashMap by key, and its operators go through it as it stands. With one task
that order is defined; with several it is chance which of them comes first, so one task works such a bundle
off here, whatever the parallelism, and FIRST_VALUE above a split DISTINCT is what Flink's one task answers.
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
    """Apply to one node; its inputs are done already."""
    if not isinstance(node, (GroupAggregate, LocalGroupAggregate, IncrementalGroupAggregate)):
        return node
    if not any(traits_of(call.function).by_order for call in node.calls):
        return node
    if isinstance(node, IncrementalGroupAggregate):
        return _in_map_order(node)
    return node.with_children(tuple(_in_map_order(child) for child in node.children))


@from_below
def _in_map_order(node: Node) -> Node:
    """The plan with its nearest bundles in order, all phases of them."""
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
