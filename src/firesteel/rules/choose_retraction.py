"""Which aggregate calls must take rows back: those whose input retracts, save MIN and MAX that cannot fall.

Flink: AggregateUtil.deriveAggCallNeedRetractions.
"""

from __future__ import annotations

from dataclasses import replace

from firesteel.plan.monotonicity import monotonicity
from firesteel.plan.physical import GroupAggregate
from firesteel.plan.physical_windows import WindowAggregate
from firesteel.plan.tree import Node
from firesteel.rules.modify_kinds import INSERTS, modify_kinds


def choose_retraction(node: Node) -> Node:
    """Set `retract` of one aggregate; its inputs are done already."""
    if isinstance(node, WindowAggregate):
        return replace(node, retract=(modify_kinds(node.input) != INSERTS,) * len(node.calls))
    if not isinstance(node, GroupAggregate):
        return node
    if modify_kinds(node.input) == INSERTS:
        return replace(node, retract=(False,) * len(node.calls))
    known = monotonicity(node)
    results = known[len(node.keys) :] if known else [None] * len(node.calls)
    kept = {("MAX", "increasing"), ("MIN", "decreasing")}
    return replace(
        node,
        retract=tuple((c.function, r) not in kept for c, r in zip(node.calls, results, strict=True)),
    )
