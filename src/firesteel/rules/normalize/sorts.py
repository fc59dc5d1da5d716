"""Move projections from below sorts to above them.

    Sort(a)  Project(a, b + 1)   ->   Project(a, b + 1)  Sort(a)

Calcite: SortProjectTransposeRule.
"""

from __future__ import annotations

from dataclasses import replace

from firesteel.functions.expression.nodes import InputRef
from firesteel.plan.nodes.logical import Aggregate, Filter, Project
from firesteel.plan.nodes.over.logical import Sort
from firesteel.plan.tree import Node


def sort_below_projects(node: Node) -> Node:
    """Swap a sort and the projection below it, if the projection outputs the sort's columns unchanged.

    The projection stays below in two cases. The sort has no limit, and the projection is over an aggregate.
    Or the sort has a limit, and the projection is over a filter: then both become one Calc.
    """
    if not isinstance(node, Sort) or not isinstance(node.input, Project):
        return node
    project = node.input
    if isinstance(project.input, Aggregate if node.fetch is None else Filter):
        return node
    keys = [project.exprs[key] for key in node.keys]
    refs = tuple(key.index for key in keys if isinstance(key, InputRef))
    if len(refs) < len(keys):
        return node
    return replace(project, input=replace(node, input=project.input, keys=refs))
