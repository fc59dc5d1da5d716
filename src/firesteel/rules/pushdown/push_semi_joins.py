"""Push semi and anti joins below inner joins, and projections below both.

    Join(SEMI)  Project  Join  l, r   ->   Join  Project  Join(SEMI)  l, r

Flink: FlinkSemiAntiJoinJoinTransposeRule, FlinkProjectJoinTransposeRule.
"""

from __future__ import annotations

from dataclasses import replace

from firesteel.functions.expression.nodes import InputRef
from firesteel.plan.estimates.rows import NotEstimated, row_count
from firesteel.plan.expressions.operations import is_identity, renumber
from firesteel.plan.nodes.join.join_type import JoinType
from firesteel.plan.nodes.join.logical import Join
from firesteel.plan.nodes.logical import Project
from firesteel.plan.tree import Node, transform_up
from firesteel.rules.join.transpose_semi_join import transpose_semi_join
from firesteel.rules.normalize.merge_projects import merge_projects
from firesteel.rules.pushdown.push_projects import push_projects


def push_semi_joins(root: Node) -> Node:
    """Return the plan with each semi or anti join below inner joins, wherever this lowers its cost.

    If a join has moved, projections are pushed down, too.
    """
    moved = transform_up(root, transpose_semi_join)
    if moved is root:
        return root
    return transform_up(transform_up(push_projects(moved), _with_whole_right_rows), merge_projects)


def _with_whole_right_rows(node: Node) -> Node:
    """Move a projection above an inner join if it stands between this join and a semi or anti join below.

        Join(INNER)  l  Project  Join(SEMI)  r, s   ->   Project  Join(INNER)  l  Join(SEMI)  r, s

    A projection costs something for each of its rows. Below the inner join, it saves nothing: the cost of an
    inner join has the bytes of its left input, but only the number of rows of its right input.

    If a projection stands above the inner join, both become one, so the lower one always moves. Otherwise,
    it moves only if the inner join has fewer rows than its right input. Other nodes stay as they are.
    """
    if isinstance(node, Project) and not is_identity(node.exprs, len(node.input.schema)):
        whole = _whole(node.input)
        return node if whole is None else replace(node, input=whole)
    if not isinstance(node, Join) or not _has_fewer_rows_than_right(node):
        return node
    return _whole(node) or node


def _whole(node: Node) -> Node | None:
    """Return a projection above an inner join in place of one below it. The columns stay the same.

        Join(INNER)  l  Project  Join(SEMI)  r, s   ->   Project  Join(INNER)  l  Join(SEMI)  r, s

    None if the node is not an inner join whose right input is a projection of a semi or anti join. Also None
    if this projection does more than omit columns.
    """
    if not isinstance(node, Join) or node.join_type is not JoinType.INNER:
        return None
    left, right = node.inputs
    if not isinstance(right, Project) or not isinstance(right.input, Join):
        return None
    columns = [e.index for e in right.exprs if isinstance(e, InputRef)]
    if (
        right.input.join_type.has_right_columns
        or sorted(set(columns)) != columns
        or len(columns) < len(right.exprs)
    ):
        return None
    width = len(left.schema)
    position = {i: i for i in range(width)} | {width + i: width + old for i, old in enumerate(columns)}
    joined = replace(node, inputs=(left, right.input), condition=renumber(node.condition, position), names=())
    fields = joined.schema
    exprs = tuple(InputRef(i, fields[i].type) for i in position.values())
    return Project(joined, exprs, tuple(field.name for field in node.schema))


def _has_fewer_rows_than_right(node: Join) -> bool:
    """Return whether the result of a join is estimated to have fewer rows than its right input.

    If the rows cannot be estimated, return True for a join with an equality of columns (`l.k = r.k`) in its
    condition, and False for other joins.
    """
    try:
        return row_count(node) < row_count(node.inputs[1])
    except NotEstimated:
        return bool(node.equal_columns.left)
