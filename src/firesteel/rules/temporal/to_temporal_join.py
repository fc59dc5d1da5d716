"""Physical node of a temporal join (Flink: StreamPhysicalTemporalJoinRule, RelTimeIndicatorConverter).

The row time of the left input is the row time of the join. A projection above the join turns the row time of
the versions into a plain timestamp.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from firesteel.errors import ValidationError
from firesteel.functions.expression.nodes import Call
from firesteel.plan.expressions.operations import identity, substitute
from firesteel.plan.metadata import event_times
from firesteel.plan.nodes.join.logical import Join
from firesteel.plan.nodes.physical import Calc, Exchange
from firesteel.plan.nodes.temporal.physical import TemporalJoin
from firesteel.plan.tree import Node
from firesteel.rules.temporal.place import place_of_versions


def to_temporal_join(node: Join, to_physical: Callable[[Node], Node]) -> Node:
    """Return the physical node of a temporal join.

    Args:
        node: The join.
        to_physical: Makes the physical node of an input.

    Raises:
        ValidationError: The join is by processing time. Flink does not support it either.
    """
    found = TemporalJoin(node.inputs, node.join_type, node.condition)
    if found.temporal.right_time is None:
        raise ValidationError(
            "Processing-time temporal join is not supported yet.",
            range=place_of_versions(node),
            hint="join by row time, or with the table as it is: without FOR SYSTEM_TIME AS OF",
        )
    equal = found.equal_columns
    left, right = (
        Exchange(to_physical(side), columns)
        for side, columns in zip(node.inputs, (equal.left, equal.right), strict=True)
    )
    return _with_plain_times(replace(found, inputs=(left, right)))


def _with_plain_times(join: TemporalJoin) -> Node:
    width = join.left_width
    times = {width + i for i in event_times(join.inputs[1])}
    if not times:
        return join
    columns = identity(field.type for field in join.schema)
    exprs = tuple(
        Call("CAST", (expr,), expr.type, ("TIMESTAMP",)) if i in times else expr
        for i, expr in enumerate(columns)
    )
    return Calc(join, exprs, tuple(field.name for field in join.schema))


def merge_plain_times(node: Node) -> Node:
    """Merge the projections above a temporal join into one. Other nodes stay as they are."""
    if not isinstance(node, Calc) or not isinstance(node.input, Calc):
        return node
    below = node.input
    if not isinstance(below.input, TemporalJoin) or below.condition is not None:
        return node
    condition = None if node.condition is None else substitute(node.condition, below.exprs)
    exprs = tuple(substitute(expr, below.exprs) for expr in node.exprs)
    return replace(node, input=below.input, exprs=exprs, condition=condition)
