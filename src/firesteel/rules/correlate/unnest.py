"""UNNEST is the call of a table function (Flink: LogicalUnnestRule).

Uncollect  Project($cor0.tags)  one row   ->   TableFunctionScan($UNNEST_ROWS$1($cor0.tags))
"""

from __future__ import annotations

from firesteel.errors import InternalError
from firesteel.plan.nodes.correlate.collections import function_fields
from firesteel.plan.nodes.correlate.functions import UNNEST, UNNEST_WITH_ORDINALITY, table_call
from firesteel.plan.nodes.correlate.logical import TableFunctionScan, Uncollect
from firesteel.plan.nodes.logical import Project
from firesteel.plan.tree import Node


def unnest(node: Node) -> Node:
    """Apply to one node."""
    if not isinstance(node, Uncollect):
        return node
    below = node.input
    if not isinstance(below, Project):
        raise InternalError(f"UNNEST reads a {type(below).__name__}")
    function = UNNEST_WITH_ORDINALITY if node.ordinality else UNNEST
    (collection,) = below.exprs
    fields = function_fields(collection.type, node.ordinality)
    return TableFunctionScan(table_call(function, collection), fields)
