"""The lines of a tree: `+- ` before a last child, `:- ` before the others, `:  ` beside their subtrees."""

from __future__ import annotations

from collections.abc import Callable

from firesteel.plan.tree import Node


def tree_text(root: Node, line: Callable[[Node], str]) -> str:
    """The tree below `root`, one line a node."""
    lines: list[str] = []

    def add(node: Node, head: str, rest: str) -> None:
        lines.append(head + line(node))
        for i, child in enumerate(node.children):
            last = i == len(node.children) - 1
            add(child, rest + ("+- " if last else ":- "), rest + ("   " if last else ":  "))

    add(root, "", "")
    return "\n".join(lines)
