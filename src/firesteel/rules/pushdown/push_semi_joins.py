"""Push semi and anti joins below inner joins, and projections below both.

    Join(SEMI)  Project  Join  l, r   ->   Join  Project  Join(SEMI)  l, r

Flink: FlinkSemiAntiJoinJoinTransposeRule, FlinkProjectJoinTransposeRule.
"""

from __future__ import annotations

from dataclasses import replace

from firesteel.functions.expression.nodes import InputRef
from firesteel.plan.expressions.operations import renumber
from firesteel.plan.nodes.join.join_type import JoinType
from firesteel.plan.nodes.join.logical import Join
from firesteel.plan.nodes.logical import Project
from firesteel.plan.tree import Node, transform_up
from firesteel.rules.join.transpose_semi_join import transpose_semi_join
from firesteel.rules.normalize.merge_projects import merge_projects
from firesteel.rules.pushdown.push_projects import push_projects


def push_semi_joins(root: Node) -> Node:
    """Return the plan with its semi and anti joins where they cost least, and its projections pushed down."""
    moved = transform_up(root, transpose_semi_join)
    if moved is root:
        return root
    return transform_up(transform_up(push_projects(moved), _with_whole_right_rows), merge_projects)


def _with_whole_right_rows(node: Node) -> Node:
    """Return an inner join that reads all columns of a semi or anti join on its right.

    A projection between them would cost rows and save nothing: the cost of a join has the bytes of its left
    input only.
    """
    if not isinstance(node, Join) or node.join_type is not JoinType.INNER:
        return node
    left, right = node.inputs
    if not isinstance(right, Project) or not isinstance(right.input, Join):
        return node
    columns = [e.index for e in right.exprs if isinstance(e, InputRef)]
    if (
        right.input.join_type.has_right_columns
        or sorted(set(columns)) != columns
        or len(columns) < len(right.exprs)
    ):
        return node
    width = len(left.schema)
    position = {i: i for i in range(width)} | {width + i: width + old for i, old in enumerate(columns)}
    joined = replace(node, inputs=(left, right.input), condition=renumber(node.condition, position), names=())
    fields = joined.schema
    exprs = tuple(InputRef(i, fields[i].type) for i in position.values())
    return Project(joined, exprs, tuple(field.name for field in node.schema))
