"""UNION is UNION ALL whose rows are grouped by all columns (Calcite: UnionToDistinctRule)."""

from __future__ import annotations

from firesteel.plan.logical import Aggregate, Union
from firesteel.plan.tree import Node


def union_to_distinct(node: Node) -> Node:
    """An aggregate without calls over the union of all rows."""
    if not isinstance(node, Union) or node.all:
        return node
    return Aggregate(Union(node.inputs), tuple(range(len(node.schema))), ())
