"""Push a semi or anti join below an inner join if the estimated cost is lower then.

    Join(SEMI, l.k = s.k)  Join(l.k = r.k)      ->   Join(l.k = r.k)  Join(SEMI, l.k = s.k)
    :                      :- l    +- r              :                :- l     +- s
    +- s                                             +- r

The semi or anti join moves to the input whose columns it reads. Flink: FlinkSemiAntiJoinJoinTransposeRule, by
the costs of FlinkLogicalJoin: first the number of rows of both inputs, then the bytes.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from operator import mul

from firesteel.errors import NotSupportedError
from firesteel.functions.expression.nodes import InputRef
from firesteel.functions.expression.recursion import from_below
from firesteel.plan.estimates.rows import NotEstimated, row_count
from firesteel.plan.estimates.uniqueness import Columns
from firesteel.plan.expressions.cost import type_size
from firesteel.plan.expressions.operations import input_refs, renumber
from firesteel.plan.nodes.join.join_type import JoinType
from firesteel.plan.nodes.join.logical import Join
from firesteel.plan.nodes.join.temporal_condition import is_temporal
from firesteel.plan.nodes.logical import Project
from firesteel.plan.tree import Node

Cost = tuple[float, float]
"""Rows and bytes that joins read. Costs are compared by rows first, and with equal rows by bytes."""


@from_below
def transpose_semi_join(node: Node) -> Node:
    """Move a semi or anti join below the join under it if its cost is lower then."""
    if not isinstance(node, Join) or node.join_type.has_right_columns:
        return node
    below = node.inputs[0]
    if not isinstance(below, Project):
        return _transposed(node, frozenset(range(len(below.schema)))) or node
    if not all(isinstance(e, InputRef) for e in below.exprs):
        return node
    above = _transposed(
        _over_input(node, below), frozenset(e.index for e in below.exprs if isinstance(e, InputRef))
    )
    return node if above is None else Project(above, below.exprs, below.names)


def _over_input(node: Join, below: Project) -> Join:
    """Return a semi or anti join whose left input is the rows below a projection that only picks columns."""
    width = len(below.input.schema)
    position = {i: e.index for i, e in enumerate(below.exprs) if isinstance(e, InputRef)}
    position |= {node.left_width + i: width + i for i in range(len(node.inputs[1].schema))}
    condition = renumber(node.condition, position)
    return replace(node, inputs=(below.input, node.inputs[1]), condition=condition, names=())


def _transposed(node: Join, kept: Columns) -> Join | None:
    """Return the inner join below a semi or anti join, after the latter has moved to one of its inputs.

    Returns None if that is not possible, or not cheaper.

    Args:
        node: The semi or anti join.
        kept: Columns of its left input that are read.
    """
    below = node.inputs[0]
    if not isinstance(below, Join) or below.join_type is not JoinType.INNER or is_temporal(below):
        return None
    width = below.left_width
    read = {i for i in input_refs(node.condition) if i < node.left_width}
    if not read or len(read) == len(set(input_refs(node.condition))):
        return None
    if min(read) < width <= max(read):
        return None
    side = 0 if max(read) < width else 1
    pushed = _pushed(node, below, side)
    try:
        above, lower = _costs(node, pushed, side, kept)
    except (NotEstimated, NotSupportedError):
        return None
    if lower >= above:
        return None
    left, right = pushed.inputs
    moved = transpose_semi_join(pushed.inputs[side])
    return replace(pushed, inputs=(moved, right) if side == 0 else (left, moved))


def _costs(node: Join, pushed: Join, side: int, kept: Columns) -> tuple[Cost, Cost]:
    """Return the costs of a semi or anti join above and below an inner join.

    Args:
        node: The semi or anti join above the inner join.
        pushed: The inner join above the semi or anti join.
        side: Position of the semi or anti join among the inputs of `pushed`.
        kept: Columns of the inner join that are read above it.

    Raises:
        NotEstimated: The plan has a node or a condition without an estimate.
        NotSupportedError: A column has a type without a size.
    """
    inner, partners = node.inputs
    below = pushed.inputs[side]
    assert isinstance(inner, Join)
    assert isinstance(below, Join)
    left = range(inner.left_width)
    read = frozenset(i for i in left if i in kept or i in input_refs(inner.condition))
    above = [_cost(inner.inputs, left, ()), _cost(node.inputs, kept, range(len(partners.schema)))]
    pushed_left = read if side == 0 else left
    all_below = (range(len(each.schema)) for each in below.inputs)
    return _sum(above), _sum([_cost(pushed.inputs, pushed_left, ()), _cost(below.inputs, *all_below)])


def _cost(inputs: Sequence[Node], left: Iterable[int], right: Iterable[int]) -> Cost:
    """Return the rows that a join reads, and their bytes in columns `left` and `right` of the inputs.

    An input without such columns counts one byte a row. A semi or anti join without an estimate counts as
    all rows of its left input.
    """
    rows = [_most_rows(each) for each in inputs]
    sizes = [
        sum(type_size(each.schema[i].type) for i in columns) or 1.0
        for each, columns in zip(inputs, (left, right), strict=True)
    ]
    return sum(rows), sum(map(mul, rows, sizes))


def _most_rows(node: Node) -> float:
    """Return the estimated number of rows of a node.

    A semi or anti join without an estimate counts as all rows of its left input, an upper bound. So the plan
    with the semi join below the inner join may seem to cost too much, but never too little. Say that the
    inner join has inputs of l and r rows, and the semi join reads s rows:

        semi join above:   (l + r) + (rows of the inner join + s)
        semi join below:   (l + s) + (l for the semi join + r)

    The semi join moves below if the inner join has more than l rows. That is usual for an inner join without
    equalities, which has all pairs of rows.
    """
    try:
        return row_count(node)
    except NotEstimated:
        if not isinstance(node, Join) or node.join_type.has_right_columns:
            raise
        return _most_rows(node.inputs[0])


def _sum(costs: Sequence[Cost]) -> Cost:
    return sum(rows for rows, _ in costs), sum(size for _, size in costs)


def _pushed(node: Join, below: Join, side: int) -> Join:
    offset = below.left_width if side else 0
    columns = len(below.inputs[side].schema)
    position = {offset + i: i for i in range(columns)}
    position |= {node.left_width + i: columns + i for i in range(len(node.inputs[1].schema))}
    condition = renumber(node.condition, position)
    joined = Join((below.inputs[side], node.inputs[1]), node.join_type, condition, node.hints)
    inputs = (joined, below.inputs[1]) if side == 0 else (below.inputs[0], joined)
    return replace(below, inputs=inputs)
