"""Execution plans in which equal parts are shown once (Flink: SubplanReuser, ExecNodePlanDumper)."""

from __future__ import annotations

from collections.abc import Sequence

from firesteel.explain.tree_text import tree_text
from firesteel.plan.nodes.text import execution_text
from firesteel.plan.reuse import Reuse, fingerprint
from firesteel.plan.tree import Node


def execution_trees(roots: Sequence[Node]) -> list[str]:
    """Return the trees of the plans.

    With several sinks, a shared part is a tree of its own, before the tree of its first reader.
    """
    reuse = Reuse.of(roots)
    if len(roots) == 1:
        return [_tree(roots[0], reuse, set())]
    trees: list[str] = []
    shown: set[str] = set()
    for root in roots:
        for node in _leaves_first(root):
            mark = fingerprint(node)
            if mark in shown or (node is not root and mark not in reuse.numbers):
                continue
            shown.add(mark)
            trees.append(_tree(node, reuse, set(reuse.numbers) - {mark}))
    return trees


def _leaves_first(root: Node) -> list[Node]:
    found: list[Node] = []
    pending = [root]
    while pending:
        node = pending.pop()
        found.append(node)
        pending += node.children
    return found[::-1]


def _tree(root: Node, reuse: Reuse, shown: set[str]) -> str:
    """Return one tree. A part that is shown elsewhere, or above in the tree, is a reference."""

    def describe(node: Node) -> tuple[str, bool]:
        number, mark = reuse.number(node), fingerprint(node)
        if number is None:
            return execution_text(node), True
        if mark in shown:
            return f"Reused(reference_id=[{number}])", False
        shown.add(mark)
        return f"{execution_text(node)}(reuse_id=[{number}])", True

    return tree_text(root, describe)
