"""Remove nodes that cannot have rows, because their input is empty.

    Filter(FALSE)  Scan   ->   Values()        UNION ALL of x and Values()   ->   x

Calcite: PruneEmptyRules, AggregateValuesRule.
"""

from __future__ import annotations

from dataclasses import replace

from firesteel.functions.expression.nodes import InputRef, Literal
from firesteel.functions.signatures.aggregate_traits import traits_of
from firesteel.plan.expressions.operations import cast_to, is_false
from firesteel.plan.metadata import time_attributes
from firesteel.plan.nodes.join.join_type import JoinType
from firesteel.plan.nodes.join.logical import Join
from firesteel.plan.nodes.logical import Aggregate, Filter, Project, Union, Values
from firesteel.plan.nodes.over.logical import Sort
from firesteel.plan.nodes.set_op.logical import Intersect, Minus
from firesteel.plan.nodes.temporal.logical import Snapshot
from firesteel.plan.tree import Node


def prune_empty(node: Node) -> Node:
    """Replace a node without rows by an empty Values, and a node with an empty input by a simpler one."""
    if isinstance(node, Union):
        kept = tuple(child for child in node.inputs if not is_empty(child))
        if not kept:
            return without_rows(node)
        return kept[0] if len(kept) == 1 else replace(node, inputs=kept)
    if isinstance(node, (Intersect, Minus)):
        return _set(node)
    if isinstance(node, Sort) and node.fetch == 0:
        return without_rows(node)
    if isinstance(node, (Project, Filter, Snapshot, Sort)) and is_empty(node.input):
        return without_rows(node)
    if isinstance(node, Join):
        return _join(node)
    if isinstance(node, Filter) and is_false(node.condition):
        return without_rows(node)
    if isinstance(node, Aggregate) and is_empty(node.input):
        return _aggregate(node)
    return node


def without_rows(node: Node) -> Values:
    """Return an empty Values with the columns and time attributes of a node."""
    return Values(node.schema, (), *time_attributes(node))


def is_empty(node: Node) -> bool:
    """Return whether a node is known to have no rows."""
    return isinstance(node, Values) and not node.rows


def _set(node: Intersect | Minus) -> Node:
    """Return a set operation without its empty inputs. EXCEPT an empty input is the left input."""
    left, right = map(is_empty, node.inputs)
    if left or (right and isinstance(node, Intersect)):
        return without_rows(node)
    if not right:
        return node
    kept = node.inputs[0]
    return kept if node.all else Aggregate(kept, tuple(range(len(kept.schema))), ())


def _join(node: Join) -> Node:
    """Return a join without its empty inputs: empty, or the rows of the side that has rows, padded."""
    left, right = map(is_empty, node.inputs)
    if not left and not right:
        return node
    if node.join_type is JoinType.ANTI and not left:
        return node.inputs[0]
    if (left and not node.join_type.pads_left) or (right and not node.join_type.pads_right):
        return without_rows(node)
    if left and right:
        return without_rows(node)
    return _padded(node, empty_left=left)


def _padded(node: Join, empty_left: bool) -> Node:
    """Return all rows of the side that has rows, padded with NULLs for the columns of the empty side."""
    kept = node.inputs[1 if empty_left else 0]
    width = node.left_width
    offset = width if empty_left else 0
    there = range(offset, offset + len(kept.schema))
    exprs = tuple(
        cast_to(InputRef(i - offset, kept.schema[i - offset].type), f.type)
        if i in there
        else Literal(None, f.type)
        for i, f in enumerate(node.schema)
    )
    return Project(kept, exprs, tuple(f.name for f in node.schema))


def _aggregate(node: Aggregate) -> Node:
    """Return the result over an empty input: no rows, or for an aggregate without keys one row.

    In this row, the results of COUNT and $SUM0 are 0, and the results of SUM, MIN and MAX are NULL. If an
    aggregate has another function, it stays.
    """
    if node.keys:
        return without_rows(node)
    row: list[Literal] = []
    for call, field in zip(node.calls, node.schema, strict=True):
        value = traits_of(call.function).of_nothing
        if value is None:
            return node
        row.append(Literal(0 if value == "0" else None, field.type))
    return Values(node.schema, (tuple(row),))
