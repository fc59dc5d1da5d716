"""Rewrite UNNEST as a call of a table function, and joins with table functions as Correlate.

Flink: LogicalUnnestRule, JoinTableFunctionScanToCorrelateRule.

    Uncollect  Project($cor0.tags)  one row   ->   TableFunctionScan($UNNEST_ROWS$1($cor0.tags))
"""

from __future__ import annotations

from firesteel.errors import InternalError
from firesteel.plan.expressions.operations import is_true
from firesteel.plan.nodes.correlate.collections import function_fields
from firesteel.plan.nodes.correlate.functions import UNNEST, UNNEST_WITH_ORDINALITY, table_call
from firesteel.plan.nodes.correlate.logical import Correlate, TableFunctionScan, Uncollect
from firesteel.plan.nodes.join.join_type import JoinType
from firesteel.plan.nodes.join.logical import Join
from firesteel.plan.nodes.logical import Project
from firesteel.plan.tree import Node


def unnest(node: Node) -> Node:
    """Replace an Uncollect by a call of `$UNNEST_ROWS$1`. Other nodes stay as they are."""
    if not isinstance(node, Uncollect):
        return node
    below = node.input
    if not isinstance(below, Project):
        raise InternalError(f"UNNEST reads a {type(below).__name__}")
    function = UNNEST_WITH_ORDINALITY if node.ordinality else UNNEST
    (collection,) = below.exprs
    fields = function_fields(collection.type, node.ordinality)
    return TableFunctionScan(table_call(function, collection), fields)


def correlate_calls(node: Node) -> Node:
    """Replace a cross join with a user-defined table function by a Correlate, which calls it for each row."""
    if not isinstance(node, Join) or node.join_type is not JoinType.INNER or not is_true(node.condition):
        return node
    scan = node.inputs[1]
    is_call = isinstance(scan, TableFunctionScan) and scan.call.user is not None
    return Correlate(node.inputs, node.join_type) if is_call else node
