"""No rows in, no rows out (Calcite: PruneEmptyRules, AggregateValuesRule)."""

from __future__ import annotations

from dataclasses import replace

from firesteel.functions.expression.nodes import Literal
from firesteel.functions.signatures.aggregate_traits import traits_of
from firesteel.plan.expressions.operations import is_false
from firesteel.plan.metadata import time_attributes
from firesteel.plan.nodes.logical import Aggregate, Filter, Project, Union, Values
from firesteel.plan.nodes.over.logical import Sort
from firesteel.plan.tree import Node


def prune_empty(node: Node) -> Node:
    """Apply to one node; its inputs are done already."""
    if isinstance(node, Union):
        kept = tuple(child for child in node.inputs if not is_empty(child))
        if not kept:
            return without_rows(node)
        return kept[0] if len(kept) == 1 else replace(node, inputs=kept)
    if isinstance(node, (Project, Filter, Sort)) and is_empty(node.input):
        return without_rows(node)
    if isinstance(node, Filter) and is_false(node.condition):
        return without_rows(node)
    if isinstance(node, Aggregate) and is_empty(node.input):
        return _aggregate(node)
    return node


def without_rows(node: Node) -> Values:
    """What stands in a node's place where it gives no rows: its columns, with the times that they carry."""
    return Values(node.schema, (), *time_attributes(node))


def is_empty(node: Node) -> bool:
    """Whether it is known to have no rows."""
    return isinstance(node, Values) and not node.rows


def _aggregate(node: Aggregate) -> Node:
    """Groups of nothing are none; the one group of all rows counts 0 and knows nothing else."""
    if node.keys:
        return without_rows(node)
    row: list[Literal] = []
    for call, field in zip(node.calls, node.schema, strict=True):
        value = traits_of(call.function).of_nothing
        if value is None:
            return node
        row.append(Literal(0 if value == "0" else None, field.type))
    return Values(node.schema, (tuple(row),))
