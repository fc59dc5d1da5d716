"""Merge the global phase of a partial aggregate and the local phase of the final aggregate above it.

    GlobalGroupAggregate(final)  Exchange  LocalGroupAggregate(final)  GlobalGroupAggregate(partial)
        ->  GlobalGroupAggregate(final)  Exchange  IncrementalGroupAggregate

Flink: IncrementalAggregateRule, with the option `table.optimizer.incremental-agg-enabled`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from firesteel.changelog import INSERT_ONLY
from firesteel.plan.nodes.accumulators import record_count
from firesteel.plan.nodes.physical import (
    Exchange,
    GlobalGroupAggregate,
    IncrementalGroupAggregate,
    LocalGroupAggregate,
)
from firesteel.plan.tree import Node
from firesteel.rules.mini_batch.mini_batch_options import parsed

INCREMENTAL = "table.optimizer.incremental-agg-enabled"


def incremental_aggregate(node: Node, configuration: Mapping[str, str]) -> Node:
    """Merge the two phases below a final global aggregate. Other nodes stay as they are."""
    if not isinstance(node, GlobalGroupAggregate) or node.partial_final != "FINAL":
        return node
    local = node.input.children[0]
    if not isinstance(local, LocalGroupAggregate) or local.partial_final != "FINAL":
        return node
    partial = local.input
    if not isinstance(partial, GlobalGroupAggregate) or partial.partial_final != "PARTIAL":
        return node
    if not parsed(configuration).get(INCREMENTAL):
        return node
    return _merged(node, local, partial)


def _merged(node: GlobalGroupAggregate, local: LocalGroupAggregate, partial: GlobalGroupAggregate) -> Node:
    keys = tuple(partial.keys[k] for k in local.keys)
    increments = IncrementalGroupAggregate(
        partial.input, partial.keys, keys, partial.calls, partial.retract, state_ttl=partial.state_ttl,
        mode=INSERT_ONLY,
    )  # fmt: skip
    exchange = Exchange(increments, node.keys, mode=INSERT_ONLY)
    if len(partial.calls) > partial.results:
        # To count records, the planner has added a COUNT(*) to both aggregates. That of the final one merges
        # the counts that the IncrementalGroupAggregate sends. So keep it, although no column shows it.
        return replace(node, input=exchange)
    return replace(
        node,
        input=exchange,
        calls=node.calls[: node.results],
        retract=partial.retract,
        index_of_count_star=record_count(partial.calls) if any(partial.retract) else None,
    )
