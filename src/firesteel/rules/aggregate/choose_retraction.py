"""Choose the aggregate calls that must retract rows.

If the input retracts rows, these are all calls except MAX over a column that only grows and MIN over a column
that only falls. In aggregates of windows, no call is excepted.

Flink: AggregateUtil.deriveAggCallNeedRetractions.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from firesteel.errors import ValidationError
from firesteel.functions.expression.nodes import AggregateCall
from firesteel.plan.metadata import kinds_sent, monotonicity
from firesteel.plan.nodes.physical import GroupAggregate
from firesteel.plan.nodes.window.physical import WindowAggregate
from firesteel.plan.properties.changelog_modes import INSERTS
from firesteel.plan.tree import Node


def choose_retraction(node: Node) -> Node:
    """Set `retract` of an aggregate. Other nodes stay as they are.

    Raises:
        ValidationError: The input retracts rows, and a user-defined function has no method `retract`. Or a
            SUM(DISTINCT) over HOP windows has an insert-only input, which Flink refuses, too.
    """
    if not isinstance(node, (GroupAggregate, WindowAggregate)):
        return node
    retracts = kinds_sent(node.input) != INSERTS
    if retracts:
        _check_users(node.calls, node.input)
    if isinstance(node, WindowAggregate):
        _check_sums(node, retracts)
        return replace(node, retract=(retracts,) * len(node.calls))
    if not retracts:
        return replace(node, retract=(False,) * len(node.calls))
    known = monotonicity(node)
    results = known[len(node.keys) :] if known else [None] * len(node.calls)
    kept = {("MAX", "increasing"), ("MIN", "decreasing")}
    return replace(
        node,
        retract=tuple((c.function, r) not in kept for c, r in zip(node.calls, results, strict=True)),
    )


def _check_sums(node: WindowAggregate, retracts: bool) -> None:
    """Raise ValidationError for SUM(DISTINCT) of hopping windows over an insert-only input, as Flink does."""
    if retracts or node.windowing.window.function != "HOP":
        return
    for call in node.calls:
        if call.distinct and call.function == "SUM":
            raise ValidationError(
                "This function does not support retraction, Please choose SumWithRetractAggFunction.",
                range=call.range,
                hint="HOP takes no SUM(DISTINCT ..) of rows that are only inserted",
            )


def _check_users(calls: Sequence[AggregateCall], below: Node) -> None:
    """Raise ValidationError for a user-defined function without `retract`."""
    for call in calls:
        if call.user is not None and not call.user.retracts:
            types = ", ".join(str(below.schema[i].type.with_nullable(True)) for i in call.args)
            raise ValidationError(
                f"Could not find an implementation method 'retract' in class '{call.user.class_name}' for "
                f"function '{call.function}' that matches the following signature:\n"
                f"void retract({', '.join(filter(None, ['Acc', types]))})",
                range=call.range,
                hint="its input has updates or deletes: give the class a method retract",
            )
