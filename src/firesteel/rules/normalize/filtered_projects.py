"""Give the columns of a projection above a filter the order that they have in the filter.

Calcite's ProjectFilterTransposeRule adds a projection below the filter. It keeps the columns that the filter
or the projection above the filter reads. If the projection above picks all columns that the filter reads,
both projections have the same columns, and the one above only changes their order. An aggregate over it does
not need this change.
"""

from __future__ import annotations

from dataclasses import replace

from firesteel.functions.expression.nodes import InputRef
from firesteel.plan.expressions.operations import input_refs
from firesteel.plan.nodes.logical import Filter, Project, Scan, WatermarkAssigner
from firesteel.plan.nodes.window.logical import WindowTableFunction
from firesteel.plan.tree import Node


def in_input_order(project: Project) -> tuple[Project, dict[int, int]] | None:
    """Return a projection with the order and the names of its input, and the new position of each column.

    None if the projection computes anything, or if it is not above a filter over a window function or over
    rows with watermarks.
    """
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
    """Return whether a node is a WatermarkAssigner over a whole table, or over columns computed from one."""
    if not isinstance(node, WatermarkAssigner):
        return False
    computed = node.input
    if not isinstance(computed, Project):
        return True
    return isinstance(computed.input, Scan) and computed.input.project is None
