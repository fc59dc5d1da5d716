"""Split an aggregate over bundles into two phases: a local one before the exchange, and a global one by key.

    GroupAggregate  Exchange(k)   ->   GlobalGroupAggregate  Exchange(k)  LocalGroupAggregate

Flink: TwoStageOptimizedAggregateRule. The rule runs after the changelog modes are known, and keeps them. The
local phase sends its accumulators as inserts only.
"""

from __future__ import annotations

from collections.abc import Mapping

from firesteel.changelog import INSERT_ONLY
from firesteel.functions.expression.nodes import AggregateCall
from firesteel.plan.nodes.accumulators import COUNT, is_mergeable, record_count
from firesteel.plan.nodes.physical import Exchange, GlobalGroupAggregate, GroupAggregate, LocalGroupAggregate
from firesteel.plan.tree import Node
from firesteel.rules.mini_batch.mini_batch_options import is_one_phase


def two_stage_aggregate(node: Node, configuration: Mapping[str, str]) -> Node:
    """Split an aggregate that processes bundles. Other nodes stay as they are."""
    if not isinstance(node, GroupAggregate) or not isinstance(node.input, Exchange):
        return node
    if not node.mini_batch or not all(map(is_mergeable, node.calls)) or is_one_phase(configuration):
        return node
    below, incoming = node.input.input, node.input.mode
    calls, retract = _with_record_count(node, incoming is not None and incoming.has_retraction)
    local = LocalGroupAggregate(below, node.keys, calls, retract, node.partial_final, mode=INSERT_ONLY)
    keys = tuple(range(len(node.keys)))
    exchange = Exchange(local, keys, mode=INSERT_ONLY)
    return GlobalGroupAggregate(
        exchange, keys, calls, retract, len(node.calls), node.partial_final, state_ttl=node.state_ttl,
        mode=node.mode,
    )  # fmt: skip


def _with_record_count(
    node: GroupAggregate, retracting: bool
) -> tuple[tuple[AggregateCall, ...], tuple[bool, ...]]:
    """Return the calls, and for each call whether it gets retractions.

    If the input retracts rows (`retracting`) and no call counts the records, COUNT(*) is added.
    """
    retract = node.retract or (False,) * len(node.calls)
    if not retracting or record_count(node.calls) is not None:
        return node.calls, retract
    return (*node.calls, AggregateCall("COUNT", (), COUNT, "")), (*retract, True)
