"""Two projections in a row become one (Flink: FlinkProjectMergeRule)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from firesteel.expr.nodes import Call, Expr
from firesteel.plan.expressions import substitute, walk
from firesteel.plan.logical import Project
from firesteel.plan.tree import Node

NON_DETERMINISTIC = frozenset({"RAND", "RAND_INTEGER", "UUID", "CURRENT_ROW_TIMESTAMP"})
"""Each evaluation of these gives another value, so they may not be copied or moved."""


def is_deterministic(exprs: Sequence[Expr]) -> bool:
    calls = (e for expr in exprs for e in walk(expr) if isinstance(e, Call))
    return not any(map(_varies, calls))


def _varies(call: Call) -> bool:
    return call.function in NON_DETERMINISTIC or (call.user is not None and not call.user.deterministic)


def merge_projects(node: Node) -> Node:
    """Project(Project(x)) as Project(x), with the upper one's names."""
    if not isinstance(node, Project) or not isinstance(node.input, Project):
        return node
    below = node.input
    if not is_deterministic(below.exprs):
        return node
    exprs = tuple(substitute(e, below.exprs) for e in node.exprs)
    return merge_projects(replace(node, input=below.input, exprs=exprs))
