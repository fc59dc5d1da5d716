"""Rows that are only counted are taken as they come, where that costs no more than to project them first.

Calcite: AggregateProjectMergeRule, whose choice Flink makes by cost: FlinkLogicalAggregate takes the bytes of
its input, FlinkLogicalCalc what it computes.
"""

from __future__ import annotations

from dataclasses import replace

from firesteel.expr.nodes import InputRef
from firesteel.plan.expression_cost import expression_size, is_computation, type_size
from firesteel.plan.expressions import input_refs
from firesteel.plan.logical import Aggregate, Filter, Project
from firesteel.plan.tree import Node


def counts_rows(node: Aggregate) -> bool:
    """Whether it needs no column of its input."""
    return not node.keys and not any(call.args or call.filter is not None for call in node.calls)


def count_rows(node: Node) -> Node:
    """Apply to one aggregate."""
    if not isinstance(node, Aggregate) or not counts_rows(node) or not isinstance(node.input, Project):
        return node
    project = node.input
    sizes = tuple(type_size(field.type) for field in project.input.schema)
    projected = sum(expression_size(expr, sizes) for expr in project.exprs)
    kept = _kept(project)
    if any(map(is_computation, project.exprs)) or sum(sizes[i] for i in kept) <= projected:
        return replace(node, input=_picked(project.input, kept))
    return node


def _kept(project: Project) -> list[int]:
    """The columns below it that are left without it: a filter is given no others than those that are read."""
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
