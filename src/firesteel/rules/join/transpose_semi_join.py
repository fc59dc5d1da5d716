"""Push a semi or anti join over a join into the input whose columns it reads.

    Join(SEMI, l.k = s.k)  Join(l.k = r.k)      ->   Join(l.k = r.k)  Join(SEMI, l.k = s.k)
    :                      :- l    +- r              :                :- l     +- s
    +- s                                             +- r

Flink: FlinkSemiAntiJoinJoinTransposeRule, by cost. It pays if the join below has one partner for each row.
"""

from __future__ import annotations

from dataclasses import replace

from firesteel.functions.expression.recursion import from_below
from firesteel.plan.expressions.operations import input_refs, renumber
from firesteel.plan.metadata import unique_keys
from firesteel.plan.nodes.join.join_type import equal_columns
from firesteel.plan.nodes.join.logical import Join
from firesteel.plan.nodes.join.temporal_condition import is_temporal
from firesteel.plan.tree import Node


@from_below
def transpose_semi_join(node: Node) -> Node:
    """Move a semi or anti join below the join under it, if its cost is lower then."""
    if not isinstance(node, Join) or node.join_type.has_right_columns:
        return node
    below = node.inputs[0]
    if not isinstance(below, Join) or not below.join_type.has_right_columns or is_temporal(below):
        return node
    width = below.left_width
    whole = node.left_width
    if not _has_single_partners(below):
        return node
    read = {i for i in input_refs(node.condition) if i < whole}
    if not read:
        return node
    if max(read) < width and not below.join_type.pads_left:
        return _pushed(node, below, 0)
    if min(read) >= width and not below.join_type.pads_right:
        return _pushed(node, below, 1)
    return node


def _has_single_partners(join: Join) -> bool:
    """Return whether each row of an input has at most one partner."""
    equal = equal_columns(join.condition, join.left_width)
    pairs = zip(join.inputs, (equal.left, equal.right), strict=True)
    return any(key <= set(columns) for side, columns in pairs for key in unique_keys(side))


def _pushed(node: Join, below: Join, side: int) -> Node:
    offset = below.left_width if side else 0
    columns = len(below.inputs[side].schema)
    position = {offset + i: i for i in range(columns)}
    position |= {node.left_width + i: columns + i for i in range(len(node.inputs[1].schema))}
    condition = renumber(node.condition, position)
    joined = transpose_semi_join(Join((below.inputs[side], node.inputs[1]), node.join_type, condition))
    inputs = (joined, below.inputs[1]) if side == 0 else (below.inputs[0], joined)
    return replace(below, inputs=inputs)
