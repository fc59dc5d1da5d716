"""Calls that nobody reads are not made, and a projection that only reorders is taken into the aggregate.

Flink: PruneAggregateCallRule and FlinkAggregateProjectMergeRule. The columns that a dropped call read stay:
the scan was narrowed before.
"""

from __future__ import annotations

from dataclasses import replace

from firesteel.expr.nodes import InputRef
from firesteel.plan.expressions import input_refs, is_identity, renumber
from firesteel.plan.logical import Aggregate, Filter, Project
from firesteel.plan.tree import Node
from firesteel.rules.pull_up_constant_keys import moved_aggregate


def prune_aggregate_calls(node: Node) -> Node:
    """Apply to a projection over an aggregate, a filter between them or not."""
    if not isinstance(node, Project):
        return node
    condition = node.input if isinstance(node.input, Filter) else None
    aggregate = node.input if condition is None else condition.input
    if not isinstance(aggregate, Aggregate):
        return node
    exprs = [*node.exprs, *([condition.condition] if condition is not None else [])]
    read = {i for e in exprs for i in input_refs(e)}
    width = len(aggregate.keys)
    kept = [i for i in range(len(aggregate.calls)) if width + i in read]
    if len(kept) == len(aggregate.calls) or (not kept and not width):
        return node
    position = {i: i for i in range(width)} | {width + old: width + new for new, old in enumerate(kept)}
    pruned: Node = replace(aggregate, calls=tuple(aggregate.calls[i] for i in kept))
    if condition is not None:
        pruned = Filter(pruned, renumber(condition.condition, position))
    projected = tuple(renumber(e, position) for e in node.exprs)
    if is_identity(projected, len(pruned.schema)) and condition is None:
        return pruned
    return Project(pruned, projected, node.names)


def merge_aggregate_project(node: Node) -> Node:
    """Aggregate over a projection that gives every column of its input, in another order, without it."""
    if not isinstance(node, Aggregate) or not isinstance(node.input, Project):
        return node
    project = node.input
    columns = [e.index for e in project.exprs if isinstance(e, InputRef)]
    if len(columns) != len(project.exprs) or sorted(columns) != list(range(len(project.input.schema))):
        return node
    keys = [columns[k] for k in node.keys]
    if keys != sorted(keys):
        return node
    named = tuple(replace(c, name=f.name) for c, f in zip(node.calls, node.schema[len(keys) :], strict=True))
    moved = replace(node, calls=named)
    return moved_aggregate(moved, project.input, dict(enumerate(columns)))
