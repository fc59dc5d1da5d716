"""Whether columns of a logical plan's rows are unique, as Flink's cost model sees it.

Flink: FlinkRelMdColumnUniqueness. Its answer is True, False, or None for unknown: columns of a table without
a key are unknown. False and None lead to different estimates of a join's rows (plan/estimates/rows.py). The
cost model finds fewer unique columns than `unique_keys`, and answers only for columns that the caller names.
"""

from __future__ import annotations

from collections.abc import Iterable

from firesteel.functions.expression.nodes import InputRef
from firesteel.functions.expression.recursion import from_below
from firesteel.plan.metadata import unique_keys
from firesteel.plan.nodes.join.join_type import equal_columns
from firesteel.plan.nodes.join.logical import Join
from firesteel.plan.nodes.logical import Aggregate, Filter, Project, Scan, Union, WatermarkAssigner
from firesteel.plan.nodes.set_op.logical import Intersect, Minus
from firesteel.plan.tree import Node

Columns = frozenset[int]


def are_distinct(node: Node, columns: Columns) -> bool:
    """Return whether no two rows of a node share the values of some columns, as far as Flink finds out.

    True if the columns contain one of the node's `unique_keys`, and `are_unique` (Flink's cost model) returns
    True or None for them. `are_unique` may return False although the columns contain a key: for columns of
    both inputs of a join, it requires that each input is unique by its own columns alone.

    If the node's rows come from a WatermarkAssigner (`_reads_watermarks`), the result is always False.
    """
    if _reads_watermarks(node) or not any(key <= columns for key in unique_keys(node)):
        return False
    return are_unique(node, columns) is not False


@from_below
def _reads_watermarks(node: Node) -> bool:
    """Return whether a node is a WatermarkAssigner, or has one below it without an aggregate between.

    Between the two there may be projections, filters and joins. For a semi or anti join, only the left input
    counts. Flink finds no unique keys for rows of a WatermarkAssigner: it does not look at the nodes below.
    """
    if isinstance(node, (Project, Filter)):
        return _reads_watermarks(node.input)
    if isinstance(node, Join):
        inputs = node.inputs if node.join_type.has_right_columns else node.inputs[:1]
        return any(map(_reads_watermarks, inputs))
    return isinstance(node, WatermarkAssigner)


@from_below
def are_unique(node: Node, columns: Columns) -> bool | None:
    """Return whether no two rows share the values of these columns, None if nothing is known."""
    if isinstance(node, Scan):
        keys = unique_keys(node)
        return any(key <= columns for key in keys) if keys else None
    if isinstance(node, Project):
        return _of_project(node, columns)
    if isinstance(node, Filter):
        return are_unique(node.input, columns)
    if isinstance(node, Aggregate):
        return None if node.groups else columns >= frozenset(range(len(node.keys)))
    if isinstance(node, Join):
        return _of_join(node, columns)
    if isinstance(node, (Union, Intersect, Minus)):
        is_set = not isinstance(node, Union) and not node.all
        return is_set and len(columns) == len(node.schema)
    return None


def _of_project(node: Project, columns: Columns) -> bool | None:
    carried = frozenset(e.index for i in columns if isinstance(e := node.exprs[i], InputRef))
    return are_unique(node.input, carried) if carried else None


def _of_join(node: Join, columns: Columns) -> bool | None:
    """Return `are_unique` of a join: whether no two rows of its output share the values of these columns.

    A SEMI or ANTI join has the answer of its left input. For other joins:

    Columns of both inputs are unique if the columns of each input are unique in this input. Columns of only
    one input are unique if three things hold: they are unique in this input, each row of this input has at
    most one partner, and the join does not pad rows of the other input. (A padded row has NULL in these
    columns, and there may be several padded rows.)
    """
    if not node.join_type.has_right_columns:
        return are_unique(node.inputs[0], columns)
    if not columns:
        return False
    width = node.left_width
    of_left = frozenset(i for i in columns if i < width)
    of_right = frozenset(i - width for i in columns if i >= width)
    if of_left and of_right:
        return _both(are_unique(node.inputs[0], of_left), are_unique(node.inputs[1], of_right))
    equal = equal_columns(node.condition, width)
    if of_left:
        return not node.join_type.pads_left and _side(node, 0, of_left, equal.right)
    return not node.join_type.pads_right and _side(node, 1, of_right, equal.left)


def _side(node: Join, side: int, columns: Columns, partner: Iterable[int]) -> bool | None:
    return _both(
        are_unique(node.inputs[1 - side], frozenset(partner)), are_unique(node.inputs[side], columns)
    )


def _both(one: bool | None, other: bool | None) -> bool | None:
    return None if one is None or other is None else one and other
