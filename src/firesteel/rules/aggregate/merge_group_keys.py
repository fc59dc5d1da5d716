"""Merge keys of an aggregate that are the same column.

    Aggregate(a, b)  Project(k AS a, k AS b)   ->   Project(k, k)  Aggregate(k)

Flink: FlinkAggregateProjectMergeRule. The projection that gives the column several names is dropped. A
projection above the aggregate repeats the key.
"""

from __future__ import annotations

from dataclasses import replace

from firesteel.functions.expression.nodes import InputRef
from firesteel.plan.expressions.operations import identity, input_refs, is_identity, substitute
from firesteel.plan.nodes.logical import Aggregate, Filter, Project
from firesteel.plan.tree import Node, unique_columns
from firesteel.rules.aggregate.prune_aggregate_calls import with_names
from firesteel.rules.aggregate.pull_up_constant_keys import moved_aggregate
from firesteel.rules.normalize.merge_projects import merge_projects


def merge_group_keys(node: Node) -> Node:
    """Merge equal keys of an aggregate, and add a projection above it that repeats the merged key.

    For a projection or a filter above such an added projection: a projection is merged with the added one, a
    filter moves below the added one. Other nodes stay as they are.
    """
    if isinstance(node, Aggregate):
        return _merged(node)
    below = node.children[0] if isinstance(node, (Filter, Project)) else None
    if not isinstance(below, Project) or not _picks_from_aggregate(below):
        return node
    if isinstance(node, Filter):
        return replace(below, input=Filter(below.input, substitute(node.condition, below.exprs)))
    merged = merge_projects(node)
    assert isinstance(merged, Project)
    return merged.input if is_identity(merged.exprs, len(merged.input.schema)) else merged


def _picks_from_aggregate(node: Project) -> bool:
    source = node.input.input if isinstance(node.input, Filter) else node.input
    return isinstance(source, Aggregate) and all(isinstance(e, InputRef) for e in node.exprs)


def _merged(node: Aggregate) -> Node:
    if not isinstance(node.input, Project) or node.groups:
        return node
    columns = [e.index for e in node.input.exprs if isinstance(e, InputRef)]
    if len(columns) != len(node.input.exprs) or len({columns[k] for k in node.keys}) == len(node.keys):
        return node
    below, moved = _without_unread(node.input.input, set(columns))
    position = {i: moved[column] for i, column in enumerate(columns)}
    places = sorted({position[k] for k in node.keys})
    first = {position[k]: k for k in reversed(node.keys)}
    merged = replace(_renamed(node, len(places)), keys=tuple(first[p] for p in places))
    return _each_as_often(moved_aggregate(merged, below, position), [position[k] for k in node.keys])


def _renamed(node: Aggregate, keys: int) -> Aggregate:
    """Return an aggregate whose calls have the names that they need when only `keys` keys remain.

    A call named `$f<position>` gets its new position. Other names stay.
    """
    named = with_names(node)
    places = enumerate(named.calls)
    names = [f"$f{keys + i}" if c.name == f"$f{len(node.keys) + i}" else c.name for i, c in places]
    calls = zip(named.calls, names, strict=True)
    return replace(named, calls=tuple(replace(call, name=name) for call, name in calls))


def _without_unread(node: Node, read: set[int]) -> tuple[Node, dict[int, int]]:
    """Return a filter below a new projection that drops unread columns. Return any other node as it is.

    A column counts as read if it is in `read` or the filter's condition reads it. If all columns are read,
    the filter stays without a projection.

    Returns:
        The projection or the node. Then the new position of each column that is left, by its old position.
    """
    width = len(node.schema)
    wanted = sorted(read | set(input_refs(node.condition))) if isinstance(node, Filter) else []
    if not isinstance(node, Filter) or len(wanted) == width:
        return node, {i: i for i in range(width)}
    fields = [node.schema[i] for i in wanted]
    exprs = tuple(InputRef(i, f.type) for i, f in zip(wanted, fields, strict=True))
    picked = Project(node, exprs, tuple(f.name for f in fields))
    return picked, {old: new for new, old in enumerate(wanted)}


def _each_as_often(merged: Aggregate, keys: list[int]) -> Project:
    """Return a projection over the aggregate with merged keys that has the columns of the original one.

    Args:
        merged: The aggregate with merged keys.
        keys: For each key of the original aggregate, the grouping column in `merged.keys` that equals it.
    """
    columns = identity(f.type for f in merged.schema)
    picked = [merged.keys.index(key) for key in keys] + list(range(len(merged.keys), len(columns)))
    names = unique_columns([merged.schema[i].name for i in picked])
    return Project(merged, tuple(columns[i] for i in picked), names)
