"""Move projections above sorts, as for ORDER BY of columns that a projection passes on."""

from __future__ import annotations

from dataclasses import replace

from firesteel.functions.expression.nodes import InputRef
from firesteel.plan.nodes.logical import Aggregate, Filter, Project
from firesteel.plan.nodes.over.logical import Sort
from firesteel.plan.tree import Node


def sort_below_projects(node: Node) -> Node:
    """Move a projection above the sort over it, if it passes on the sort's columns unchanged.

    Without a limit it stays right above an aggregate. With a limit it stays above a filter, with which it is
    one Calc. Calcite: SortProjectTransposeRule.
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
