"""Remove a join whose rows are those of one input, if only this input's columns are read.

    Project(l.v)  Join(LEFT, l.k = r.k)   ->   Project(l.v)  l     if r has at most one row for each k

Calcite: ProjectJoinRemoveRule. If the remaining input is a projection, it is merged with the projection
above. A join that becomes a MultiJoin stays.
"""

from __future__ import annotations

from dataclasses import replace

from firesteel.plan.expressions.operations import input_refs, renumber
from firesteel.plan.nodes.join.logical import Join
from firesteel.plan.nodes.join.pushdown import needed_side
from firesteel.plan.nodes.logical import Project


def remove_join(node: Project) -> Project:
    """Return the projection over the only input that a join below needs, or the same projection."""
    join = node.input
    if not isinstance(join, Join):
        return node
    read = tuple(dict.fromkeys(i for e in node.exprs for i in input_refs(e)))
    kept = needed_side(join, read)
    if kept is None:
        return node
    offset = join.left_width if kept else 0
    exprs = tuple(renumber(e, {i: i - offset for i in read}) for e in node.exprs)
    return replace(node, input=join.inputs[kept], exprs=exprs)
