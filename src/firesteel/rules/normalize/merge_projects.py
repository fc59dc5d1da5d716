"""Two projections in a row become one (Flink: FlinkProjectMergeRule)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from firesteel.functions.expression.nodes import Call, Expr, InputRef
from firesteel.plan.expressions.operations import is_identity, substitute, walk
from firesteel.plan.expressions.over import contains_over
from firesteel.plan.nodes.logical import Project
from firesteel.plan.tree import Node

NON_DETERMINISTIC = frozenset({"RAND", "RAND_INTEGER", "UUID", "CURRENT_ROW_TIMESTAMP", "CURRENT_WATERMARK"})
"""Each evaluation of these gives another value, so they may not be copied."""


def is_deterministic(exprs: Sequence[Expr]) -> bool:
    calls = (e for expr in exprs for e in walk(expr) if isinstance(e, Call))
    return not any(call.function in NON_DETERMINISTIC for call in calls)


def is_mergeable(exprs: Sequence[Expr], below: Sequence[Expr]) -> bool:
    """Whether expressions over these may compute them themselves: nothing of which each evaluation gives
    another value is read twice (Flink: FlinkRelUtil.isMergeable)."""
    read = Counter(e.index for expr in exprs for e in walk(expr) if isinstance(e, InputRef))
    return not any(read[i] > 1 and _varies(expr) for i, expr in enumerate(below))


def _varies(expr: Expr) -> bool:
    return any(isinstance(e, Call) and e.function in (*NON_DETERMINISTIC, "PROCTIME") for e in walk(expr))


def remove_renaming(node: Node) -> Node:
    """A projection that gives another one's columns names alone is none (Calcite: ProjectRemoveRule)."""
    if not isinstance(node, Project) or not isinstance(node.input, Project):
        return node
    return node.input if is_identity(node.exprs, len(node.input.exprs)) else node


def merge_projects(node: Node) -> Node:
    """Project(Project(x)) as Project(x), with the upper one's names."""
    if not isinstance(node, Project) or not isinstance(node.input, Project):
        return node
    below = node.input
    if any(map(contains_over, node.exprs)) and any(map(contains_over, below.exprs)):
        return node  # no window is within another
    if not is_mergeable(node.exprs, below.exprs):
        return node
    exprs = tuple(substitute(e, below.exprs) for e in node.exprs)
    return merge_projects(replace(node, input=below.input, exprs=exprs))
