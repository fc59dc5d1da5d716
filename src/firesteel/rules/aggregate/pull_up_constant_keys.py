"""Remove constant group keys from an aggregate, and add them in a projection above it.

    Aggregate(k, c)  Project(k, 5 AS c)   ->   Project(k, 5 AS c)  Aggregate(k)

Calcite: AggregateProjectPullUpConstantsRule. One key always stays: an aggregate without keys would return a
row for an empty input.
"""

from __future__ import annotations

from dataclasses import replace

from firesteel.functions.expression.nodes import Expr, InputRef
from firesteel.plan.nodes.logical import Aggregate, Project
from firesteel.plan.tree import Node
from firesteel.rules.normalize.refuse_division import is_constant_column


def pull_up_constant_keys(node: Node) -> Node:
    """Remove the constant keys of an aggregate over a projection. Other nodes stay as they are."""
    if not isinstance(node, Aggregate) or len(node.keys) < 2 or not isinstance(node.input, Project):
        return node
    if node.groups:
        return node
    values = {k: e for k in node.keys if is_constant_column(e := node.input.exprs[k])}
    if not values:
        return node
    if len(values) == len(node.keys):
        values.pop(node.keys[0])
    kept = tuple(k for k in node.keys if k not in values)
    aggregate = _without_unread(replace(node, keys=kept))
    exprs: list[Expr] = []
    for position, key in enumerate(node.keys):
        if key in values:
            exprs.append(values[key])
        else:
            exprs.append(InputRef(kept.index(key), node.schema[position].type))
    results = node.schema[len(node.keys) :]
    exprs += [InputRef(len(kept) + i, f.type) for i, f in enumerate(results)]
    return Project(aggregate, tuple(exprs), tuple(f.name for f in node.schema))


def _without_unread(node: Aggregate) -> Aggregate:
    """Return the aggregate without the columns of the projection below that are no longer read."""
    below = node.input
    assert isinstance(below, Project)
    read = {*node.keys, *(i for c in node.calls for i in c.args)}
    read |= {c.filter for c in node.calls if c.filter is not None}
    columns = sorted(read)
    position = {old: new for new, old in enumerate(columns)}
    project = Project(
        below.input, tuple(below.exprs[i] for i in columns), tuple(below.names[i] for i in columns)
    )
    return moved_aggregate(node, project, position)


def moved_aggregate(node: Aggregate, below: Node, position: dict[int, int]) -> Aggregate:
    """Return the aggregate over another input, in which old column i is at `position[i]`."""
    calls = tuple(
        replace(
            call,
            args=tuple(position[i] for i in call.args),
            filter=None if call.filter is None else position[call.filter],
        )
        for call in node.calls
    )
    return replace(node, input=below, keys=tuple(position[k] for k in node.keys), calls=calls)
