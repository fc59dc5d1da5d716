"""A projection above a filter, in the order of the columns below.

Calcite: ProjectFilterTransposeRule puts a projection to the columns that are read below the filter; where
the filter reads no others, the one above only reorders, and an aggregate does without it.
"""

from __future__ import annotations

from dataclasses import replace

from firesteel.functions.expression.nodes import InputRef
from firesteel.plan.expressions.operations import input_refs
from firesteel.plan.nodes.logical import Filter, Project, Scan, WatermarkAssigner
from firesteel.plan.nodes.window.logical import WindowTableFunction
from firesteel.plan.tree import Node


def in_input_order(project: Project) -> tuple[Project, dict[int, int]] | None:
    """The projection with its columns sorted and called as below, and where each of them now is; None where
    it computes anything, or is not over such a filter on a window function or on rows with watermarks."""
    condition = project.input
    if not isinstance(condition, Filter):
        return None
    if not isinstance(condition.input, WindowTableFunction) and not _has_watermarks(condition.input):
        return None
    columns = [e.index for e in project.exprs if isinstance(e, InputRef)]
    if len(set(columns)) != len(project.exprs) or not set(input_refs(condition.condition)) <= set(columns):
        return None
    order = sorted(columns)
    picked = [columns.index(column) for column in order]
    ordered = replace(
        project,
        exprs=tuple(project.exprs[i] for i in picked),
        names=tuple(condition.schema[column].name for column in order),
    )
    return ordered, {old: order.index(column) for old, column in enumerate(columns)}


def _has_watermarks(node: Node) -> bool:
    """Whether rows come right from a watermark; where columns are computed below it, over the whole table."""
    if not isinstance(node, WatermarkAssigner):
        return False
    computed = node.input
    if not isinstance(computed, Project):
        return True
    return isinstance(computed.input, Scan) and computed.input.project is None
