"""Drop the projection below an aggregate if that costs no more.

    Aggregate(SUM(v))  Project(v)  Scan(k, v)   ->   Aggregate(SUM(v))  Scan(k, v)

Calcite: AggregateProjectMergeRule. Flink decides by cost: FlinkLogicalAggregate costs the bytes of its input,
FlinkLogicalCalc its computations.
"""

from __future__ import annotations

from dataclasses import replace

from firesteel.functions.expression.nodes import InputRef
from firesteel.plan.expressions.cost import expression_size, is_computation, type_size
from firesteel.plan.expressions.operations import input_refs
from firesteel.plan.nodes.logical import Aggregate, Filter, Project
from firesteel.plan.tree import Node
from firesteel.rules.aggregate.prune_aggregate_calls import with_names
from firesteel.rules.aggregate.pull_up_constant_keys import moved_aggregate
from firesteel.rules.normalize.group_window_projects import restored


def drop_projection(node: Node) -> Node:
    """Drop the projection below an aggregate. Unread calls of the aggregate must have been removed before."""
    if not isinstance(node, Aggregate) or not isinstance(node.input, Project) or node.partial_final:
        return node
    project, kept = node.input, _kept(node.input)
    read = {*node.keys, *(i for call in node.calls for i in (*call.args, call.filter) if i is not None)}
    position = {i: kept.index(e.index) for i in read if isinstance(e := project.exprs[i], InputRef)}
    if len(set(position.values())) < len(read) or not _is_cheaper(project, kept, read=bool(read)):
        return node
    keys = tuple(sorted(node.keys, key=position.__getitem__))
    below = _picked(project.input, kept)
    moved = moved_aggregate(replace(with_names(node), keys=keys), below, position)
    return moved if keys == node.keys else restored(node, moved)


def _is_cheaper(project: Project, kept: list[int], *, read: bool) -> bool:
    """Return whether an aggregate without the projection below it is cheaper.

    True if the projection computes a column, which costs and which the aggregate does not read. True if the
    rows without the projection are narrower. If they are equally wide, True unless a filter is below the
    projection and the aggregate reads a column.

    Args:
        project: The projection.
        kept: Columns of its input that would remain.
        read: Whether the aggregate reads any column.
    """
    if any(map(is_computation, project.exprs)):
        return True
    sizes = tuple(type_size(field.type) for field in project.input.schema)
    projected = sum(expression_size(expr, sizes) for expr in project.exprs)
    below = sum(sizes[i] for i in kept)
    is_free = not read or not isinstance(project.input, Filter)
    return below < projected or (below == projected and is_free)


def _kept(project: Project) -> list[int]:
    """Return the columns that remain without the projection.

    If a filter is below the projection, only the columns that the filter or the projection reads remain.
    """
    below = project.input
    if not isinstance(below, Filter):
        return list(range(len(below.schema)))
    return sorted({i for expr in (*project.exprs, below.condition) for i in input_refs(expr)})


def _picked(node: Node, columns: list[int]) -> Node:
    fields = node.schema
    if len(columns) == len(fields):
        return node
    exprs = tuple(InputRef(i, fields[i].type) for i in columns)
    return Project(node, exprs, tuple(fields[i].name for i in columns))
