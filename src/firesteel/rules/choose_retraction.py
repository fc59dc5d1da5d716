"""Which aggregate calls must take rows back: those whose input retracts, save MIN and MAX that cannot fall.

Flink: AggregateUtil.deriveAggCallNeedRetractions.
"""

from __future__ import annotations

from dataclasses import replace

from firesteel.errors import ValidationError
from firesteel.plan.monotonicity import monotonicity
from firesteel.plan.physical import GroupAggregate
from firesteel.plan.physical_windows import WindowAggregate
from firesteel.plan.tree import Node
from firesteel.rules.modify_kinds import INSERTS, modify_kinds


def choose_retraction(node: Node) -> Node:
    """Set `retract` of one aggregate; its inputs are done already."""
    if isinstance(node, WindowAggregate):
        retracts = modify_kinds(node.input) != INSERTS
        _check_sums(node, retracts)
        return replace(node, retract=(retracts,) * len(node.calls))
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


def _check_sums(node: WindowAggregate, retracts: bool) -> None:
    """Raises ValidationError, as Flink does, where hopping windows would take values of a SUM back."""
    if retracts or node.windowing.window.function != "HOP":
        return
    for call in node.calls:
        if call.distinct and call.function == "SUM":
            raise ValidationError(
                "This function does not support retraction, Please choose SumWithRetractAggFunction.",
                range=call.range,
                hint="HOP takes no SUM(DISTINCT ..) of rows that are only inserted",
            )
