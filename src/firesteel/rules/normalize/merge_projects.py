"""Merge two adjacent projections into one.

    Project(a + 1)  Project(b AS a)   ->   Project(b + 1)

Flink: FlinkProjectMergeRule.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from firesteel.functions.expression.nodes import Call, Expr, InputRef
from firesteel.plan.expressions.determinism import VARIES_BY_CALL
from firesteel.plan.expressions.operations import is_identity, substitute, walk
from firesteel.plan.expressions.over import contains_over
from firesteel.plan.nodes.logical import Project
from firesteel.plan.tree import Node


def is_mergeable(exprs: Sequence[Expr], below: Sequence[Expr]) -> bool:
    """Return whether a projection may read `below`'s expressions directly instead of their columns.

    False if a column is read more than once and its expression has another value at each evaluation (Flink:
    FlinkRelUtil.isMergeable).
    """
    read = Counter(e.index for expr in exprs for e in walk(expr) if isinstance(e, InputRef))
    return not any(read[i] > 1 and _varies(expr) for i, expr in enumerate(below))


def _varies(expr: Expr) -> bool:
    return any(isinstance(e, Call) and e.function in (*VARIES_BY_CALL, "PROCTIME") for e in walk(expr))


def remove_renaming(node: Node) -> Node:
    """Drop a projection that only renames the columns of another one (Calcite: ProjectRemoveRule)."""
    if not isinstance(node, Project) or not isinstance(node.input, Project):
        return node
    return node.input if is_identity(node.exprs, len(node.input.exprs)) else node


def merge_projects(node: Node) -> Node:
    """Merge Project(Project(x)) into Project(x), with the names of the upper one."""
    if not isinstance(node, Project) or not isinstance(node.input, Project):
        return node
    below = node.input
    if any(map(contains_over, node.exprs)) and any(map(contains_over, below.exprs)):
        return node  # a window cannot be inside another
    if not is_mergeable(node.exprs, below.exprs):
        return node
    exprs = tuple(substitute(e, below.exprs) for e in node.exprs)
    return merge_projects(replace(node, input=below.input, exprs=exprs))
