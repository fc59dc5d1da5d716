"""Remove aggregate calls that are not read, and projections that only reorder an aggregate's input.

    Project(k, s)  Aggregate(k, SUM(v) AS s, COUNT(*) AS n)   ->   Aggregate(k, SUM(v) AS s)

Flink: PruneAggregateCallRule and FlinkAggregateProjectMergeRule. The columns that a removed call reads stay,
because the scan was narrowed before.
"""

from __future__ import annotations

from dataclasses import replace

from firesteel.functions.expression.nodes import InputRef
from firesteel.plan.expressions.operations import input_refs, is_identity, renumber
from firesteel.plan.nodes.logical import Aggregate, Filter, Project
from firesteel.plan.nodes.window.logical import GroupWindowAggregate
from firesteel.plan.tree import Node
from firesteel.rules.aggregate.pull_up_constant_keys import moved_aggregate
from firesteel.rules.normalize.filtered_projects import in_input_order
from firesteel.rules.normalize.group_window_projects import (
    merge_group_window_project,
    reads_whole_table,
    restored,
)


def prune_aggregate_calls(node: Node) -> Node:
    """Remove unread calls of an aggregate below a projection, with or without a filter between them."""
    if not isinstance(node, Project):
        return node
    condition = node.input if isinstance(node.input, Filter) else None
    aggregate = node.input if condition is None else condition.input
    if not isinstance(aggregate, (Aggregate, GroupWindowAggregate)):
        return node
    exprs = [*node.exprs, *([condition.condition] if condition is not None else [])]
    read = {i for e in exprs for i in input_refs(e)}
    width = len(aggregate.keys)
    kept = [i for i in range(len(aggregate.calls)) if width + i in read]
    if not kept and not width:
        kept = [0]  # an aggregate must have a column
    if len(kept) == len(aggregate.calls):
        return node
    position = {i: i for i in range(width)} | {width + old: width + new for new, old in enumerate(kept)}
    dropped = len(aggregate.calls) - len(kept)
    position |= {i: i - dropped for i in range(width + len(aggregate.calls), len(aggregate.schema))}
    pruned: Node = replace(aggregate, calls=tuple(aggregate.calls[i] for i in kept))
    if condition is not None:
        pruned = Filter(pruned, renumber(condition.condition, position))
    projected = tuple(renumber(e, position) for e in node.exprs)
    if is_identity(projected, len(pruned.schema)) and condition is None:
        return pruned
    return Project(pruned, projected, node.names)


def merge_aggregate_project(node: Node) -> Node:
    """Drop the projection below an aggregate if it only reorders or repeats all columns of its input.

    Keys that are the same column must have been merged before (rules/aggregate/merge_group_keys.py).
    """
    if isinstance(node, GroupWindowAggregate):
        return merge_group_window_project(node)
    node = _in_input_order(node)
    if not isinstance(node, Aggregate) or not isinstance(node.input, Project):
        return node
    project = node.input
    read = {*node.keys, *(i for call in node.calls for i in (*call.args, call.filter) if i is not None)}
    position = {i: e.index for i, e in enumerate(project.exprs) if i in read and isinstance(e, InputRef)}
    if len(position) != len(read) or set(position.values()) != set(range(len(project.input.schema))):
        return node
    keys = tuple(sorted(node.keys, key=position.__getitem__))
    if keys == node.keys:
        return moved_aggregate(with_names(node), project.input, position)
    if not reads_whole_table(project.input) or node.partial_final is not None:
        return node
    return restored(node, moved_aggregate(replace(with_names(node), keys=keys), project.input, position))


def with_names(node: Aggregate) -> Aggregate:
    """Return an aggregate whose calls have the names of its columns."""
    outputs = node.schema[len(node.keys) :]
    return replace(
        node, calls=tuple(replace(c, name=f.name) for c, f in zip(node.calls, outputs, strict=True))
    )


def _in_input_order(node: Node) -> Node:
    """Return an aggregate over a projection that has its columns in the order of the projection's input.

        Aggregate  Project(c, a)  Filter(a, b, c)   ->   Aggregate  Project(a, c)  Filter(a, b, c)

    Only projections above a filter over a window function, or over rows with watermarks, are reordered
    (rules/normalize/filtered_projects.py). Any other node stays, and so does an aggregate whose keys would
    get positions that do not ascend.
    """
    if not isinstance(node, Aggregate) or not isinstance(node.input, Project):
        return node
    found = in_input_order(node.input)
    if found is None:
        return node
    ordered, position = found
    keys = [position[k] for k in node.keys]
    return moved_aggregate(node, ordered, position) if keys == sorted(keys) else node
