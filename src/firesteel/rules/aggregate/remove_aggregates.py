"""Replace an aggregate whose groups have one row each by a projection (Flink: FlinkAggregateRemoveRule).

    Aggregate(k, MAX(v))  unique key k   ->   Project(k, v)

The grouping columns must contain a unique key of the input. For a single row, the result of each call must be
its argument, as for MAX and SUM, but not for COUNT. No call may have a FILTER.
"""

from __future__ import annotations

from firesteel.functions.expression.nodes import Expr, InputRef
from firesteel.functions.signatures.aggregate_traits import traits_of
from firesteel.plan.estimates.uniqueness import are_distinct
from firesteel.plan.expressions.operations import cast_to
from firesteel.plan.nodes.logical import Aggregate, Filter, Project
from firesteel.plan.tree import Node


def remove_aggregates(node: Node) -> Node:
    """Replace an aggregate of groups of one row by a projection. Other nodes stay as they are."""
    if not isinstance(node, Aggregate) or not node.keys or node.groups:
        return node
    keys = frozenset(node.keys)
    if not _has_one_row(node.input, keys) and not are_distinct(node.input, keys):
        return node
    if not all(
        traits_of(c.function).of_one_row and len(c.args) == 1 and c.filter is None for c in node.calls
    ):
        return node
    columns = node.input.schema
    if not node.calls and node.keys == tuple(range(len(columns))):
        return node.input
    exprs: list[Expr] = [InputRef(k, columns[k].type) for k in node.keys]
    exprs += [cast_to(InputRef(c.args[0], columns[c.args[0]].type), c.type) for c in node.calls]
    return Project(node.input, tuple(exprs), tuple(f.name for f in node.schema))


def _has_one_row(node: Node, columns: frozenset[int]) -> bool:
    """Return whether a node has one row at most, because it is an aggregate without keys.

    Projections and filters above the aggregate are passed over. As in Flink, the result is False if none of
    the columns comes from the aggregate (FlinkRelMdColumnUniqueness).

    Args:
        node: The node.
        columns: Positions of the columns for which the caller asks.
    """
    while isinstance(node, (Project, Filter)):
        if isinstance(node, Project):
            columns = frozenset(e.index for i in columns if isinstance(e := node.exprs[i], InputRef))
        node = node.input
    return bool(columns) and isinstance(node, Aggregate) and not node.keys and not node.groups
